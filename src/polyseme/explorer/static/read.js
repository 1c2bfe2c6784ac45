// A text with its senses: ambiguous words are coloured, uncertain ones grey. #/read?text=...
import { get, post } from "./api.js";
import { el, corpusText, count, percent } from "./dom.js";
import { exportMenu } from "./exports.js";
import { textFigure } from "./figures.js";
import { go, href } from "./router.js";
import { badge, colourClass, numberOf, senseHref, split } from "./senses.js";

const CERTAIN = 0.6; // probability of the best sense
const IN_ADDRESS = 8000; // characters; longer texts stay in the session

const probability = (token) => token.probabilities?.[token.key] ?? 1;
export const isCertain = (token) => probability(token) >= CERTAIN;

/** Returns the address of a text. A long text is kept by the tab, and its address holds a name for it. */
function addressOf(text) {
  if (text.length <= IN_ADDRESS) return href("read", [], { text });
  const name = `text-${text.length}-${Date.now().toString(36)}`;
  try { sessionStorage.setItem(`polyseme-${name}`, text); } catch { /* then it lives until the next address */ }
  return href("read", [], { kept: name });
}

function textOf({ text, kept }) {
  try { return text ?? (kept ? sessionStorage.getItem(`polyseme-${kept}`) : null) ?? ""; } catch { return ""; }
}

/** Example sentences of the model itself, so that every language has a text to try. */
async function sample(info, model, signal) {
  const answers = await Promise.all(info.examples.slice(0, 4).map((word) => get(["senses", word], { neighbours: 1, examples: 2, model }, signal).catch(() => ({ senses: [] }))));
  const texts = answers.flatMap(({ senses }) => senses.slice(0, 2).map((sense) => sense.examples[0])).filter(Boolean);
  return texts.map(({ left, word, right, text }) => text ?? left + word + right).join("\n\n");
}

const glosses = new Map();
function gloss(key, model) {
  const { word } = split(key);
  const name = `${model ?? 0} ${word}`;
  if (!glosses.has(name)) glosses.set(name, get(["senses", word], { neighbours: 4, examples: 0, model }).then(({ senses }) => new Map(senses.map((one) => [one.key, one.label ?? one.neighbours.map((n) => n.word).join(", ")])), () => new Map()));
  return glosses.get(name);
}

/** Returns the box with the probabilities of a word, shown on hover and on focus. */
function probabilities(model) {
  const box = el("div", { class: "probabilities", id: "probabilities", role: "tooltip", hidden: true });
  let current = null;
  function fill(token, known) {
    box.replaceChildren(...Object.entries(token.probabilities ?? { [token.key]: 1 }).sort(([, a], [, b]) => b - a).map(([key, p]) => {
      const bar = el("span", { class: `fill ${colourClass(key)}` });
      bar.style.inlineSize = `${p * 100}%`;
      return el("p", {}, badge(key), el("span", { class: "figure" }, percent(p)), el("span", { class: "track", "aria-hidden": "true" }, bar), corpusText(known.get(key) ?? ""));
    }));
  }
  function place(anchor) {
    const { left, bottom, top } = anchor.getBoundingClientRect();
    const x = Math.max(8, Math.min(left, document.documentElement.clientWidth - box.offsetWidth - 8));
    const y = bottom + box.offsetHeight + 8 > innerHeight ? top - box.offsetHeight - 6 : bottom + 6;
    box.style.translate = `${x}px ${y}px`;
  }
  async function show(token, anchor) {
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
  return { box, show, hide };
}

function tokenLink(token, tooltip) {
  const certain = isCertain(token);
  const label = `${token.text}, sense ${numberOf(token.key)}, ${certain ? "" : "uncertain, "}${percent(probability(token))}`;
  const link = el("a", { href: senseHref(token.key), class: `token ${certain ? colourClass(token.key) : "uncertain"}`, "aria-label": label, data: { key: token.key, number: String(numberOf(token.key)) } }, token.text);
  for (const event of ["pointerenter", "focus"]) link.addEventListener(event, () => tooltip.show(token, link));
  for (const event of ["pointerleave", "blur"]) link.addEventListener(event, tooltip.hide);
  return link;
}

/** Returns the text in paragraphs: every line has a direction of its own. */
function paragraphs(tokens, tooltip) {
  const lines = [[]];
  for (const token of tokens) {
    if (token.key) lines.at(-1).push(tokenLink(token, tooltip));
    else token.text.split("\n").forEach((part, index) => {
      if (index) lines.push([]);
      if (part) lines.at(-1).push(part);
    });
  }
  return lines.filter((line) => line.length).map((line) => corpusText(line, "p"));
}

function result(tokens, model) {
  const ambiguous = tokens.filter((token) => token.key);
  const uncertain = ambiguous.filter((token) => !isCertain(token)).length;
  const tooltip = probabilities(model);
  return el("section", { class: "reading", "aria-label": "The text with senses" },
    el("header", {},
      el("p", { class: "note" }, `${count(ambiguous.length)} ambiguous words, ${count(uncertain)} uncertain`),
      el("p", { class: "reading-key", "aria-hidden": "true" }, [1, 2, 3, 4].map((n) => el("span", { class: `token s${n}`, data: { number: String(n) } }, "sense")), el("span", { class: "token uncertain" }, "uncertain")),
      exportMenu({
        name: "text senses", json: { tokens }, figure: () => textFigure(tokens, isCertain),
        table: { columns: ["word", "key", "probability"], rows: ambiguous.map((token) => [token.text, token.key, probability(token)]) },
      })),
    el("div", { class: "text" }, paragraphs(tokens, tooltip)), tooltip.box);
}

export async function showRead(root, { query }, { info, signal }) {
  const { model } = query;
  const text = textOf(query);
  const limit = info.limits?.text_bytes;
  const area = el("textarea", { id: "text", rows: text ? "4" : "9", dir: "auto", lang: "", spellcheck: "false", placeholder: "Paste any text" });
  area.value = text;
  const message = el("p", { class: "message", role: "alert" });
  const submit = () => {
    const size = new Blob([area.value]).size;
    if (limit && size > limit) message.textContent = `The text has ${count(size)} bytes, and ${count(limit)} are allowed. Shorten it, or use: polyseme tag MODEL FILE`;
    else if (area.value.trim()) go(addressOf(area.value));
  };
  area.addEventListener("keydown", (event) => event.key === "Enter" && (event.ctrlKey || event.metaKey) && submit());
  const form = el("form", { class: "read-form", on: { submit: (event) => { event.preventDefault(); submit(); } } },
    el("label", { for: "text", class: "visually-hidden" }, "Text"), area, message,
    el("p", { class: "buttons" },
      el("button", { type: "submit", class: "primary" }, "Colour the senses"),
      info.examples.length ? el("button", { type: "button", on: { click: async () => { area.value = await sample(info, model, signal); submit(); } } }, "Try sentences of the corpus") : null));
  const place = el("div", { class: text ? "busy" : null });
  root.replaceChildren(el("header", { class: "headword" }, el("div", {}, el("h1", { tabindex: "-1", class: "title" }, "Read a text"), el("p", { class: "note" }, "Words with several senses are coloured by the sense they have here. Hover or focus for probabilities; a click leads to the sense."))), form, place);
  if (!text) area.focus();
  else {
    const { tokens } = await post(model ? `tag?model=${encodeURIComponent(model)}` : "tag", { text }, signal);
    place.classList.remove("busy");
    place.replaceChildren(result(tokens, model));
  }
  return { title: "Read a text" };
}
