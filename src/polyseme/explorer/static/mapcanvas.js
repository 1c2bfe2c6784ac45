// The canvas of the map: zoom and pan by mouse, touch and keyboard.
import { placeLabels } from "./labels.js";
import { FONT_SIZE, fontOf, mapFigure, paint } from "./mapdrawing.js";
import { raised } from "./senses.js";

export class MapCanvas {
  /** `events`: moved(view), open(point), hovered(point or null, x, y). */
  constructor(canvas, data, events) {
    Object.assign(this, { canvas, data, events, hidden: new Set(), hover: null });
    this.context = canvas.getContext("2d");
    const all = [...data.senses, ...data.points];
    const range = (name) => [Math.min(...all.map((one) => one[name])), Math.max(...all.map((one) => one[name]))];
    this.box = { x: range("x"), y: range("y") };
    this.home = { x: (this.box.x[0] + this.box.x[1]) / 2, y: (this.box.y[0] + this.box.y[1]) / 2, zoom: 1 };
    this.view = { ...this.home };
  }

  /** Starts to draw and listen; `signal` ends it. */
  start(view, signal) {
    if (view) this.view = view;
    const options = { signal };
    const resize = new ResizeObserver(() => this.draw());
    resize.observe(this.canvas);
    signal.addEventListener("abort", () => resize.disconnect());
    document.addEventListener("themechange", () => this.draw(), options);
    this.canvas.addEventListener("keydown", (event) => this.key(event), options);
    this.canvas.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        this.zoomBy(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0015)), event.offsetX, event.offsetY);
      },
      { ...options, passive: false },
    );
    this.listenToPointers(options);
  }

  listenToPointers(options) {
    const pointers = new Map();
    let travelled = 0;
    const on = (name, action) => this.canvas.addEventListener(name, action, options);
    on("pointerdown", (event) => {
      this.canvas.setPointerCapture(event.pointerId);
      if (!pointers.size) travelled = 0;
      pointers.set(event.pointerId, [event.offsetX, event.offsetY]);
    });
    on("pointermove", (event) => {
      const [x, y] = [event.offsetX, event.offsetY];
      const before = pointers.get(event.pointerId);
      if (!before) return this.hoverAt(x, y);
      const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1];
      if (other)
        this.zoomBy(
          Math.hypot(x - other[0], y - other[1]) / Math.max(1, Math.hypot(before[0] - other[0], before[1] - other[1])),
          (x + other[0]) / 2,
          (y + other[1]) / 2,
        );
      this.pan((x - before[0]) / pointers.size, (y - before[1]) / pointers.size);
      travelled += Math.hypot(x - before[0], y - before[1]);
      pointers.set(event.pointerId, [x, y]);
      return undefined;
    });
    const end = (event) => pointers.delete(event.pointerId);
    on("pointerup", (event) => {
      end(event);
      const point = travelled < 6 && !pointers.size ? this.pointAt(event.offsetX, event.offsetY) : null;
      if (point) this.events.open(point);
    });
    on("pointercancel", end);
    on("pointerleave", () => this.hoverAt(-99, -99));
  }

  key(event) {
    const step = 40;
    const actions = {
      ArrowLeft: () => this.pan(step, 0),
      ArrowRight: () => this.pan(-step, 0),
      ArrowUp: () => this.pan(0, step),
      ArrowDown: () => this.pan(0, -step),
      "+": () => this.zoomBy(1.25),
      "=": () => this.zoomBy(1.25),
      "-": () => this.zoomBy(0.8),
      0: () => this.fit(),
    };
    if (event.ctrlKey || event.metaKey || event.altKey || !actions[event.key]) return;
    event.preventDefault();
    event.stopPropagation();
    actions[event.key]();
  }

  scale() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const [margin, spanX, spanY] = [
      Math.min(90, width * 0.16),
      this.box.x[1] - this.box.x[0],
      this.box.y[1] - this.box.y[0],
    ];
    return Math.min((width - 2 * margin) / (spanX || 1), (height - 90) / (spanY || 1)) * this.view.zoom;
  }

  toScreen({ x, y }) {
    const scale = this.scale();
    return {
      x: this.canvas.clientWidth / 2 + (x - this.view.x) * scale,
      y: this.canvas.clientHeight / 2 - (y - this.view.y) * scale,
    };
  }

  changed() {
    this.draw();
    this.events.moved(this.view);
  }

  pan(dx, dy) {
    const scale = this.scale();
    this.view = { ...this.view, x: this.view.x - dx / scale, y: this.view.y + dy / scale };
    this.changed();
  }

  /** Zooms so that the place (x, y) of the canvas stays where it is. */
  zoomBy(factor, x = this.canvas.clientWidth / 2, y = this.canvas.clientHeight / 2) {
    const [dx, dy] = [x - this.canvas.clientWidth / 2, y - this.canvas.clientHeight / 2];
    const before = this.scale();
    this.view.zoom = Math.min(40, Math.max(0.4, this.view.zoom * factor));
    const after = this.scale();
    this.view = { ...this.view, x: this.view.x + dx / before - dx / after, y: this.view.y - dy / before + dy / after };
    this.changed();
  }

  fit() {
    this.view = { ...this.home };
    this.changed();
  }

  showSense(key, shown) {
    if (shown) this.hidden.delete(key);
    else this.hidden.add(key);
    this.draw();
  }

  /** Returns markers in screen coordinates: senses first, then neighbours, the most similar first. */
  markers() {
    const visible = (key) => !this.hidden.has(key);
    const senses = this.data.senses
      .filter((one) => visible(one.key))
      .map((one) => ({ ...this.toScreen(one), item: one, sense: one.key, radius: 11, text: one.key, main: true }));
    const points = this.data.points
      .filter((one) => visible(one.sense))
      .toSorted((a, b) => b.similarity - a.similarity)
      .map((one) => ({
        ...this.toScreen(one),
        item: one,
        sense: one.sense,
        radius: 4.5,
        text: raised(one.key),
        main: false,
      }));
    return [...senses, ...points];
  }

  /** Returns the labels that fit, none of them under the buttons. */
  labels(markers) {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const inside = markers.filter(({ x, y }) => x > -20 && y > -20 && x < width + 20 && y < height + 20);
    return placeLabels(
      inside,
      (point) => {
        this.context.font = fontOf(point);
        return { width: this.context.measureText(point.text).width, height: FONT_SIZE + 3 };
      },
      { width, height },
      [...this.canvas.parentElement.querySelectorAll(".map-controls")].map((buttons) => ({
        x: buttons.offsetLeft,
        y: buttons.offsetTop,
        width: buttons.offsetWidth,
        height: buttons.offsetHeight,
      })),
    );
  }

  hoverAt(x, y) {
    const point = this.pointAt(x, y);
    this.canvas.classList.toggle("over", Boolean(point));
    this.events.hovered(point, x, y);
  }

  pointAt(x, y) {
    const { clientWidth: width } = this.canvas;
    const label = this.drawn?.find(
      (box) => x >= box.x && x <= box.x + box.width && y >= box.y && y <= box.y + box.height,
    );
    if (label) return label.point.item;
    const near = this.markers()
      .map((marker) => [Math.hypot(marker.x - x, marker.y - y), marker])
      .filter(([distance]) => distance < (width < 500 ? 18 : 12));
    return near.sort(([a], [b]) => a - b)[0]?.[1].item ?? null;
  }

  /** Draws the map, and says in data attributes what is shown. */
  draw() {
    const { canvas, context } = this;
    const { clientWidth: width, clientHeight: height } = canvas;
    const ratio = devicePixelRatio || 1;
    if (!width || !height) return;
    [canvas.width, canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const markers = this.markers();
    this.drawn = this.labels(markers);
    paint(context, markers, this.drawn);
    Object.assign(canvas.dataset, {
      zoom: this.view.zoom.toFixed(2),
      x: this.view.x.toFixed(3),
      y: this.view.y.toFixed(3),
      points: markers.length,
      labels: this.drawn.length,
    });
  }

  /** Returns what the canvas shows as SVG. */
  figure() {
    const markers = this.markers();
    return mapFigure(this.canvas.clientWidth, this.canvas.clientHeight, markers, this.labels(markers));
  }
}
