// Builds elements. Words, labels and corpus text become text nodes, never markup.

/** Returns a new element. `props` are attributes, except `on` (listeners) and `data` (data-* attributes). */
export function el(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "on") for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    else if (name === "data") Object.assign(element.dataset, value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(3).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** Returns text of the corpus, isolated from the direction and the language of the page. */
export function corpusText(text, tag = "bdi", props = {}) {
  return el(tag, { lang: "", dir: "auto", ...props }, text);
}

/** The direction of a word: corpora in Arabic, Hebrew, Syriac, Thaana and N'Ko run from right to left. */
export function direction(text) {
  return /^[^\p{L}]*[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u.test(text)
    ? "rtl"
    : "ltr";
}

/** Returns a place in which a wide table can be scrolled, also by keyboard. */
export function scrollable(label, table) {
  return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label }, table);
}

/** Tells screen readers what happened. */
export function announce(message) {
  document.getElementById("status").textContent = message;
}

/** Returns `action`, delayed until there was no call for `ms` milliseconds. */
export function debounce(action, ms) {
  let timer = 0;
  return (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => action(...values), ms);
  };
}

const integers = new Intl.NumberFormat("en");
export const count = (n) => integers.format(n);
export const percent = (share) => (share > 0 && share < 0.01 ? "<1%" : `${Math.round(share * 100)}%`);
export const decimal = (x) => x?.toFixed(2) ?? "–"; // numbers that are not finite arrive as null
export const plural = (n, one, many = `${one}s`) => `${count(n)} ${n === 1 ? one : many}`;
