// The senses of a word in two models, matched by their neighbours: #/models/bank
import { get } from "./api.js";
import { el, corpusText, percent } from "./dom.js";
import { exportMenu, savedSenses } from "./exports.js";
import { modelsFigure } from "./figures.js";
import { pageTitle } from "./headword.js";
import { go, href } from "./router.js";
import { wordField } from "./search.js";
import { badge, neighbourList, numberOf, shareBar, split } from "./senses.js";

function half(answer, key, model, shared) {
  const sense = answer?.senses.find((one) => one.key === key);
  const missing = answer ? "No matching sense" : "This model does not have the word";
  if (!sense) return el("div", { class: "half none" }, el("p", { class: "note" }, missing));
  const { word } = split(key);
  return el(
    "div",
    { class: "half" },
    el(
      "header",
      {},
      badge(key),
      el(
        "h3",
        {},
        el("a", { href: href("word", word === key ? [word] : [word, numberOf(key)], { model }) }, corpusText(key)),
      ),
      sense.label ? el("span", { class: "label" }, corpusText(sense.label)) : null,
    ),
    typeof sense.share === "number" ? shareBar(key, sense.share) : null,
    neighbourList(sense.neighbours, `Neighbours of ${key}`, shared, { model }),
  );
}

export async function showModels(root, { parts: [word] }, { info, signal }) {
  const { field, input } = wordField({
    label: "Word to compare",
    placeholder: "A word",
    value: word ?? "",
    choose: (chosen) => go(href("models", [chosen], { model: undefined })),
  });
  const names = info.models.map((model) => model.name);
  const header = (menu) =>
    pageTitle(
      "Compare two models",
      "The senses of a word in both, matched by their neighbours; shared neighbours are marked.",
      menu,
    );
  if (names.length < 2) {
    root.replaceChildren(
      header(null),
      el(
        "p",
        { class: "notice" },
        "One model is open. To compare two, start the page with both: ",
        el("code", {}, info.models[0].how_to_index.replace(/--corpus TEXT$/, "MODEL2")),
      ),
    );
    return { title: "Compare models" };
  }
  const chooser = el("div", { class: "choose-two" }, field);
  if (!word) {
    root.replaceChildren(header(null), chooser);
    input.focus();
    return { title: "Compare models" };
  }
  root.replaceChildren(header(null), chooser, el("p", { class: "busy" }));
  const answer = await get(["compare", "models"], { word }, signal);
  const share = (side, key) => side?.senses.find((one) => one.key === key)?.share;
  const menu = exportMenu({
    name: `${word} models`,
    json: { ...answer, first: savedSenses(answer.first), second: savedSenses(answer.second) },
    figure: () => modelsFigure(word, names, answer),
    table: {
      columns: ["first", "first_share", "second", "second_share", "overlap", "shared"],
      rows: answer.matches.map((one) => [
        one.first,
        share(answer.first, one.first),
        one.second,
        share(answer.second, one.second),
        one.overlap,
        one.shared.join(" "),
      ]),
    },
  });
  root.replaceChildren(
    header(menu),
    chooser,
    el(
      "div",
      { class: "model-names" },
      names.map((name) => el("h2", {}, corpusText(name))),
    ),
    el(
      "div",
      { class: "matches" },
      answer.matches.map((match) => {
        const shared = new Set(match.shared);
        return el(
          "article",
          { class: "match", "aria-label": `${match.first ?? "nothing"} and ${match.second ?? "nothing"}` },
          half(answer.first, match.first, undefined, shared),
          el(
            "p",
            { class: "overlap" },
            match.first && match.second
              ? [el("strong", {}, percent(match.overlap)), el("span", { class: "note" }, "overlap")]
              : "—",
          ),
          half(answer.second, match.second, 1, shared),
          match.shared.length
            ? el(
                "p",
                { class: "shared-words note" },
                "Shared: ",
                match.shared.map((one, index) => [index ? ", " : "", corpusText(one)]),
              )
            : null,
        );
      }),
    ),
  );
  return { title: `${word} in two models` };
}
