// An input that completes words: a combobox with a list, as the WAI-ARIA practices describe it.
import { exported, get } from "./api.js";
import { el, corpusText, count, debounce, plural } from "./dom.js";
import { parse } from "./router.js";

let created = 0;

/** Returns links to the words that may have been meant by one that is not known; `address` gives that of each. */
export function suggestions({ closest }, address) {
  if (!closest?.length) return null;
  return [
    el("p", { class: "note" }, exported ? "Words on this page" : "Did you mean"),
    el(
      "ul",
      { class: "examples" },
      closest.map((word) => el("li", {}, el("a", { href: address(word) }, corpusText(word)))),
    ),
  ];
}

/** Returns the field. `choose` is called with a word: one of the list, or what was typed. */
export function wordField({ label, placeholder = "", value = "", choose, hint = null }) {
  const id = `words-${++created}`;
  const list = el("ul", { id, role: "listbox", class: "options", "aria-label": "Words", hidden: true });
  const input = el("input", {
    type: "search",
    role: "combobox",
    "aria-label": label,
    "aria-controls": id,
    "aria-expanded": "false",
    "aria-autocomplete": "list",
    autocomplete: "off",
    autocapitalize: "off",
    spellcheck: "false",
    dir: "auto",
    placeholder,
    value,
    enterkeyhint: "search",
  });
  const field = el("div", { class: "field" }, input, hint, list);
  let active = -1;
  let request = null;

  const options = () => [...list.querySelectorAll('[role="option"]')];

  function close() {
    request?.abort();
    list.hidden = true;
    active = -1;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  }

  function pick(word) {
    close();
    input.value = word;
    choose(word);
  }

  function move(step) {
    const all = options();
    if (!all.length) return;
    active = (active + step + all.length + (active < 0 && step < 0 ? 1 : 0)) % all.length;
    all.forEach((option, index) => option.setAttribute("aria-selected", String(index === active)));
    all[active].scrollIntoView({ block: "nearest" });
    input.setAttribute("aria-activedescendant", all[active].id);
  }

  function option(word, index, note) {
    return el(
      "li",
      {
        role: "option",
        id: `${id}-${index}`,
        "aria-selected": "false",
        data: { word },
        on: { pointerdown: (event) => event.preventDefault(), click: () => pick(word) },
      },
      corpusText(word),
      el("span", { class: "note" }, note),
    );
  }

  function fill({ words, closest }) {
    const items = words.map(({ word, count: n, senses }, index) =>
      option(word, index, [senses > 1 ? plural(senses, "sense") : "", n ? count(n) : ""].filter(Boolean).join(" · ")),
    );
    if (!items.length) {
      items.push(
        el(
          "li",
          { class: "note", role: "presentation" },
          exported ? "Words on this page" : closest.length ? "No such word. Did you mean" : "No such word",
        ),
      );
      items.push(...closest.map((word, index) => option(word, index, "")));
    }
    list.replaceChildren(...items);
    list.hidden = false;
    active = -1;
    input.setAttribute("aria-expanded", "true");
  }

  const complete = debounce(async () => {
    const typed = input.value.trim();
    request?.abort();
    if (!typed || document.activeElement !== input) return close();
    request = new AbortController();
    try {
      fill(await get(["complete"], { q: typed, n: 12, model: parse(location.hash).query.model }, request.signal));
    } catch (error) {
      if (error.name !== "AbortError") close();
    }
    return undefined;
  }, 60);

  /** Picks what was typed or, if it is not a word, the word that differs from it only in case and accents. */
  async function pickTyped() {
    const typed = input.value.trim();
    if (!typed) return;
    const query = { q: typed, n: 1, model: parse(location.hash).query.model };
    const { match } = await get(["complete"], query).catch(() => ({})); // the view says what is wrong
    if (input.value.trim() === typed) pick(match ?? typed);
  }

  input.addEventListener("input", complete);
  input.addEventListener("blur", close);
  input.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (list.hidden) complete();
      else move(event.key === "ArrowDown" ? 1 : -1);
    } else if (event.key === "Escape") {
      if (list.hidden) input.blur();
      else close();
      event.preventDefault();
    } else if (event.key === "Enter") {
      event.preventDefault();
      const word = options()[active]?.dataset.word;
      if (word) pick(word);
      else pickTyped();
    }
  });
  return { field, input };
}
