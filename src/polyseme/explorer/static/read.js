// A text with its senses: ambiguous words are coloured, uncertain ones grey. #/read?text=...
import { get, modelOf, post } from "./api.js";
import { el, corpusText, count, percent, plural } from "./dom.js";
import { exportMenu } from "./exports.js";
import { textFigure } from "./figures.js";
import { pageTitle } from "./headword.js";
import { probabilityBox } from "./probabilities.js";
import { go, href } from "./router.js";
import { colourClass, numberOf, senseHref } from "./senses.js";

const CERTAIN = 0.6; // probability of the best sense
const IN_ADDRESS = 8000; // characters; longer texts stay in the session

const LONG = 24; // characters of a word or phrase that may be broken at the end of a line
const probability = (token) => token.probabilities?.[token.key] ?? 1;
export const isCertain = (token) => probability(token) >= CERTAIN;

const long = new Map(); // texts that are too long for an address, by name; sessionStorage keeps them for a reload

/** Returns the address of a text. The address of a long text holds a name for it, which this tab knows. */
function addressOf(text) {
  if (text.length <= IN_ADDRESS) return href("read", [], { text });
  const name = `text-${text.length}-${Date.now().toString(36)}`;
  long.set(name, text);
  try {
    sessionStorage.setItem(`polyseme-${name}`, text);
  } catch {
    // not kept for a reload
  }
  return href("read", [], { kept: name });
}

function textOf({ text, kept }) {
  if (text || !kept) return text ?? "";
  try {
    return long.get(kept) ?? sessionStorage.getItem(`polyseme-${kept}`) ?? "";
  } catch {
    return "";
  }
}

/** Example sentences of the model itself, so that every language has a text to try. */
async function sample(examples, model, signal) {
  const answers = await Promise.all(
    examples
      .slice(0, 4)
      .map((word) =>
        get(["senses", word], { neighbours: 1, examples: 2, model }, signal).catch(() => ({ senses: [] })),
      ),
  );
  const texts = answers.flatMap(({ senses }) => senses.slice(0, 2).map((sense) => sense.examples[0])).filter(Boolean);
  return texts.map(({ left, word, right, text }) => text ?? left + word + right).join("\n\n");
}

function tokenLink(token, tooltip) {
  const certain = isCertain(token);
  const label = `${token.text}, sense ${numberOf(token.key)}, ${certain ? "" : "uncertain, "}${percent(probability(token))}`;
  const link = el(
    "a",
    {
      href: senseHref(token.key),
      class: `token ${certain ? colourClass(token.key) : "uncertain"}${token.text.length > LONG ? " long" : ""}`,
      "aria-label": label,
      data: { key: token.key, number: String(numberOf(token.key)) },
    },
    token.text,
  );
  const on = (event, action) => link.addEventListener(event, action);
  const show = () => tooltip.show(token, link);
  // A finger cannot hover: the first tap shows the probabilities, the second one follows the link.
  let tapped = false;
  on("pointerenter", (event) => event.pointerType !== "touch" && show());
  on("pointerleave", (event) => event.pointerType !== "touch" && tooltip.leave());
  on("focus", show);
  on("blur", () => {
    tapped = false;
    tooltip.leave();
  });
  on("click", (event) => {
    if (event.pointerType !== "touch" || tapped) return;
    event.preventDefault();
    tapped = true;
    link.focus();
    show();
  });
  return link;
}

/** Returns the text in paragraphs: every line has a direction of its own. */
function paragraphs(tokens, tooltip) {
  const lines = [[]];
  for (const token of tokens) {
    if (token.key) lines.at(-1).push(tokenLink(token, tooltip));
    else
      token.text.split("\n").forEach((part, index) => {
        if (index) lines.push([]);
        if (part) lines.at(-1).push(part);
      });
  }
  return lines.filter((line) => line.length).map((line) => corpusText(line, "p"));
}

function summary(ambiguous) {
  const uncertain = ambiguous.filter((token) => !isCertain(token)).length;
  if (ambiguous.length) return `${plural(ambiguous.length, "ambiguous word")}, ${count(uncertain)} uncertain`;
  return "No word of this text has several senses in this model.";
}

function legend() {
  return el(
    "p",
    { class: "reading-key", "aria-hidden": "true" },
    [1, 2, 3, 4].map((n) => el("span", { class: `token s${n}`, data: { number: String(n) } }, "sense")),
    el("span", { class: "token uncertain" }, "uncertain"),
  );
}

function result(tokens, model, signal) {
  const ambiguous = tokens.filter((token) => token.key);
  const tooltip = probabilityBox(model, signal);
  return el(
    "section",
    { class: "reading", "aria-label": "The text with senses" },
    el(
      "header",
      {},
      el("p", { class: "note" }, summary(ambiguous)),
      ambiguous.length ? legend() : null,
      exportMenu({
        name: "text senses",
        json: { tokens },
        figure: () => textFigure(tokens, isCertain),
        table: {
          columns: ["word", "key", "probability"],
          rows: ambiguous.map((token) => [token.text, token.key, probability(token)]),
        },
      }),
    ),
    el("div", { class: "text" }, paragraphs(tokens, tooltip)),
    tooltip.box,
  );
}

export async function showRead(root, { query }, { info, signal }) {
  const { model } = query;
  const { examples } = modelOf(info, model);
  const text = textOf(query);
  const limit = info.limits?.text_bytes;
  const area = el("textarea", {
    id: "text",
    rows: text ? "4" : "9",
    dir: "auto",
    lang: "",
    spellcheck: "false",
    placeholder: "Paste any text",
  });
  area.value = text;
  const message = el("p", { class: "message", role: "alert" });
  const submit = () => {
    const size = new Blob([area.value]).size;
    if (limit && size > limit)
      message.textContent = `The text has ${count(size)} bytes, and ${count(limit)} are allowed. Shorten it, or use: polyseme tag MODEL FILE`;
    else if (area.value.trim()) go(addressOf(area.value));
  };
  area.addEventListener("keydown", (event) => event.key === "Enter" && (event.ctrlKey || event.metaKey) && submit());
  const form = el(
    "form",
    {
      class: "read-form",
      on: {
        submit: (event) => {
          event.preventDefault();
          submit();
        },
      },
    },
    el("label", { for: "text", class: "visually-hidden" }, "Text"),
    area,
    message,
    el(
      "p",
      { class: "buttons" },
      el("button", { type: "submit", class: "primary" }, "Colour the senses"),
      examples.length
        ? el(
            "button",
            {
              type: "button",
              on: {
                click: async () => {
                  area.value = await sample(examples, model, signal);
                  submit();
                },
              },
            },
            "Try sentences of the corpus",
          )
        : null,
    ),
  );
  const place = el("div", { class: text ? "busy" : null });
  root.replaceChildren(
    pageTitle(
      "Read a text",
      "Words with several senses are coloured by the sense they have here. Hover, focus or tap for probabilities; a click or a second tap leads to the sense.",
    ),
    form,
    place,
  );
  if (!text) area.focus();
  else {
    const { tokens } = await post(model ? `tag?model=${encodeURIComponent(model)}` : "tag", { text }, signal);
    place.classList.remove("busy");
    place.replaceChildren(result(tokens, model, signal));
  }
  return { title: "Read a text" };
}
