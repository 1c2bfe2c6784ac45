// The concordance of a word or of one of its senses: #/concordance/bank/2?sort=left&page=2
import { get } from "./api.js";
import { concordanceTable, fetchLines, SORTS } from "./concordance.js";
import { el, count, plural } from "./dom.js";
import { linesFigure } from "./figures.js";
import { go, href } from "./router.js";
import { badge, numberOf } from "./senses.js";
import { headword, indexHint } from "./headword.js";

const PAGE = 50;

export async function showLines(root, { parts: [asked, number], query }, { info, signal }) {
  const { model, sort = "best" } = query;
  const page = Math.max(1, Number.parseInt(query.page ?? "1", 10) || 1);
  const { word, senses } = await get(["senses", asked], { neighbours: 12, examples: 5, model }, signal);
  const sense = number ? senses.find((one) => numberOf(one.key) === Number(number)) : null;
  const key = sense?.key ?? word;
  const answer = await fetchLines(key, { sort, offset: (page - 1) * PAGE, limit: PAGE, model }, signal);
  const where = (changes) =>
    href("concordance", number ? [word, number] : [word], { sort: sort === "best" ? undefined : sort, ...changes });

  const chooser =
    senses.length < 2
      ? null
      : el(
          "nav",
          { class: "chooser", "aria-label": "Senses" },
          el("a", { href: href("concordance", [word], { sort }), "aria-current": sense ? null : "true" }, "All"),
          senses.map((one) =>
            el(
              "a",
              {
                href: href("concordance", [word, numberOf(one.key)], { sort }),
                "aria-current": one === sense ? "true" : null,
                "aria-label": `Sense ${numberOf(one.key)}`,
              },
              badge(one.key),
              one.label ? el("bdi", { lang: "" }, one.label) : null,
            ),
          ),
        );
  const sorter = el(
    "label",
    { class: "sorter" },
    "Sort ",
    el(
      "select",
      { on: { change: (event) => go(where({ sort: event.target.value })) } },
      Object.entries(SORTS).map(([value, name]) => el("option", { value, selected: value === sort }, name)),
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
      note: `${answer.sampled ? "A sample of " : ""}${plural(answer.total, "line")}`,
      export: {
        name: `${key} concordance`,
        json: answer,
        table: {
          columns: ["key", "left", "word", "right", "source"],
          rows: answer.lines.map((line) => [line.key ?? key, line.left, line.word, line.right, line.source]),
        },
        figure: () => linesFigure(key, answer.lines),
      },
    }),
    info.models[Number(model ?? 0)]?.has_index ? "" : indexHint(info, model),
    el("div", { class: "controls" }, chooser, sorter),
    answer.lines.length
      ? el(
          "div",
          { class: "lines wide" },
          concordanceTable(answer.lines, {
            key,
            sort,
            onSort: (next) => go(where({ sort: next })),
            caption: `Concordance of ${key}`,
          }),
        )
      : el("p", { class: "empty" }, "No lines."),
    pager ?? "",
  );
  return { title: `${key}, concordance`, word, number, senses };
}
