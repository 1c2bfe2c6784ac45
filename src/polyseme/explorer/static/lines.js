// The concordance of a word or of one of its senses: #/concordance/bank/2?sort=left&page=2
import { exported, get, modelOf } from "./api.js";
import { MAX_SAVED, concordanceTable, fetchAllLines, fetchLines, sortNames } from "./concordance.js";
import { el, corpusText, count, plural } from "./dom.js";
import { linesFigure } from "./figures.js";
import { go, href } from "./router.js";
import { badge, glossOf, numberOf } from "./senses.js";
import { headword, indexedText, indexHint } from "./headword.js";
import { wordField } from "./search.js";

const PAGE = 50;

/** Returns links to the lines of each sense; `where` gives the address of a sense number, or of all. */
function senseChooser(senses, chosen, where) {
  const link = (address, current, ...content) =>
    el("a", { href: address, "aria-current": current ? "true" : null }, ...content);
  return el(
    "nav",
    { class: "chooser", "aria-label": "Senses" },
    link(where(null), !chosen, "All"),
    senses.map((one) =>
      link(
        where(numberOf(one.key)),
        one === chosen,
        badge(one.key),
        el("span", { class: "visually-hidden" }, `Sense ${numberOf(one.key)}: `),
        corpusText(glossOf(one, senses)),
      ),
    ),
  );
}

/** Returns a field for a word that all lines shall have near the keyword, and a link that gives up this condition. */
function nearChooser(near, where) {
  const { field } = wordField({
    label: "Only lines near a word",
    placeholder: "near a word",
    value: near ?? "",
    choose: (word) => go(where({ near: word })),
  });
  const all = el("a", { href: where({ near: undefined }), "aria-label": "Show all lines", title: "All lines" }, "×");
  return el("div", { class: "near" }, field, near ? all : null);
}

/** Says that the word which lines shall have is not known, and leads to lines with words that may have been meant. */
function nearMessage({ message, closest }, where) {
  const links = closest.map((word) => [" ", el("a", { href: where({ near: word }) }, corpusText(word))]);
  return el("p", { class: "message", role: "alert" }, message, links.length ? [" Did you mean", links, "?"] : null);
}

/** Says why there are no lines, and leads to some if there are any. */
function emptyNote(key, { total, sampled }, near, hasIndex, where) {
  const link = (name) => el("a", { href: where({ near: undefined }) }, name);
  if (near)
    return [
      `No line of ${sampled ? "the sample of " : ""}`,
      corpusText(key),
      " has ",
      corpusText(near),
      " within five words. ",
      link("Show all lines"),
    ];
  if (total) return ["The last page ends before this one. ", link("First page")];
  return [hasIndex ? "The corpus has no line of " : "The model keeps no examples of ", corpusText(key), "."];
}

/** TSV and JSON have the lines of all pages, pictures those that are shown. */
function exportOf(key, answer, query, signal) {
  const fetchAll = () => fetchAllLines(key, query, signal);
  return {
    name: `${key} ${query.near ?? ""} concordance`,
    get json() {
      return fetchAll();
    },
    get table() {
      const columns = ["key", "left", "word", "right", "source"];
      const row = (line) => [line.key ?? key, line.left, line.word, line.right, line.source];
      return fetchAll().then(({ lines }) => ({ columns, rows: lines.map(row) }));
    },
    figure: () => linesFigure(key, answer.lines),
    note: answer.total > MAX_SAVED ? `TSV and JSON have the first ${count(MAX_SAVED)} lines.` : null,
  };
}

export async function showLines(root, { parts: [asked, number], query }, { info, signal }) {
  const { model, sort = "best" } = query;
  const page = Math.max(1, Number.parseInt(query.page ?? "1", 10) || 1);
  const { word, senses } = await get(["senses", asked], { neighbours: 12, examples: 5, model }, signal);
  const sense = number ? senses.find((one) => numberOf(one.key) === Number(number)) : null;
  const key = sense?.key ?? (number ? `${word}#${number}` : word);
  let near = query.near;
  let unknown = null;
  const fetchPage = () => fetchLines(key, { sort, near, offset: (page - 1) * PAGE, limit: PAGE, model }, signal);
  const answer = await fetchPage().catch((error) => {
    if (!near || error.status !== 404) throw error;
    unknown = error; // the word is known: if one is not, it is this
    near = undefined;
    return fetchPage();
  });
  const state = { sort: sort === "best" ? undefined : sort, near };
  const where = (changes, of = number) => href("concordance", of ? [word, of] : [word], { ...state, ...changes });
  const { has_index: hasIndex } = modelOf(info, model);

  const sorter = el(
    "label",
    { class: "sorter" },
    "Sort ",
    el(
      "select",
      { on: { change: (event) => go(where({ sort: event.target.value })) } },
      Object.entries(sortNames(word)).map(([value, name]) => el("option", { value, selected: value === sort }, name)),
    ),
  );
  const last = Math.max(1, Math.ceil(answer.total / PAGE));
  const pager =
    last === 1
      ? null
      : el(
          "nav",
          { class: "pager", "aria-label": "Pages" },
          page > 1 ? el("a", { href: where({ page: page - 1 }), rel: "prev" }, "← Previous") : null,
          el("span", {}, `Page ${count(page)} of ${count(last)}`),
          page < last ? el("a", { href: where({ page: page + 1 }), rel: "next" }, "Next →") : null,
        );

  root.replaceChildren(
    headword(word, {
      senses,
      view: "concordance",
      number,
      note: [
        `${answer.sampled ? "A sample of " : ""}${plural(answer.total, "line")}`,
        near ? [" near ", corpusText(near)] : "",
        indexedText(info, model),
      ],
      export: exportOf(key, answer, { sort, near, model }, signal),
    }),
    indexHint(info, model),
    el(
      "div",
      { class: "controls" },
      senses.length > 1 ? senseChooser(senses, sense, (of) => where({}, of)) : null,
      el("div", { class: "filters" }, hasIndex && !exported ? nearChooser(query.near, where) : null, sorter),
      unknown ? nearMessage(unknown, where) : null,
    ),
    answer.lines.length
      ? el(
          "div",
          { class: "lines wide" },
          concordanceTable(answer.lines, {
            key,
            sort,
            onSort: (next) => go(where({ sort: next })),
            caption: `Concordance of ${key}`,
            near,
          }),
        )
      : el("p", { class: "empty" }, emptyNote(key, answer, near, hasIndex, where)),
    pager ?? "",
  );
  return { title: `${key}, concordance`, word, number, senses };
}
