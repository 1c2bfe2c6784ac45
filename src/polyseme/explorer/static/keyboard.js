// Single-key shortcuts. They can be turned off in the help, for people who speak or switch their input.
import { comparable, exported } from "./api.js";
import { nextTheme, storage } from "./theme.js";
import { undo } from "./edits.js";
import { go, href } from "./router.js";
import { numberOf } from "./senses.js";

const typing = (target) => target.closest("input, textarea, select, [contenteditable]");

/** Goes to the next sense. Returns whether there is one. */
function senseStep(shown, step) {
  const numbers = shown.numbers ?? [];
  if (!numbers.length) return false;
  const at = numbers.indexOf(Number(shown.number));
  const next = at < 0 ? (step > 0 ? 0 : numbers.length - 1) : Math.min(numbers.length - 1, Math.max(0, at + step));
  if (next !== at) go(href("word", [shown.word, numbers[next]]));
  return next !== at;
}

/** Moves the focus to the next ambiguous word of a text. Returns whether there is one. */
function tokenStep(target, step) {
  const tokens = [...document.querySelectorAll(".text a.token")];
  const at = tokens.indexOf(target);
  const next = at < 0 ? 0 : Math.min(tokens.length - 1, Math.max(0, at + step));
  tokens[next]?.focus();
  return tokens.length > 0 && next !== at;
}

/** Starts to listen. `current()` returns what is shown: {word, number, numbers}. */
export function startKeyboard(current, refresh) {
  const help = document.getElementById("help");
  if (exported) for (const part of help.querySelectorAll("[data-server]")) part.hidden = true;
  const toggle = document.getElementById("shortcuts");
  toggle.checked = storage.read("shortcuts") !== "off";
  toggle.addEventListener("change", () => storage.write("shortcuts", toggle.checked ? "on" : "off"));
  document.getElementById("help-button").addEventListener("click", () => help.showModal());

  const ofWord = (view) => () => current().word && go(href(view, [current().word]));
  const arrow = (step) => (event) =>
    !event.target.closest(".scroll") && (tokenStep(event.target, step) || senseStep(current(), step));
  const keys = {
    "/": () => {
      const input = document.querySelector("#search input");
      input?.focus();
      input?.select();
    },
    "?": () => help.showModal(),
    t: nextTheme,
    z: () => {
      undo();
      refresh();
    },
    e: () => document.getElementById("edit")?.click(),
    s: ofWord("word"),
    c: ofWord("concordance"),
    m: ofWord("map"),
    r: () => go(href("read")),
    w: () => comparable && go(href("compare", current().word ? [current().word] : [])),
    ArrowLeft: arrow(-1),
    ArrowRight: arrow(1),
  };
  document.addEventListener("keydown", (event) => {
    if (
      event.defaultPrevented ||
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      !toggle.checked ||
      typing(event.target) ||
      document.querySelector("dialog[open]")
    )
      return;
    const { word, senses } = current();
    if (/^[1-9]$/.test(event.key) && word && senses?.some((sense) => numberOf(sense.key) === Number(event.key))) {
      event.preventDefault();
      go(href("word", [word, event.key]));
    } else if (keys[event.key]) {
      if (keys[event.key](event) !== false) event.preventDefault();
    }
  });
}
