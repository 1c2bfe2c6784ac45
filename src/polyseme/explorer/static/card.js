// The card of a sense: key, label, share, neighbours, collocates and examples.
import { collocates } from "./collocates.js";
import { cardConcordance } from "./concordance.js";
import { el, corpusText, plural } from "./dom.js";
import { addEdit, merges, toggleMerge } from "./edits.js";
import { badge, neighbourList, numberOf, shareBar, split } from "./senses.js";

/** Returns the label, which becomes an input when it is used. */
function labelEditor(sense, { editable, refresh }) {
  if (!editable) return sense.label ? el("span", { class: "label" }, corpusText(sense.label)) : null;
  const button = el(
    "button",
    {
      type: "button",
      class: sense.label ? "label" : "label unset",
      "aria-label": sense.label ? `Label: ${sense.label}. Change` : `Add a label to ${sense.key}`,
      on: { click: open },
    },
    sense.label ? corpusText(sense.label) : "add a label",
  );
  function open() {
    const input = el("input", {
      class: "label",
      value: sense.label ?? "",
      maxlength: "200",
      "aria-label": `Label of ${sense.key}`,
      dir: "auto",
      placeholder: "a word or two",
    });
    let done = false;
    const close = (keep) => {
      if (done) return;
      done = true;
      const label = input.value.trim();
      if (keep && label !== (sense.label ?? "")) {
        addEdit({ label: { key: sense.key, label } });
        refresh();
      } else {
        input.replaceWith(button);
        button.focus();
      }
    };
    input.addEventListener("keydown", (event) => {
      if (event.key === "Enter") close(true);
      if (event.key === "Escape") close(false);
    });
    input.addEventListener("blur", () => close(true));
    button.replaceWith(input);
    input.focus();
    input.select();
  }
  return button;
}

function editTools(sense, { refresh }) {
  return el(
    "div",
    { class: "edit-tools" },
    el(
      "label",
      {},
      el("input", {
        type: "checkbox",
        data: { merge: sense.key },
        checked: merges().includes(sense.key),
        on: { change: (event) => toggleMerge(sense.key, event.target.checked) },
      }),
      " Merge",
    ),
    el(
      "button",
      {
        type: "button",
        data: { drop: sense.key },
        on: {
          click: () => {
            addEdit({ drop: sense.key });
            refresh();
          },
        },
      },
      "Drop",
    ),
  );
}

/** Returns the card. Collocates load by themselves if there is an index. */
export function senseCard(word, sense, options) {
  const number = split(sense.key).word === sense.key ? null : numberOf(sense.key);
  const id = `sense-${number ?? 1}`;
  const total = el("span", { class: "note total" });
  const counted = (n) => {
    total.textContent = plural(n, "occurrence");
  };
  return el(
    "article",
    {
      class: "card",
      id,
      tabindex: "-1",
      "aria-labelledby": `${id}-title`,
      data: { number: String(numberOf(sense.key)), key: sense.key },
    },
    el(
      "header",
      {},
      badge(sense.key),
      el("h2", { id: `${id}-title` }, corpusText(sense.key)),
      labelEditor(sense, options),
      options.editing ? editTools(sense, options) : null,
      sense.share === null || sense.share === undefined
        ? null
        : el("div", { class: "amount" }, shareBar(sense.key, sense.share), options.indexed ? total : null),
    ),
    el(
      "div",
      { class: "columns" },
      el(
        "section",
        {},
        el("h3", {}, "Neighbours"),
        neighbourList(sense.neighbours, `Neighbours of ${sense.key}`),
        options.indexed ? [el("h3", {}, "Collocates"), collocates(sense, options, counted)] : null,
        options.unsaved
          ? el("p", { class: "note" }, "Collocates and occurrences are shown when the edited model is saved and indexed.")
          : null,
      ),
      el("section", {}, el("h3", {}, "Examples"), cardConcordance(sense, { ...options, word, number })),
    ),
  );
}
