// The box with the probabilities of the senses of a word in a text.
import { get } from "./api.js";
import { el, corpusText, percent } from "./dom.js";
import { badge, colourClass, glossOf, split } from "./senses.js";

const LINGER = 150; // milliseconds until the box disappears, so that the pointer can move into it

const glosses = new Map();

/** Returns a promise of the label or the neighbours of each sense of the key's word. */
function gloss(key, model) {
  const { word } = split(key);
  const name = `${model ?? 0} ${word}`;
  if (!glosses.has(name))
    glosses.set(
      name,
      get(["senses", word], { neighbours: 12, examples: 0, model }).then(
        ({ senses }) => new Map(senses.map((one) => [one.key, glossOf(one, senses, 4)])),
        () => new Map(),
      ),
    );
  return glosses.get(name);
}

/**
 * Returns {box, show, leave}: a box that is shown while a word has the pointer or the focus. It stays while the pointer
 * is in it, and Escape hides it.
 */
export function probabilityBox(model, signal) {
  const box = el("div", { class: "probabilities", id: "probabilities", role: "tooltip", hidden: true });
  let current = null;
  let timer = 0;
  function fill(token, known) {
    box.replaceChildren(
      ...Object.entries(token.probabilities ?? { [token.key]: 1 })
        .sort(([, a], [, b]) => b - a)
        .map(([key, p]) => {
          const bar = el("span", { class: `fill ${colourClass(key)}` });
          bar.style.inlineSize = `${p * 100}%`;
          return el(
            "p",
            {},
            badge(key),
            el("span", { class: "figure" }, percent(p)),
            el("span", { class: "track", "aria-hidden": "true" }, bar),
            corpusText(known.get(key) ?? ""),
          );
        }),
    );
  }
  function place(anchor) {
    const { left, bottom, top } = anchor.getBoundingClientRect();
    const x = Math.max(8, Math.min(left, document.documentElement.clientWidth - box.offsetWidth - 8));
    const y = bottom + box.offsetHeight + 8 > innerHeight ? top - box.offsetHeight - 6 : bottom + 6;
    box.style.translate = `${x}px ${y}px`;
  }
  async function show(token, anchor) {
    clearTimeout(timer);
    hide();
    current = anchor;
    box.hidden = false;
    fill(token, new Map());
    place(anchor);
    anchor.setAttribute("aria-describedby", box.id);
    const known = await gloss(token.key, model);
    if (current !== anchor) return;
    fill(token, known);
    place(anchor);
  }
  function hide() {
    current?.removeAttribute("aria-describedby");
    current = null;
    box.hidden = true;
  }
  const leave = () => {
    timer = setTimeout(hide, LINGER);
  };
  box.addEventListener("pointerenter", () => clearTimeout(timer));
  box.addEventListener("pointerleave", hide);
  box.addEventListener("pointerdown", hide);
  document.addEventListener("keydown", (event) => event.key === "Escape" && hide(), { signal });
  return { box, show, leave };
}
