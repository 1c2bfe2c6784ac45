// The start page: what this is, words to try, and the views in a sentence each.
import { comparable, exported } from "./api.js";
import { el, corpusText, count, plural } from "./dom.js";
import { href } from "./router.js";

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

export async function showStart(root, route, { info }) {
  const model = info.models[Number(route.query.model ?? 0)] ?? info.models[0];
  const learned = model.tokens ? `, learned from ${count(model.tokens)} words of text` : "";
  const examples = exported?.words ?? info.examples;
  root.replaceChildren(
    el(
      "div",
      { class: "start" },
      el("h1", { tabindex: "-1" }, "Every meaning of a word, as your corpus uses it"),
      el(
        "p",
        { class: "lead" },
        corpusText(model.name),
        ` knows ${plural(model.words, "word")} and ${plural(model.senses, "sense")}${learned}. ${count(model.multi_sense_words)} words have more than one sense.`,
      ),
      examples.length
        ? el(
            "section",
            { "aria-label": "Words to try" },
            el(
              "p",
              { class: "note" },
              exported ? "Words on this page" : "Search a word above, or start with one of these",
            ),
            el(
              "ul",
              { class: "examples" },
              examples.map((word) => el("li", {}, el("a", { href: href("word", [word]) }, corpusText(word)))),
            ),
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
