// The senses of a word, a card each: #/word/bank or #/word/bank/2
import { get, modelOf } from "./api.js";
import { senseCard } from "./card.js";
import { el, plural } from "./dom.js";
import { editsOf, editing, setEditing, previewed } from "./edits.js";
import { savedSenses } from "./exports.js";
import { wordFigure } from "./figures.js";
import { headword, indexedText, indexHint, tabs } from "./headword.js";
import { hasShares, numberOf, shareStrip } from "./senses.js";

function exportOf(word, answer) {
  const itemsOf = (sense) => [
    ...sense.neighbours.map((one) => ["neighbour", one.key, one.similarity]),
    ...(sense.collocates ?? []).map((one) => ["collocate", one.word, one.log_dice, one.left, one.right]),
    ...sense.examples.map((one) => ["example", one.word, null, one.left, one.right]),
  ];
  return {
    name: `${word} senses`,
    // When they are saved: occurrences and collocates arrive after the view.
    get json() {
      return savedSenses(answer);
    },
    get table() {
      const rows = answer.senses.flatMap((sense) =>
        itemsOf(sense).map(([kind, item, score = null, left = null, right = null]) => [
          ...[sense.key, sense.label, sense.share, sense.occurrences, sense.count],
          ...[kind, item, score, left, right],
        ]),
      );
      const ofSense = ["key", "label", "share", "occurrences", "training_count"];
      return { columns: [...ofSense, "kind", "item", "score", "left", "right"], rows };
    },
    figure: () => wordFigure(word, answer.senses),
  };
}

const titleOf = (word, number) => (number ? `${word}#${number}` : word);

function select(root, number, scroll) {
  for (const card of root.querySelectorAll(".card")) {
    const chosen = card.dataset.number === String(number);
    card.toggleAttribute("data-selected", chosen);
    if (chosen && scroll) {
      card.focus({ preventScroll: true });
      const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
      card.scrollIntoView({ block: "start", behavior: calm ? "auto" : "smooth" });
    }
  }
}

export async function showWord(root, { parts: [asked, number], query }, context) {
  const { info, signal, refresh } = context;
  const { model } = query;
  const { has_index: indexed, index_problem: problem } = modelOf(info, model);
  const original = await get(["senses", asked], { neighbours: 12, examples: indexed ? 12 : 5, model }, signal);
  const { word } = original; // what is asked for may be "Bank" or "bank#2"
  const lines = indexed ? await get(["concordance", word], { sort: "text", limit: 1, model }, signal) : null;
  const answer = editsOf(word).length && !model ? await previewed(word, original, signal) : original;
  const editable = info.editable && !model;
  const isEditing = editable && editing();
  const has = (wanted) =>
    [...original.senses, ...answer.senses].some((sense) => numberOf(sense.key) === Number(wanted));
  if (number && !has(number)) await get(["senses", `${word}#${number}`], { model }, signal); // the error says which there are
  const actions = editable
    ? [
        el(
          "button",
          {
            type: "button",
            id: "edit",
            "aria-pressed": String(isEditing),
            title: "Merge and drop senses (e)",
            on: {
              click: () => {
                setEditing(!editing());
                refresh();
              },
            },
          },
          isEditing ? "Done editing" : "Edit senses",
        ),
      ]
    : [];
  const edited = original.senses.map((sense) => sense.key).join() !== answer.senses.map((sense) => sense.key).join();
  root.replaceChildren(
    headword(word, {
      senses: answer.senses,
      occurrences: lines ? [` · ${plural(lines.total, "occurrence")}`, indexedText(info, model)] : null,
      view: "word",
      number,
      export: exportOf(word, answer),
      actions,
    }),
    problem ? indexHint(info, model) : "",
    hasShares(answer.senses) ? shareStrip(word, answer.senses) : "",
    answer.hidden
      ? el(
          "p",
          { class: "note" },
          `${answer.hidden} more with a very small share ${answer.hidden === 1 ? "is" : "are"} not shown.`,
        )
      : "",
    el(
      "div",
      { class: "cards" },
      answer.senses.map((sense) =>
        senseCard(word, sense, {
          indexed: indexed && !edited,
          unsaved: indexed && edited,
          edited,
          editable,
          editing: isEditing && answer.senses.length > 1,
          model,
          refresh,
          signal,
        }),
      ),
    ),
    problem ? "" : indexHint(info, model),
  );
  select(root, number, Boolean(number));
  return {
    title: titleOf(word, number),
    word,
    number,
    senses: answer.senses,
    update(route) {
      if (route.view !== "word" || ![asked, word].includes(route.parts[0]) || route.query.model !== model) return false;
      if (route.parts[1] && !has(route.parts[1])) return false;
      select(root, route.parts[1], true);
      this.number = route.parts[1];
      this.title = titleOf(word, this.number);
      root.querySelector(".tabs").replaceWith(tabs(word, "word", this.number));
      return true;
    },
    numbers: answer.senses.map((sense) => numberOf(sense.key)),
  };
}
