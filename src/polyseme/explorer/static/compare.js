// Two words side by side, sense by sense: #/compare/bank/shore
import { get } from "./api.js";
import { el, corpusText, decimal, scrollable } from "./dom.js";
import { exportMenu, savedSenses } from "./exports.js";
import { compareFigure } from "./figures.js";
import { pageTitle } from "./headword.js";
import { go, href } from "./router.js";
import { suggestions, wordField } from "./search.js";
import { badge, glossOf, hasShares, senseLink, shareStrip } from "./senses.js";

function chooser(a, b) {
  const chosen = [a ?? "", b ?? ""];
  const fields = ["First word", "Second word"].map((label, index) =>
    wordField({
      label,
      placeholder: label,
      value: chosen[index],
      choose(word) {
        chosen[index] = word;
        if (chosen[0] && chosen[1]) go(href("compare", chosen));
        else fields[1 - index].input.focus();
      },
    }),
  );
  const swap = el(
    "a",
    { class: "swap", href: href("compare", [b, a].filter(Boolean)), "aria-label": "Swap the words", title: "Swap" },
    "⇄",
  );
  return {
    element: el(
      "div",
      { class: "choose-two" },
      fields[0].field,
      a && b ? swap : el("span", { class: "note" }, "and"),
      fields[1].field,
    ),
    focus: () => fields[a ? 1 : 0].input.focus(),
  };
}

/** Returns a sense with what it is about. */
const named = (sense, { senses }) => [
  el("span", { class: "sense" }, badge(sense.key), senseLink(sense.key)),
  corpusText(glossOf(sense, senses), "span", { class: "gloss note" }),
];

function matrix({ a, b, similarities }) {
  return scrollable(
    "Similarity of the senses",
    el(
      "table",
      { class: "matrix" },
      el("caption", {}, "Similarity of each pair of senses"),
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          el("td"),
          b.senses.map((sense) => el("th", { scope: "col" }, named(sense, b))),
        ),
      ),
      el(
        "tbody",
        {},
        a.senses.map((sense, row) =>
          el(
            "tr",
            {},
            el("th", { scope: "row" }, named(sense, a)),
            similarities[row].map((value) => {
              const cell = el("td", { class: "figure" }, decimal(value));
              cell.style.setProperty("--strength", `${Math.round(Math.max(0, value) * 40)}%`);
              return cell;
            }),
          ),
        ),
      ),
    ),
  );
}

function sharedTable(shared, a, b) {
  if (!shared.length) return el("p", { class: "empty" }, "No shared neighbours.");
  return scrollable(
    "Shared neighbours",
    el(
      "table",
      { class: "plain shared" },
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          ["Word", a, "", b, ""].map((name) => (name ? el("th", { scope: "col" }, corpusText(name)) : el("td"))),
        ),
      ),
      el(
        "tbody",
        {},
        shared.map((item) =>
          el(
            "tr",
            {},
            el("th", { scope: "row" }, senseLink(item.word)),
            [
              [item.a, item.similarity_a],
              [item.b, item.similarity_b],
            ].map(([key, value]) => [
              el("td", {}, badge(key), el("span", { class: "visually-hidden" }, key)),
              el("td", { class: "figure" }, decimal(value)),
            ]),
          ),
        ),
      ),
    ),
  );
}

/** Neighbours of one word only, grouped by the sense they belong to. */
function ownWords(own) {
  const groups = Map.groupBy(own, ([, key]) => key);
  return el(
    "div",
    { class: "own" },
    [...groups].map(([key, items]) => [
      badge(key),
      el(
        "ul",
        { class: "words", "aria-label": `Only ${key}` },
        items.map(([word, , similarity]) =>
          el("li", {}, senseLink(word), el("span", { class: "figure" }, decimal(similarity))),
        ),
      ),
    ]),
  );
}

function side(answer, own) {
  return el(
    "section",
    { class: "side" },
    el("h2", {}, el("a", { href: href("word", [answer.word]) }, corpusText(answer.word))),
    hasShares(answer.senses) ? shareStrip(answer.word, answer.senses) : null,
    el("h3", {}, "Only here"),
    own.length ? ownWords(own) : el("p", { class: "note" }, "Nothing."),
  );
}

/** Says which of the words is not known; the other one is kept in the links to words that may have been meant. */
function unknown(error, a, b) {
  const corrected = (word) => href("compare", error.word === a ? [word, b] : [a, word]);
  return el(
    "section",
    { class: "failure", role: "alert" },
    error.word ? el("h2", {}, corpusText(error.word)) : null,
    el("p", {}, error.message),
    suggestions(error, corrected),
  );
}

export async function showCompare(root, { parts: [a, b], query }, { signal }) {
  const fields = chooser(a, b);
  const header = (menu) => pageTitle("Compare two words", "What two words share, and what each has for itself.", menu);
  if (!a || !b) {
    root.replaceChildren(header(null), fields.element);
    fields.focus();
    return { title: "Compare words" };
  }
  root.replaceChildren(header(null), fields.element, el("p", { class: "busy" }));
  let answer;
  try {
    answer = await get(["compare", "words"], { a, b, model: query.model }, signal);
  } catch (error) {
    if (error.status !== 404) throw error;
    root.replaceChildren(header(null), fields.element, unknown(error, a, b));
    return { title: "Not found" };
  }
  const menu = exportMenu({
    name: `${a} ${b}`,
    json: { ...answer, a: savedSenses(answer.a), b: savedSenses(answer.b) },
    figure: () => compareFigure(answer),
    table: {
      columns: ["word", "near", "sense_a", "similarity_a", "sense_b", "similarity_b"],
      rows: [
        ["both", answer.shared],
        [answer.a.word, answer.only_a],
        [answer.b.word, answer.only_b],
      ].flatMap(([near, items]) =>
        items.map((item) => [item.word, near, item.a, item.similarity_a, item.b, item.similarity_b]),
      ),
    },
  });
  root.replaceChildren(
    header(menu),
    fields.element,
    el(
      "div",
      { class: "pairs" },
      el("section", {}, matrix(answer)),
      el("section", { class: "both" }, el("h2", {}, "Shared neighbours"), sharedTable(answer.shared, a, b)),
      el(
        "div",
        { class: "two" },
        side(
          answer.a,
          answer.only_a.map((one) => [one.word, one.a, one.similarity_a]),
        ),
        side(
          answer.b,
          answer.only_b.map((one) => [one.word, one.b, one.similarity_b]),
        ),
      ),
    ),
  );
  return { title: `${a} and ${b}` };
}
