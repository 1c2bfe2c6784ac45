// Places labels beside points so that no two labels overlap, the most important points first.

const GAP = 5; // pixels between two words on a line, which would otherwise look like one

const overlaps = (a, b, gap = 0) =>
  a.x < b.x + b.width + gap && b.x < a.x + a.width + gap && a.y < b.y + b.height && b.y < a.y + a.height;

/** Boxes around a point where its label may stand: right, left, below, above, and the corners. */
function candidates({ x, y, radius }, width, height) {
  const gap = radius + 4;
  const [right, left] = [x + gap, x - gap - width];
  const [middle, above, below] = [y - height / 2, y - gap - height, y + gap];
  return [
    [right, middle],
    [left, middle],
    [x - width / 2, below],
    [x - width / 2, above],
    [right, above],
    [right, below],
    [left, above],
    [left, below],
  ].map(([boxX, boxY]) => ({ x: boxX, y: boxY, width, height }));
}

/**
 * Returns the labels that fit: {x, y, width, height, point}. Points have x, y, radius, text, and come in order of
 * importance. A label leaves the canvas (width, height) as little as it covers another label, a marker, or one of the
 * boxes that are `taken`.
 */
export function placeLabels(points, measure, canvas, taken = []) {
  const markers = points.map(({ x, y, radius }) => ({
    x: x - radius,
    y: y - radius,
    width: 2 * radius,
    height: 2 * radius,
  }));
  const placed = [];
  for (const point of points) {
    const { width, height } = measure(point);
    const free = candidates(point, width, height).find(
      (box) =>
        box.x >= 2 &&
        box.y >= 2 &&
        box.x + box.width <= canvas.width - 2 &&
        box.y + box.height <= canvas.height - 2 &&
        !placed.some((other) => overlaps(box, other, GAP)) &&
        !taken.some((other) => overlaps(box, other)) &&
        !markers.some((marker) => overlaps(box, marker)),
    );
    if (free) placed.push({ ...free, point });
  }
  return placed;
}
