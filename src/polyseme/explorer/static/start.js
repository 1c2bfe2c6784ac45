// The start page: what this is, words to try, and the views in a sentence each.
import { comparable, exported, get, modelOf } from "./api.js";
import { el, corpusText, count, plural } from "./dom.js";
import { href } from "./router.js";
import { badge, glossOf } from "./senses.js";

const MAX_SENSES = 4; // of a word to try

/** Returns a word to try. What its senses are about appears when the server has answered. */
function example(word, model, signal) {
  const senses = el("span", { class: "glosses busy" });
  get(["senses", word], { neighbours: 12, examples: 0, model }, signal)
    .then((answer) =>
      senses.append(
        ...answer.senses
          .slice(0, MAX_SENSES)
          .map((sense) => el("span", {}, badge(sense.key), " ", corpusText(glossOf(sense, answer.senses)))),
      ),
    )
    .catch(() => {}) // the word alone is a link
    .finally(() => senses.classList.remove("busy"));
  return el("li", {}, el("a", { href: href("word", [word]) }, corpusText(word, "strong"), senses));
}

function cards(examples, models) {
  const [first = "", second = ""] = examples;
  const list = [
    [
      "Senses",
      href(first ? "word" : "start", first ? [first] : []),
      "Each sense of a word with its share, neighbours, collocates and examples as a concordance.",
    ],
    ["Map", href("map", first ? [first] : []), "The neighbours of all senses of a word as a map, coloured by sense."],
  ];
  if (!exported)
    list.splice(1, 0, [
      "Read",
      href("read"),
      "Paste a text: each ambiguous word is coloured by the sense that it has there.",
    ]);
  if (comparable)
    list.push([
      "Compare",
      href("compare", [first, second].filter(Boolean)),
      "What two words share and where they differ, sense by sense.",
    ]);
  if (models > 1)
    list.push([
      "Two models",
      href("models", first ? [first] : []),
      "The senses of a word in both models, matched by their neighbours.",
    ]);
  return list;
}

const PAUSE = 2000; // milliseconds between two questions

/** Fills a list with words to try, and again when the server has found the words with the clearest senses. */
async function fillExamples(list, info, number, signal) {
  const fill = (words) => list.replaceChildren(...words.map((word) => example(word, number, signal)));
  const model = () => modelOf(info, number);
  fill(exported?.words ?? model().examples);
  if (exported || model().examples_are_final) return;
  while (!model().examples_are_final && !signal.aborted) {
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
    Object.assign(info, await get(["info"], {}, signal));
  }
  if (!signal.aborted && !list.matches(":hover, :focus-within")) fill(model().examples);
}

/** Says how large a model is. */
function describe(model) {
  const learned = model.tokens ? `, learned from ${count(model.tokens)} words of text` : "";
  return el(
    "p",
    { class: "lead" },
    corpusText(model.name),
    ` knows ${plural(model.words, "word")} and ${plural(model.senses, "sense")}${learned}. ${count(model.multi_sense_words)} words have more than one sense.`,
  );
}

/** Returns links to the start page of each model, if there are two. */
function modelChooser(models, chosen) {
  if (models.length < 2) return null;
  return el(
    "nav",
    { class: "chooser", "aria-label": "Models" },
    models.map((model, number) =>
      el(
        "a",
        { href: href("start", [], { model: number || undefined }), "aria-current": model === chosen ? "true" : null },
        corpusText(model.name),
      ),
    ),
  );
}

export async function showStart(root, route, { info, signal }) {
  const model = modelOf(info, route.query.model);
  const examples = exported?.words ?? model.examples;
  const list = el("ul", { class: "tries" });
  fillExamples(list, info, route.query.model, signal).catch(() => {}); // the first words stay
  root.replaceChildren(
    el(
      "div",
      { class: "start" },
      el("h1", { tabindex: "-1" }, "Every meaning of a word, as your corpus uses it"),
      el("div", { class: "leads" }, info.models.map(describe)),
      modelChooser(info.models, model),
      examples.length
        ? el(
            "section",
            { "aria-label": "Words to try" },
            el(
              "p",
              { class: "note" },
              exported ? "Words on this page" : "Search a word above, or start with one of these",
            ),
            list,
          )
        : null,
      el(
        "section",
        { "aria-label": "Views" },
        el(
          "ul",
          { class: "ways" },
          cards(examples, info.models.length).map(([name, where, what]) =>
            el("li", {}, el("a", { href: where }, el("h2", {}, name), el("p", {}, what))),
          ),
        ),
      ),
    ),
  );
  return { title: "polyseme" };
}
