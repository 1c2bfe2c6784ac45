// Keyword in context: lines that are aligned at the keyword and sorted by what is left or right of it.
import { exported, get } from "./api.js";
import { el, corpusText, direction } from "./dom.js";
import { href } from "./router.js";
import { badge, colourClass } from "./senses.js";

/** The names of the orders; what comes before a word is at its right in a text such as Arabic. */
export function sortNames(word) {
  const [left, right] = direction(word) === "rtl" ? ["By word before", "By word after"] : ["By left word", "By right word"];
  return { best: "Best first", left, right, text: "In text order" };
}

const words = (text) => text.trim().split(/\s+/u);
const compare = new Intl.Collator(undefined, { sensitivity: "base" }).compare;

/** Returns the lines sorted here, as the server sorts them: by the words next to the keyword, going outwards; lines without any come last. */
export function sorted(lines, sort) {
  const contexts = {
    left: (line) => words(line.left).reverse().join(" "),
    right: (line) => words(line.right).join(" "),
  };
  if (sort === "text") return lines.toSorted((a, b) => (a.sentence ?? 0) - (b.sentence ?? 0));
  if (!contexts[sort]) return lines;
  const bare = (line) => contexts[sort](line).replace(/^[^\p{L}\p{N}]+/u, "");
  return lines
    .map((line) => [bare(line), line])
    .sort(([a], [b]) => (a && b ? compare(a, b) : (a ? 0 : 1) - (b ? 0 : 1)))
    .map(([, line]) => line);
}

/** Asks for lines: {total, lines}. An exported page sorts what it has. */
export async function fetchLines(key, { sort = "best", near, offset = 0, limit = 50, model }, signal) {
  const answer = await get(["concordance", key], { sort, near, offset, limit, model }, signal);
  if (!exported) return answer;
  return {
    ...answer,
    sort,
    offset,
    total: answer.lines.length,
    sampled: answer.total > answer.lines.length,
    lines: sorted(answer.lines, sort).slice(offset, offset + limit),
  };
}

export const MAX_SAVED = 10_000; // lines
const PIECE = 500; // lines of one answer

/** Asks for the lines of all pages, at most MAX_SAVED. */
export async function fetchAllLines(key, query, signal) {
  const all = await fetchLines(key, { ...query, offset: 0, limit: PIECE }, signal);
  const wanted = Math.min(all.total, MAX_SAVED);
  while (all.lines.length < wanted) {
    const { lines } = await fetchLines(key, { ...query, offset: all.lines.length, limit: PIECE }, signal);
    if (!lines.length) break;
    all.lines.push(...lines);
  }
  return { ...all, lines: all.lines.slice(0, wanted) };
}

const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/** Returns a text in which a word is marked. */
function marked(text, word) {
  if (!word) return [text];
  const written = word.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&").replaceAll("_", "[ _]"); // a phrase is one word, joined by _
  const [before, after] = UNSPACED.test(word) ? ["", ""] : ["(?<![\\p{L}\\p{M}\\p{N}])", "(?![\\p{L}\\p{M}\\p{N}])"];
  return text
    .split(new RegExp(`${before}(${written})${after}`, "iu"))
    .map((part, index) => (index % 2 ? el("mark", {}, part) : part));
}

function line({ left, word, right, key, source }, own, columns, near) {
  const full = el(
    "tr",
    { class: "full", hidden: true },
    el(
      "td",
      { colspan: String(columns) },
      corpusText([left, el("mark", {}, word), right], "p"),
      source ? el("p", { class: "note" }, corpusText(source)) : null,
    ),
  );
  const keyword = el(
    "button",
    { type: "button", class: "keyword", "aria-expanded": "false", title: "Show the whole line", on: { click: toggle } },
    corpusText(word),
  );
  const row = el(
    "tr",
    { class: colourClass(key ?? own), data: { key: key ?? own } },
    columns === 4 ? el("td", { class: "which" }, badge(key), el("span", { class: "visually-hidden" }, key)) : null,
    el("td", { class: "left" }, el("div", {}, el("bdi", { lang: "" }, marked(left, near)))),
    el("td", { class: "node" }, keyword),
    el("td", { class: "right" }, el("div", {}, el("bdi", { lang: "" }, marked(right, near)))),
  );
  function toggle() {
    full.hidden = !full.hidden;
    keyword.setAttribute("aria-expanded", String(!full.hidden));
  }
  return [row, full];
}

/** Returns a table of lines. `onSort` gets a sort order when the head of a column is used. */
export function concordanceTable(lines, { key, sort, onSort, caption, near }) {
  const names = sortNames(key);
  const columns = lines.some((item) => item.key) ? 4 : 3;
  const dir = direction(lines[0]?.word ?? key);
  const [before, after] = dir === "rtl" ? ["before", "after"] : ["left", "right"];
  const head = (name, order, style) => {
    const next = sort === order ? "best" : order;
    const button = el(
      "button",
      { type: "button", data: { sort: next }, title: names[next], on: { click: () => onSort(next) } },
      name,
      el("span", { "aria-hidden": "true", class: "arrow" }, sort === order ? " ▾" : " ↕"),
    );
    return el("th", { scope: "col", class: style, "aria-sort": sort === order ? "ascending" : "none" }, button);
  };
  return el(
    "table",
    { class: "kwic", dir },
    el("caption", { class: "visually-hidden" }, caption),
    el(
      "thead",
      {},
      el(
        "tr",
        {},
        columns === 4
          ? el("th", { scope: "col", class: "which" }, el("span", { class: "visually-hidden" }, "Sense"))
          : null,
        head(before, "left", "left"),
        el("th", { scope: "col", class: "node" }, el("span", { class: "visually-hidden" }, "Keyword")),
        head(after, "right", "right"),
      ),
    ),
    el(
      "tbody",
      {},
      lines.map((item) => line(item, key, columns, near)),
    ),
  );
}

/** Returns the lines of one sense for its card: sorted on demand, with a link to all unless there are unsaved edits. */
export function cardConcordance(sense, { indexed, edited, word, number, model, signal }) {
  const box = el("div", { class: "lines" });
  let latest = null; // the order that was chosen last: answers to others are ignored
  async function show(sort) {
    latest = sort;
    let lines = sorted(sense.examples, sort);
    try {
      if (indexed && sort !== "best") lines = (await fetchLines(sense.key, { sort, limit: 12, model }, signal)).lines;
    } catch (error) {
      box.querySelector("[role=alert]")?.remove();
      if (latest === sort && error.name !== "AbortError")
        box.append(el("p", { class: "note", role: "alert" }, error.message));
      return;
    }
    if (latest !== sort) return;
    const focused = box.contains(document.activeElement) ? document.activeElement.closest("th")?.className : null;
    box.replaceChildren(
      lines.length
        ? concordanceTable(lines, { key: sense.key, sort, onSort: show, caption: `Examples of ${sense.key}` })
        : el("p", { class: "note" }, "This model keeps no examples of this sense."),
      lines.length && !edited
        ? el(
            "p",
            { class: "more" },
            el(
              "a",
              { href: href("concordance", number ? [word, number] : [word]) },
              indexed ? "All lines" : "All stored lines",
            ),
          )
        : "",
    );
    if (focused) box.querySelector(`th.${focused} button`)?.focus();
  }
  show("best");
  return box;
}
