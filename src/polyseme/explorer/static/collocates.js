// The collocates of a sense: how strong they are, and how often they stand on each side of it.
import { exported, get } from "./api.js";
import { el, count, decimal, direction, plural } from "./dom.js";
import { href } from "./router.js";
import { senseLink, split } from "./senses.js";

const SHOWN = 8; // the others are shown on demand

const sides = (tag, props, left, middle, right) =>
  el(tag, { class: "sides", ...props }, el("span", {}, left), middle, el("span", {}, right));

/** Returns the numbers on both sides with a bar between them, as a link to the lines. */
function countsOf({ word, left, right }, key) {
  const fill = el("span", { class: "fill" });
  fill.style.inlineSize = `${(left / Math.max(1, left + right)) * 100}%`;
  const bar = el("span", { class: "track", "aria-hidden": "true" }, fill);
  if (exported) return sides("span", {}, count(left), bar, count(right));
  const { word: own, number } = split(key);
  const lines = href("concordance", own === key ? [own] : [own, number], { near: word });
  const spoken = (text) => el("span", { class: "visually-hidden" }, text);
  return sides(
    "a",
    { href: lines, title: `Lines with ${word}` },
    [spoken(`Lines with ${word}: `), count(left), spoken(" before,")],
    bar,
    [count(right), spoken(" after")],
  );
}

function table(collocates, key) {
  const [before, after] = direction(key) === "rtl" ? ["before", "after"] : ["left", "right"];
  return el(
    "table",
    { class: "collocates" },
    el("caption", { class: "visually-hidden" }, `Collocates of ${key}`),
    el(
      "thead",
      {},
      el(
        "tr",
        {},
        el("th", { scope: "col" }, el("span", { class: "visually-hidden" }, "Word")),
        el("th", { scope: "col", title: "14 is the maximum; one less is half as strong" }, "logDice"),
        el("th", { scope: "col" }, sides("span", {}, before, el("span"), after)),
      ),
    ),
    el(
      "tbody",
      {},
      collocates.map((one) =>
        el(
          "tr",
          {},
          el("th", { scope: "row" }, senseLink(one.word)),
          el("td", { class: "figure" }, decimal(one.log_dice)),
          el("td", { class: "figure" }, countsOf(one, key)),
        ),
      ),
    ),
  );
}

/** Returns a place that the collocates fill. `counted` is called with the number of occurrences of the sense. */
export function collocates(sense, { model, signal }, counted) {
  const box = el("div", { class: "busy" });
  get(["collocates", sense.key], { n: 16, model }, signal).then(
    ({ collocates: all, occurrences }) => {
      counted(occurrences);
      Object.assign(sense, { occurrences, collocates: all }); // for the export
      box.classList.remove("busy");
      const more = el(
        "button",
        { type: "button", class: "quiet", on: { click: () => box.replaceChildren(table(all, sense.key)) } },
        `${all.length - SHOWN} more`,
      );
      box.replaceChildren(
        all.length
          ? table(all.slice(0, SHOWN), sense.key)
          : el("p", { class: "note" }, `None in ${plural(occurrences, "occurrence")}.`),
        all.length > SHOWN ? more : "",
      );
    },
    (error) => {
      box.classList.remove("busy");
      if (error.name !== "AbortError") box.replaceChildren(el("p", { class: "note" }, error.message));
    },
  );
  return box;
}
