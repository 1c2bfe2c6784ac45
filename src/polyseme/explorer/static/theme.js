// Light, dark, or as the system prefers.
import { announce } from "./dom.js";

const NAMES = { auto: "as the system", light: "light", dark: "dark" };

/** Values that outlive the page; browsers can forbid storage, then nothing is kept. */
export const storage = {
  read(name) {
    try {
      return localStorage.getItem(`polyseme-${name}`);
    } catch {
      return null;
    }
  },
  write(name, value) {
    try {
      localStorage.setItem(`polyseme-${name}`, value);
    } catch {
      /* not kept */
    }
  },
};

let chosen = NAMES[storage.read("theme")] ? storage.read("theme") : "auto";

const system = matchMedia("(prefers-color-scheme: dark)");

function apply() {
  document.documentElement.dataset.theme = chosen === "auto" ? (system.matches ? "dark" : "light") : chosen;
  const button = document.getElementById("theme");
  button.setAttribute("aria-label", `Colours: ${NAMES[chosen]}. Change`);
  button.title = `Colours: ${NAMES[chosen]} (t)`;
  document.dispatchEvent(new CustomEvent("themechange"));
}

/** Chooses the opposite of what is shown; a third step returns to the preference of the system. */
export function nextTheme() {
  const order = system.matches ? ["auto", "light", "dark"] : ["auto", "dark", "light"];
  chosen = order[(order.indexOf(chosen) + 1) % 3];
  storage.write("theme", chosen);
  apply();
  announce(`Colours: ${NAMES[chosen]}`);
}

export function startTheme() {
  apply();
  document.getElementById("theme").addEventListener("click", nextTheme);
  system.addEventListener("change", apply);
}
