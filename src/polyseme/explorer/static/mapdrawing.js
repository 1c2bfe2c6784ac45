// Draws the markers and labels of the map, on a canvas and as SVG.
import { colourClass, numberOf } from "./senses.js";
import { colour, Drawing, SANS, SERIF } from "./svg.js";

export const FONT_SIZE = 15;
const LINK_OPACITY = 0.28;

/** Paths of radius r around the origin, one per sense number, so that the map can be read without colours. */
const SHAPES = [
  (r) => `m${-r} 0a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`,
  (r) => `m${-0.89 * r} ${-0.89 * r}h${1.78 * r}v${1.78 * r}h${-1.78 * r}z`,
  (r) => `m0 ${-1.2 * r}l${1.1 * r} ${2 * r}h${-2.2 * r}z`,
  (r) => `m0 ${-1.25 * r}l${1.25 * r} ${1.25 * r}l${-1.25 * r} ${1.25 * r}l${-1.25 * r} ${-1.25 * r}z`,
];

const pathOf = ({ x, y, sense, radius }) => `M${x} ${y}${SHAPES[(numberOf(sense) - 1) % SHAPES.length](radius)}`;
const colourOf = ({ sense }) => colour(`--${colourClass(sense)}`);
export const fontOf = ({ main }) => (main ? `600 ${FONT_SIZE}px ${SANS}` : `${FONT_SIZE}px ${SERIF}`);

/** Returns pairs of a neighbour's marker and the marker of its sense. */
function links(markers) {
  const centers = new Map(markers.filter((one) => one.main).map((one) => [one.sense, one]));
  return markers.filter((one) => !one.main && centers.has(one.sense)).map((one) => [one, centers.get(one.sense)]);
}

/** Draws on a canvas. Markers have x, y, radius, sense, text, and main if they are a sense; labels are boxes. */
export function paint(context, markers, labels) {
  Object.assign(context, { lineWidth: 1, globalAlpha: LINK_OPACITY });
  for (const [marker, center] of links(markers)) {
    context.strokeStyle = colourOf(marker);
    context.stroke(new Path2D(`M${center.x} ${center.y}L${marker.x} ${marker.y}`));
  }
  Object.assign(context, { lineWidth: 2, globalAlpha: 1, strokeStyle: colour("--paper"), textBaseline: "middle" });
  for (const marker of markers) {
    const path = new Path2D(pathOf(marker));
    context.fillStyle = colourOf(marker);
    context.stroke(path);
    context.fill(path);
  }
  Object.assign(context, { fillStyle: colour("--on-sense"), font: `700 12px ${SANS}`, textAlign: "center" });
  for (const { x, y, sense } of markers.filter((one) => one.main))
    context.fillText(String(numberOf(sense)), x, y + 0.5);
  Object.assign(context, { fillStyle: colour("--ink"), lineWidth: 4, lineJoin: "round", textAlign: "start" });
  for (const { x, y, height, point } of labels) {
    context.font = fontOf(point);
    context.strokeText(point.text, x, y + height / 2); // keeps the links out of the letters
    context.fillText(point.text, x, y + height / 2);
  }
}

/** Returns the same as SVG. */
export function mapFigure(width, height, markers, labels) {
  const drawing = new Drawing(width);
  for (const [marker, center] of links(markers))
    drawing.line(center.x, center.y, marker.x, marker.y, colourOf(marker), { "stroke-opacity": LINK_OPACITY });
  for (const marker of markers) drawing.path(pathOf(marker), colourOf(marker));
  const number = { size: 12, weight: 700, family: SANS, anchor: "middle", fill: colour("--on-sense") };
  for (const { x, y, sense } of markers.filter((one) => one.main))
    drawing.text(x, y + 4.5, String(numberOf(sense)), number);
  for (const { x, y, point } of labels) {
    const style = point.main ? { family: SANS, weight: 600 } : { family: SERIF };
    drawing.text(x, y + FONT_SIZE - 1, point.text, { size: FONT_SIZE, ...style });
  }
  drawing.height = height - 24;
  return drawing.toString();
}
