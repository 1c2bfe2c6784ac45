// The neighbours of all senses of a word in two dimensions: #/map/bank?at=x,y,zoom
import { get, isShown } from "./api.js";
import { el, corpusText, debounce, decimal, percent, scrollable } from "./dom.js";
import { headword } from "./headword.js";
import { MapCanvas } from "./mapcanvas.js";
import { go, href, replace } from "./router.js";
import { badge, glossOf, numberOf, senseHref, senseLink, split } from "./senses.js";

function tableOf(data) {
  return {
    columns: ["key", "sense", "similarity", "x", "y"],
    rows: [
      ...data.senses.map((one) => [one.key, one.key, 1, one.x, one.y]),
      ...data.points.map((one) => [one.key, one.sense, one.similarity, one.x, one.y]),
    ],
  };
}

function pointTable(data) {
  return el(
    "details",
    { class: "as-table" },
    el("summary", {}, "Show as a table"),
    scrollable(
      "Points of the map",
      el(
        "table",
        { class: "plain" },
        el("caption", { class: "visually-hidden" }, `Points of the map of ${data.word}`),
        el(
          "thead",
          {},
          el(
            "tr",
            {},
            ["Neighbour", "Nearest sense", "Similarity", "x", "y"].map((name) => el("th", { scope: "col" }, name)),
          ),
        ),
        el(
          "tbody",
          {},
          data.points
            .toSorted((a, b) => numberOf(a.sense) - numberOf(b.sense) || b.similarity - a.similarity)
            .map((point) =>
              el(
                "tr",
                {},
                el("th", { scope: "row" }, senseLink(point.key)),
                el("td", {}, badge(point.sense), " ", corpusText(point.sense)),
                [point.similarity, point.x, point.y].map((value) => el("td", { class: "figure" }, decimal(value))),
              ),
            ),
        ),
      ),
    ),
  );
}

function startView(at) {
  const [x, y, zoom] = (at ?? "").split(",").map(Number);
  return [x, y, zoom].every(Number.isFinite) && zoom > 0 ? { x, y, zoom: Math.min(zoom, 40) } : undefined;
}

export async function showMap(root, { parts: [asked], query }, { signal }) {
  const { model } = query;
  const [data, { word, senses }] = await Promise.all([
    get(["map", asked], { n: 16, model }, signal),
    get(["senses", asked], { neighbours: 12, examples: 5, model }, signal),
  ]);
  const canvas = el("canvas", {
    tabindex: "0",
    role: "application",
    "aria-label": `Map of the neighbours of ${word}. Arrow keys move, plus and minus zoom, 0 fits. A table follows.`,
  });
  const tip = el("p", { class: "tip", hidden: true });
  const remember = debounce(({ x, y, zoom }) => {
    if (!signal.aborted) replace(href("map", [word], { at: [x.toFixed(3), y.toFixed(3), zoom.toFixed(2)].join(",") }));
  }, 200);
  const map = new MapCanvas(canvas, data, {
    moved: remember,
    open: (point) => isShown(split(point.key).word) && go(senseHref(point.key)),
    hovered(point, x, y) {
      tip.hidden = !point;
      if (!point) return;
      tip.replaceChildren(
        badge(point.sense ?? point.key),
        " ",
        corpusText(point.key),
        point.similarity ? ` ${decimal(point.similarity)}` : "",
      );
      tip.style.translate = `${Math.min(x + 14, canvas.clientWidth - 160)}px ${y + 14}px`;
    },
  });
  const control = (name, text, action) =>
    el("button", { type: "button", class: "icon", "aria-label": name, title: name, on: { click: action } }, text);
  const legend = el(
    "ul",
    { class: "legend", "aria-label": "Senses" },
    senses.map((sense) =>
      el(
        "li",
        {},
        el(
          "button",
          {
            type: "button",
            "aria-pressed": "true",
            on: {
              click: (event) => {
                const shown = event.currentTarget.getAttribute("aria-pressed") !== "true";
                event.currentTarget.setAttribute("aria-pressed", String(shown));
                map.showSense(sense.key, shown);
              },
            },
          },
          badge(sense.key),
          " ",
          corpusText(glossOf(sense, senses)),
        ),
      ),
    ),
  );
  root.replaceChildren(
    headword(word, {
      senses,
      view: "map",
      note: `${data.points.length} neighbours. Two dimensions show ${percent(data.explained)} of the variance.`,
      export: { name: `${word} map`, json: data, table: tableOf(data), figure: () => map.figure() },
    }),
    el(
      "div",
      { class: "map" },
      canvas,
      tip,
      el(
        "div",
        { class: "map-controls" },
        control("Zoom in", "+", () => map.zoomBy(1.4)),
        control("Zoom out", "−", () => map.zoomBy(1 / 1.4)),
        control("Fit", "⤢", () => map.fit()),
      ),
    ),
    legend,
    pointTable(data),
  );
  map.start(startView(query.at), signal);
  return { title: `${word}, map`, word, senses };
}
