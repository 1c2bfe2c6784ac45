// Draws figures as SVG text, with presentation attributes only, in the colours that the page has now.

const escape = (text) =>
  String(text)
    .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, "")
    .replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);
const attributes = (values) =>
  Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` ${name}="${escape(typeof value === "number" ? Math.round(value * 100) / 100 : value)}"`)
    .join("");

/** Returns a colour of the stylesheet, such as --ink or --s2. */
export function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

export const SERIF = "'Iowan Old Style', 'Palatino Linotype', Palatino, 'Noto Serif', Georgia, serif";
export const SANS = "system-ui, 'Segoe UI', Roboto, 'Noto Sans', sans-serif";

const measuring = document.createElement("canvas").getContext("2d");

export function textWidth(text, { size = 14, family = SERIF, weight = 400 } = {}) {
  measuring.font = `${weight} ${size}px ${family}`;
  return measuring.measureText(text).width;
}

export class Drawing {
  constructor(width) {
    this.width = width;
    this.height = 0;
    this.parts = [];
  }

  add(tag, values, content = "") {
    this.parts.push(`<${tag}${attributes(values)}>${content}</${tag}>`);
  }

  rect(x, y, width, height, fill, more = {}) {
    this.add("rect", { x, y, width, height, fill, ...more });
    this.height = Math.max(this.height, y + height);
  }

  line(x1, y1, x2, y2, stroke, more = {}) {
    this.add("line", { x1, y1, x2, y2, stroke, ...more });
  }

  path(d, fill, more = {}) {
    this.add("path", { d, fill, ...more });
  }

  text(x, y, text, { size = 14, fill = colour("--ink"), family = SERIF, weight, anchor, style, direction } = {}) {
    this.add(
      "text",
      {
        x,
        y,
        "font-size": size,
        "font-family": family,
        "font-weight": weight,
        "font-style": style,
        "text-anchor": anchor,
        direction,
        fill,
        "xml:space": "preserve",
      },
      escape(text),
    );
    this.height = Math.max(this.height, y + size * 0.4);
  }

  /** Writes words into lines from (x, y) on and returns the y below them. */
  wrapped(x, y, words, width, { gap = 14, leading = 22, ...style } = {}) {
    let at = x;
    for (const word of words) {
      const length = textWidth(word, style);
      if (at > x && at + length > x + width) {
        at = x;
        y += leading;
      }
      this.text(at, y, word, style);
      at += length + gap;
    }
    return y + leading;
  }

  badge(x, y, number, fill) {
    this.rect(x, y - 14, 19, 19, fill, { rx: 5 });
    this.text(x + 9.5, y, number, {
      size: 12,
      weight: 700,
      fill: colour("--on-sense"),
      family: SANS,
      anchor: "middle",
    });
  }

  toString() {
    const height = Math.ceil(this.height + 24);
    return (
      `<svg xmlns="http://www.w3.org/2000/svg" width="${this.width}" height="${height}" viewBox="0 0 ${this.width} ${height}">` +
      `<rect width="100%" height="100%" fill="${escape(colour("--paper"))}"/>${this.parts.join("")}</svg>\n`
    );
  }
}
