// Starts the page and shows the view that the address names.
import { comparable, exported, get, modelOf } from "./api.js";
import { showCompare } from "./compare.js";
import { el, announce, corpusText, count, plural } from "./dom.js";
import { startEditBar } from "./editbar.js";
import { allEdits } from "./edits.js";
import { startKeyboard } from "./keyboard.js";
import { showLines } from "./lines.js";
import { showMap } from "./map.js";
import { showModels } from "./models.js";
import { showRead } from "./read.js";
import { go, href, parse } from "./router.js";
import { suggestions, wordField } from "./search.js";
import { numberOf, split } from "./senses.js";
import { showStart } from "./start.js";
import { startTheme } from "./theme.js";
import { showWord } from "./word.js";

const OF_A_WORD = { word: showWord, concordance: showLines, map: showMap };
const VIEWS = { ...OF_A_WORD, start: showStart, read: showRead, compare: showCompare, models: showModels };
const WITHOUT_EDITS = new Set(["concordance", "map", "read", "compare", "models"]);
const NEED_SERVER = new Set(["read", "models"]);
const root = document.getElementById("view");
let info = null;
let shown = {};
let controller = new AbortController();
let first = true;

function titleOf({ status, message }) {
  if (status === 404) return "Not found";
  return status === 0 ? "Cannot reach the server" : message;
}

/** Shows an error where the view would be, with words that may have been meant. */
function showError(error, route) {
  const asked = error.word ?? route.parts[0];
  root.replaceChildren(
    el(
      "section",
      { class: "failure" },
      el(
        "h1",
        { tabindex: "-1" },
        error.status === 404 && asked ? corpusText(asked) : "This did not work",
      ),
      el("p", {}, error.message),
      suggestions(error, (word) => href(OF_A_WORD[route.view] ? route.view : "word", [word])),
      el(
        "p",
        {},
        error.status === 404
          ? null
          : [el("button", { type: "button", on: { click: () => show() } }, "Try again"), " "],
        el("a", { href: href("start") }, "Start page"),
      ),
    ),
  );
}

/** Adds a link to the same view of the other model if that has the word. */
async function linkOtherModel(key, { view, query }) {
  const number = Number(query.model ?? 0) === 0 ? 1 : 0;
  const model = info.models[number];
  if (!model || !key || !OF_A_WORD[view]) return;
  const { match } = await get(["complete"], { q: key, n: 1, model: number }, controller.signal);
  if (!match) return;
  const { word } = split(match);
  const address = href(view, word === match ? [word] : [word, numberOf(match)], { model: number || undefined });
  const link = el("a", { href: address }, corpusText(model.name), ` has ${word === match ? "this word" : "this sense"}`);
  root.querySelector(".failure p")?.after(el("p", { class: "other-model" }, link));
}

/** Returns a selector of what takes the place of an element when the view is shown again. */
function selectorOf(element) {
  if (element.id) return `#${CSS.escape(element.id)}`;
  const card = element.closest(".card");
  return card ? `#${card.id}${element.matches(".label") ? " .label" : ""}` : "h1";
}

/** Says in a view of the edited model that it shows the model as it was saved. */
function showUnsaved({ view, query }) {
  const hasEdits = allEdits().length && (view === "models" || !Number(query.model ?? 0));
  if (WITHOUT_EDITS.has(view) && hasEdits)
    root.querySelector(".headword")?.after(el("p", { class: "notice unsaved" }, "Unsaved edits are not shown here."));
}

async function show({ keepScroll = false } = {}) {
  const route = parse(location.hash);
  if (shown.update?.(route)) return finish(route);
  controller.abort();
  controller = new AbortController();
  const { signal } = controller;
  const scroll = keepScroll ? scrollY : 0;
  const focused = keepScroll && root.contains(document.activeElement) ? selectorOf(document.activeElement) : null;
  shown = { word: OF_A_WORD[route.view] ? route.parts[0] : undefined };
  const missing = (OF_A_WORD[route.view] && !route.parts[0]) || (exported && NEED_SERVER.has(route.view));
  const view = missing ? showStart : (VIEWS[route.view] ?? showStart);
  root.setAttribute("aria-busy", "true");
  try {
    const result = await view(root, route, {
      info,
      signal,
      refresh: () => {
        shown = {};
        return show({ keepScroll: true });
      },
    });
    if (signal.aborted) return undefined;
    shown = result;
    showUnsaved(route);
  } catch (error) {
    if (error.name === "AbortError" || signal.aborted) return undefined;
    if (error.status === undefined) console.error(error);
    showError(error, route);
    if (error.status === 404) linkOtherModel(error.word, route).catch(() => {}); // the message says enough
    shown = { ...shown, title: titleOf(error) };
  }
  root.removeAttribute("aria-busy");
  if (keepScroll) scrollTo(0, scroll);
  else if (!shown.number) scrollTo(0, 0);
  if (focused && document.activeElement === document.body)
    (root.querySelector(focused) ?? root.querySelector("h1"))?.focus({ preventScroll: true });
  if (!keepScroll && !first && !root.contains(document.activeElement))
    root.querySelector("h1")?.focus({ preventScroll: true });
  first = false;
  return finish(route);
}

function finish(route) {
  document.title = shown.title === "polyseme" ? "polyseme" : `${shown.title} · polyseme`;
  announce(shown.title ?? "");
  root.dataset.view = route.view;
  for (const link of document.querySelectorAll("#views a")) {
    if (parse(link.getAttribute("href")).view === route.view) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  const input = document.querySelector("#search input");
  if (document.activeElement !== input) input.value = OF_A_WORD[route.view] ? (shown.word ?? route.parts[0] ?? "") : "";
  showFoot(route);
}

function showFoot(route) {
  const model = modelOf(info, route.query.model);
  const chooser =
    info.models.length < 2
      ? corpusText(model.name)
      : el(
          "label",
          {},
          "Model ",
          el(
            "select",
            {
              id: "model",
              on: {
                change: (event) => {
                  go(
                    href(route.view, route.parts, {
                      ...route.query,
                      model: event.target.value === "0" ? undefined : event.target.value,
                    }),
                  );
                },
              },
            },
            info.models.map((one, index) => el("option", { value: String(index), selected: one === model }, one.name)),
          ),
        );
  document
    .getElementById("foot")
    .replaceChildren(
      el(
        "span",
        {},
        chooser,
        ` · ${plural(model.words, "word")} · ${plural(model.senses, "sense")} · ${model.dim} dimensions`,
      ),
      el("span", {}, `polyseme ${info.version}`),
    );
}

function startHeader() {
  const { field, input } = wordField({
    label: "Search a word",
    placeholder: "Search a word",
    hint: el("kbd", { "aria-hidden": "true" }, "/"),
    choose(word) {
      const { view } = parse(location.hash);
      input.blur();
      go(href(view === "map" || view === "concordance" || view === "models" ? view : "word", [word]));
    },
  });
  const form = document.getElementById("search");
  form.append(field);
  form.addEventListener("submit", (event) => event.preventDefault());
  const links = exported ? [] : [["read", "Read"]];
  if (comparable) links.push(["compare", "Compare"]);
  if (info.models.length > 1) links.push(["models", "Models"]);
  document.getElementById("views").append(...links.map(([view, name]) => el("a", { href: `#/${view}` }, name)));
  document.getElementById("skip").addEventListener("click", (event) => {
    event.preventDefault();
    root.focus();
  });
}

/** Says that a model was saved, and how to open it. */
function showSaved({ detail }) {
  const note = el(
    "p",
    { class: "notice saved", role: "status" },
    "Saved. To open it: ",
    el("code", {}, detail),
  );
  root.before(note);
  addEventListener("hashchange", () => note.remove(), { once: true });
}

async function start() {
  startTheme();
  root.append(el("p", { class: "busy" }));
  try {
    info = await get(["info"]);
  } catch (error) {
    root.replaceChildren(
      el("section", { class: "failure" }, el("h1", {}, "This did not work"), el("p", {}, error.message)),
    );
    return;
  }
  startHeader();
  const refresh = () => {
    shown = {};
    return show({ keepScroll: true });
  };
  startEditBar(info, refresh);
  startKeyboard(() => shown, refresh);
  document.addEventListener("saved", showSaved);
  document.addEventListener("click", (event) => {
    for (const menu of document.querySelectorAll("details.menu[open]"))
      if (!menu.contains(event.target)) menu.removeAttribute("open");
  });
  addEventListener("hashchange", () => show());
  await show();
  document.documentElement.dataset.ready = String(count(info.models.length));
}

start();
