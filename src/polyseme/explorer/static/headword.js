// The top of every page about a word: the headword, its frequency, and the ways to look at it.
import { comparable, exported, modelOf } from "./api.js";
import { el, corpusText, plural } from "./dom.js";
import { exportMenu } from "./exports.js";
import { href } from "./router.js";

const VIEWS = { word: "Senses", concordance: "Concordance", map: "Map" };

/** Returns the links to the views of a word, or of one of its senses. */
export function tabs(word, view, number) {
  const links = Object.entries(VIEWS).map(([name, label]) =>
    el(
      "a",
      {
        href: href(name, number && name !== "map" ? [word, number] : [word]),
        "aria-current": name === view ? "page" : null,
      },
      label,
    ),
  );
  if (comparable) links.push(el("a", { href: href("compare", [word]) }, "Compare"));
  return el("nav", { class: "tabs", "aria-label": "Views of the word" }, links);
}

/** Returns the header of a word's page; `view` is the tab that is open. */
export function headword(word, { senses, occurrences = null, view, number, note = null, export: content, actions = [] }) {
  return el(
    "header",
    { class: "headword" },
    el(
      "div",
      {},
      el("h1", { tabindex: "-1" }, corpusText(word)),
      el(
        "p",
        { class: "note" },
        note ?? [plural(senses.length, "sense"), occurrences],
      ),
    ),
    el("div", { class: "actions" }, actions, exportMenu(content)),
    tabs(word, view, number),
  );
}

/** Returns the header of a page that is not about one word. */
export function pageTitle(title, note, menu = null) {
  const texts = el("div", {}, el("h1", { tabindex: "-1", class: "title" }, title), el("p", { class: "note" }, note));
  return el("header", { class: "headword" }, texts, menu ? el("div", { class: "actions" }, menu) : null);
}

/** Returns the name of the text that a model's occurrences are from. */
export function indexedText(info, model) {
  const { indexed_text: name, was_trained_on_index: trained } = modelOf(info, model);
  if (!name) return null;
  return [" in ", el("bdi", {}, name), trained ? null : ", which the model was not trained on"];
}

const OPTION = /--corpus TEXT$/;

/** Says why there is no full concordance and no collocates, and how to get them. */
export function indexHint(info, model) {
  const { has_index: has, how_to_index: command, index_problem: problem } = modelOf(info, model);
  if (exported || has || !command) return "";
  return el(
    "p",
    { class: "notice" },
    problem ? `${problem}. ` : null,
    "These are the few examples that the model keeps. For all occurrences and for collocates, start the page with the corpus: ",
    el("code", {}, command.replace(OPTION, ""), el("span", { class: "option" }, command.match(OPTION)?.[0])),
  );
}
