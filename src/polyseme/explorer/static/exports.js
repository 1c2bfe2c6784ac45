// Saves a view as a file: TSV, JSON, SVG or PNG.
import { el, announce } from "./dom.js";

function save(name, blob) {
  const link = el("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  announce(`Saved ${name}`);
}

const cell = (value) => String(value ?? "").replace(/[\t\r\n]+/g, " ");

/** Returns a table as tab-separated lines. */
export function tsv({ columns, rows }) {
  return [columns, ...rows].map((row) => `${row.map(cell).join("\t")}\n`).join("");
}

/** Draws an SVG on a canvas, at twice its size. */
async function png(svg) {
  const url = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = el("canvas", { width: String(image.width * 2), height: String(image.height * 2) });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** Returns the menu. `content` has a name, json, table {columns, rows} and figure() that returns an SVG as text. */
export function exportMenu(content) {
  const text = (value, type) => new Blob([value], { type: `${type};charset=utf-8` });
  const formats = {
    TSV: () => text(tsv(content.table), "text/tab-separated-values"),
    JSON: () => text(`${JSON.stringify(content.json, null, 2)}\n`, "application/json"),
    SVG: () => text(content.figure(), "image/svg+xml"),
    PNG: () => png(content.figure()),
  };
  const file = content.name.replace(/[^\p{L}\p{N}]+/gu, "-");
  const menu = el(
    "details",
    { class: "menu", on: { keydown: (event) => event.key === "Escape" && menu.removeAttribute("open") } },
    el("summary", {}, "Export"),
    el(
      "ul",
      {},
      Object.entries(formats).map(([name, make]) =>
        el(
          "li",
          {},
          el(
            "button",
            {
              type: "button",
              data: { format: name.toLowerCase() },
              on: {
                click: async () => {
                  menu.removeAttribute("open");
                  save(`${file}.${name.toLowerCase()}`, await make());
                },
              },
            },
            name,
          ),
        ),
      ),
    ),
  );
  return menu;
}
