// Figures of the views, for export as SVG and PNG.
import { decimal, direction, percent } from "./dom.js";
import { colourClass, hasShares, numberOf } from "./senses.js";
import { colour, Drawing, SANS, textWidth } from "./svg.js";

const WIDTH = 900;
const MARGIN = 32;
const INNER = WIDTH - 2 * MARGIN;
const senseColour = (key) => colour(`--${colourClass(key)}`);
const note = { size: 12, family: SANS };

function titled(text, width = WIDTH) {
  const drawing = new Drawing(width);
  drawing.text(MARGIN, 58, text, { size: 34 });
  return drawing;
}

const words = new Intl.Segmenter(undefined, { granularity: "word" });

/** Shortens a text to a width, at its start or at its end: between words, also where no spaces are written. */
function clipped(text, width, style, keepEnd) {
  const line = text.replace(/\s+/gu, " ");
  const starts = [...words.segment(line)].map(({ index }) => index);
  const parts = keepEnd
    ? starts.map((start) => line.slice(start))
    : [...starts.slice(1), line.length].map((end) => line.slice(0, end)).reverse();
  const fits = (part) => textWidth(part, style) <= width;
  if (fits(line)) return line;
  const shorter = parts.map((part) => (keepEnd ? `… ${part.trimStart()}` : `${part.trimEnd()} …`));
  return shorter.find(fits) ?? "";
}

function drawLine(drawing, y, { left, word, right }, key, x = MARGIN, width = INNER) {
  const style = { size: 14 };
  const node = textWidth(word, { ...style, weight: 700 });
  const side = (width - node - 2) / 2;
  const middle = x + width / 2;
  const rtl = direction(word) === "rtl";
  const [before, after] = rtl ? [right, left] : [left, right];
  drawing.text(middle - node / 2 - 1, y, clipped(before, side, style, !rtl), {
    ...style,
    anchor: rtl ? "start" : "end",
    direction: rtl ? "rtl" : undefined,
  });
  drawing.text(middle, y, word, { ...style, weight: 700, anchor: "middle", fill: senseColour(key) });
  drawing.text(middle + node / 2 + 1, y, clipped(after, side, style, rtl), {
    ...style,
    anchor: rtl ? "end" : "start",
    direction: rtl ? "rtl" : undefined,
  });
}

export function wordFigure(word, senses) {
  const drawing = titled(word);
  let y = 84;
  if (hasShares(senses)) {
    let x = MARGIN;
    for (const { key, share } of senses) {
      drawing.rect(x, y, Math.max(1, share * INNER - 2), 10, senseColour(key));
      x += share * INNER;
    }
    y += 18;
  }
  for (const sense of senses) {
    y += 34;
    drawing.badge(MARGIN, y, String(numberOf(sense.key)), senseColour(sense.key));
    drawing.text(MARGIN + 30, y, sense.label ? `${sense.key}  ${sense.label}` : sense.key, { size: 18 });
    if (typeof sense.share === "number")
      drawing.text(WIDTH - MARGIN, y, percent(sense.share), { ...note, anchor: "end", fill: colour("--muted") });
    y = drawing.wrapped(
      MARGIN,
      y + 26,
      sense.neighbours.map((one) => one.word),
      INNER,
      { size: 15 },
    );
    for (const example of sense.examples.slice(0, 3)) {
      drawLine(drawing, y + 2, example, sense.key);
      y += 22;
    }
  }
  return drawing.toString();
}

export function linesFigure(key, lines) {
  const drawing = titled(key);
  lines.forEach((line, index) => drawLine(drawing, 96 + index * 22, line, line.key ?? key));
  return drawing.toString();
}

const letters = new Intl.Segmenter();

/** Words and spaces of a text; a word that is wider than a line, as in a text without spaces, letter by letter. */
function piecesOf(text, style) {
  const pieces = text.split(/(\s+)/u).filter(Boolean);
  return pieces.flatMap((piece) =>
    textWidth(piece, style) <= INNER ? [piece] : Array.from(letters.segment(piece), ({ segment }) => segment),
  );
}

/** A text with its senses: an underline in the colour of the sense, and its number. */
export function textFigure(tokens, isCertain) {
  const drawing = new Drawing(WIDTH);
  const style = { size: 17 };
  const rtl = direction(tokens.map((token) => token.text).join("")) === "rtl";
  const at = (start, width) => (rtl ? WIDTH - start - width : start); // lines start at the right in a text such as Arabic
  let [x, y] = [MARGIN, 56];
  for (const token of tokens) {
    for (const piece of token.key ? [token.text] : piecesOf(token.text, style)) {
      const breaks = piece.split("\n").length - 1;
      if (breaks) {
        [x, y] = [MARGIN, y + 32 * breaks];
        continue;
      }
      const text = piece.replace(/\s+/gu, " ");
      const width = textWidth(text, style);
      if (x + width > WIDTH - MARGIN && text.trim()) [x, y] = [MARGIN, y + 32];
      if (text.trim()) drawing.text(at(x, width), y, text, style);
      if (token.key) {
        const fill = isCertain(token) ? senseColour(token.key) : colour("--muted");
        drawing.rect(at(x, width), y + 4, width, 2.5, fill);
        drawing.text(at(x + width + 1, 6), y - 7, String(numberOf(token.key)), {
          size: 10,
          family: SANS,
          weight: 700,
          fill,
        });
        x += 8;
      }
      x += width;
    }
  }
  return drawing.toString();
}

export function compareFigure({ a, b, similarities, shared, only_a: onlyA, only_b: onlyB }) {
  const widest = (senses) => Math.max(...senses.map(({ key }) => textWidth(key, note)));
  const [left, top, cell] = [MARGIN + widest(a.senses) + 12, 116, Math.max(72, widest(b.senses) + 14)];
  const drawing = titled(`${a.word} · ${b.word}`, Math.max(WIDTH, left + b.senses.length * cell + MARGIN));
  b.senses.forEach((sense, column) =>
    drawing.text(left + column * cell + cell / 2, top - 12, sense.key, { ...note, anchor: "middle" }),
  );
  a.senses.forEach((sense, row) => {
    const y = top + row * 34;
    drawing.text(left - 12, y + 21, sense.key, { ...note, anchor: "end" });
    similarities[row].forEach((value, column) => {
      drawing.rect(left + column * cell, y, cell - 3, 31, colour("--accent"), {
        "fill-opacity": Math.max(0, value) * 0.45,
      });
      drawing.text(left + column * cell + cell / 2, y + 20, decimal(value), { ...note, anchor: "middle" });
    });
  });
  let y = top + a.senses.length * 34 + 36;
  for (const [name, words] of [
    ["Shared neighbours", shared],
    [`Only ${a.word}`, onlyA],
    [`Only ${b.word}`, onlyB],
  ]) {
    drawing.text(MARGIN, y, name, { ...note, fill: colour("--muted") });
    y = drawing.wrapped(MARGIN, y + 26, words.length ? words.map((one) => one.word) : ["none"], INNER, { size: 15 }) + 20;
  }
  return drawing.toString();
}

export function modelsFigure(word, names, { first, second, matches }) {
  const drawing = titled(word);
  const half = INNER / 2 - 16;
  names.forEach((name, side) =>
    drawing.text(MARGIN + side * (half + 32), 88, name, { ...note, fill: colour("--muted") }),
  );
  let y = 124;
  for (const match of matches) {
    const ends = [
      [first, match.first],
      [second, match.second],
    ].map(([answer, key], side) => {
      const sense = answer?.senses.find((one) => one.key === key);
      const x = MARGIN + side * (half + 32);
      if (!sense) {
        drawing.text(x, y, "no such sense", { ...note, fill: colour("--muted") });
        return y + 24;
      }
      drawing.badge(x, y, String(numberOf(key)), senseColour(key));
      drawing.text(x + 28, y, `${key}  ${typeof sense.share === "number" ? percent(sense.share) : ""}`, { size: 16 });
      return drawing.wrapped(
        x,
        y + 25,
        sense.neighbours.map((one) => one.word),
        half,
        { size: 14 },
      );
    });
    y = Math.max(...ends) + 24;
  }
  return drawing.toString();
}
