// Saves a view as a file: TSV, JSON, SVG or PNG.
import { el, announce } from "./dom.js";

function save(name, blob) {
  const link = el("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  announce(`Saved ${name}`);
}

const DIGITS = 6; // significant ones of fractions: vectors have no more

function cell(value) {
  if (typeof value === "number" && !Number.isInteger(value)) return String(Number(value.toPrecision(DIGITS)));
  const text = String(value ?? "").replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " "); // a tab or a line end would end the cell
  return text.includes('"') ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Returns a table as tab-separated lines, one for each row; cells with quotation marks are quoted as in CSV. */
export function tsv({ columns, rows }) {
  return [columns, ...rows].map((row) => `${row.map(cell).join("\t")}\n`).join("");
}

const MAX_SIDE = 16000; // pixels; browsers cannot save larger pictures

/** Draws an SVG on a canvas, at twice its size if that is possible. */
async function png(svg) {
  const url = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const scale = Math.min(2, MAX_SIDE / image.width, MAX_SIDE / image.height);
    const size = (side) => String(Math.max(1, Math.floor(side * scale)));
    const canvas = el("canvas", { width: size(image.width), height: size(image.height) });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
    if (!blob) throw new Error("The picture is too large for PNG; save it as SVG.");
    return blob;
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** Returns a word's senses as they are saved: what training has counted is not what the index has. */
export const savedSenses = (answer) =>
  answer && {
    ...answer,
    senses: answer.senses.map(({ key, label, share, occurrences = null, count, ...rest }) => ({
      ...{ key, label, share, occurrences, training_count: count },
      ...rest,
    })),
  };

/**
 * Returns the menu. `content` has a name, json, table {columns, rows}, figure() that returns an SVG as text, and maybe a
 * note. The first two may be promises.
 */
export function exportMenu(content) {
  const text = (value, type) => new Blob([value], { type: `${type};charset=utf-8` });
  const formats = {
    TSV: async () => text(tsv(await content.table), "text/tab-separated-values"),
    JSON: async () => text(`${JSON.stringify(await content.json, null, 2)}\n`, "application/json"),
    SVG: () => text(content.figure(), "image/svg+xml"),
    PNG: () => png(content.figure()),
  };
  const file = content.name.replace(/[^\p{L}\p{N}]+/gu, "-");
  const message = el("p", { class: "message", role: "alert" });
  const close = () => {
    menu.removeAttribute("open");
    menu.querySelector("summary").focus();
  };
  async function run(name, make) {
    message.textContent = "";
    menu.setAttribute("aria-busy", "true");
    try {
      const blob = await make();
      close();
      save(`${file}.${name.toLowerCase()}`, blob);
    } catch (error) {
      message.textContent = error.message;
    } finally {
      menu.removeAttribute("aria-busy");
    }
  }
  const menu = el(
    "details",
    { class: "menu", on: { keydown: (event) => event.key === "Escape" && close() } },
    el("summary", {}, "Export"),
    message,
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
              on: { click: () => run(name, make) },
            },
            name,
          ),
        ),
      ),
      content.note ? el("li", { class: "note" }, content.note) : null,
    ),
  );
  return menu;
}
