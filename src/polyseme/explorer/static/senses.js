// Sense keys: their word, number, colour, and how they are shown.
import { isShown } from "./api.js";
import { el, corpusText, decimal, direction, percent } from "./dom.js";
import { href } from "./router.js";

const COLOURS = 8; // classes s1 to s8 of the stylesheet

/** Returns {word, number} of a key: bank#2 is sense 2 of bank. A word with one sense has no number in its key. */
export function split(key) {
  const match = /^(.+)#([0-9]+)$/s.exec(key);
  return match ? { word: match[1], number: Number(match[2]) } : { word: key, number: 1 };
}

export const numberOf = (key) => split(key).number;
export const colourClass = (key) => `s${((numberOf(key) - 1) % COLOURS) + 1}`;

/** Returns the address of a sense, or of a word with one sense; `query` names the model if it is not the one shown. */
export function senseHref(key, query = {}) {
  const { word, number } = split(key);
  return href("word", word === key ? [word] : [word, number], query);
}

/** Returns what a sense is about: its label, or its nearest neighbours that no other of the `senses` has. */
export function glossOf(sense, senses, n = 3) {
  const others = new Set(senses.flatMap((one) => (one === sense ? [] : one.neighbours.map(({ word }) => word))));
  const words = sense.neighbours.map(({ word }) => word);
  const own = words.filter((word) => !others.has(word));
  return sense.label ?? (own.length ? own : words).slice(0, n).join(", ");
}

/** Returns the key of a sense with its number raised, as text: bank². */
export function raised(key) {
  const { word, number } = split(key);
  return word === key ? word : word + [...String(number)].map((digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit]).join("");
}

/** Returns the number of a sense on its colour. */
export function badge(key) {
  return el("span", { class: `badge ${colourClass(key)}`, "aria-hidden": "true" }, String(numberOf(key)));
}

/**
 * Returns a link to a sense, with its number raised as in dictionaries (by the stylesheet, so it is not copied). An
 * exported page shows a word that it has no senses of without a link.
 */
export function senseLink(key, query = {}) {
  const { word, number } = split(key);
  const link = isShown(word) ? senseHref(key, query) : null;
  const tag = link ? "a" : "span";
  if (word === key) return el(tag, { href: link, class: "word" }, corpusText(word));
  return el(
    tag,
    {
      href: link,
      class: "word",
      dir: direction(word),
      data: { number: String(number) },
      "aria-label": link ? `${word}, sense ${number}` : null, // a span has no name of its own
    },
    corpusText(word),
  );
}

/** Returns neighbours as a list of links with similarities. */
export function neighbourList(neighbours, label, marked = new Set(), query = {}) {
  return el(
    "ul",
    { class: "words", "aria-label": label },
    neighbours.map((neighbour) =>
      el(
        "li",
        { class: marked.has(neighbour.word) ? "marked" : null },
        senseLink(neighbour.key, query),
        el("span", { class: "figure" }, decimal(neighbour.similarity)),
      ),
    ),
  );
}

/** Returns a bar as long as the share of a sense. */
export function shareBar(key, share) {
  const fill = el("span", { class: `fill ${colourClass(key)}` });
  fill.style.inlineSize = `${share * 100}%`;
  return el(
    "span",
    { class: "share" },
    el("span", { class: "track", "aria-hidden": "true" }, fill),
    el("span", { class: "figure" }, percent(share)),
  );
}

/** Whether there are several senses with shares: a model of another program may not have them. */
export const hasShares = (senses) => senses.length > 1 && senses.every(({ share }) => typeof share === "number");

/** Returns one bar that is divided into the shares of all senses; each part leads to its sense. */
export function shareStrip(word, senses) {
  return el(
    "div",
    { class: "strip", role: "group", "aria-label": "Shares of the senses" },
    senses.map((sense) => {
      const part = el(
        "a",
        {
          href: senseHref(sense.key),
          class: colourClass(sense.key),
          "aria-label": `Sense ${numberOf(sense.key)}: ${percent(sense.share)}`,
          title: `${sense.key}  ${percent(sense.share)}`,
        },
        el("span", {}, String(numberOf(sense.key))),
      );
      part.style.flexGrow = String(Math.max(sense.share, 0.001));
      return part;
    }),
  );
}
