// A chart of averages with a band from minimum to maximum, drawn on a canvas and readable without seeing it.

import { announce, el, save, setText } from "./dom.js";
import { calendar, day, hour, moment, show } from "./format.js";
import { bounds, columns, extent, nearest, points, runs, ticks, timeMarks } from "./series.js";
import { Table } from "./table.js";
import { t } from "./text.js";

const height = 180;
const margin = { top: 8, right: 8, bottom: 22, left: 76 };
const bottom = height - margin.bottom;
const dashes = [[], [7, 4], [2, 3]];
const leastRange = 30 * 60_000;
/** A table of more rows than this is of no use: then it has one of several. */
const mostRows = 500;

export class Chart {
  /**
   * @param {{title: string, unit: string, series: {key: string, label: string}[], top?: number, floats?: boolean, onRange: Function}} options
   *   `onRange` is called with the ends of a range that the reader chooses.
   */
  constructor(options) {
    this.options = options;
    this.cursor = null;
    this.canvas = el("canvas", { "aria-hidden": "true" });
    this.line = el("i", { class: "line", hidden: true });
    this.chosen = el("i", { class: "chosen", hidden: true });
    this.tip = el("p", { class: "tip", hidden: true });
    this.note = el("p", { class: "note" });
    this.legend = el("ul", { class: "legend", hidden: options.series.length < 2 }, ...options.series.map(({ label }) => el("li", {}, label)));
    this.plot = el("div", {
      class: "plot", tabindex: 0, role: "group", "aria-roledescription": t("chart"), "aria-label": options.title,
      onkeydown: (event) => this.key(event), onblur: () => this.point(null),
      onpointerdown: (event) => this.press(event), onpointermove: (event) => this.move(event), onpointerup: () => this.release(true),
      onpointercancel: () => this.release(false), onpointerleave: () => this.start === undefined && this.point(null),
    }, this.canvas, this.chosen, this.line, this.tip);
    this.details = el("details", { ontoggle: () => this.fill() }, el("summary", {}, t("Table")));
    this.csv = el("a", { class: "button", download: "history.csv", "aria-label": `${t("CSV")}: ${options.title}` }, t("CSV"));
    this.element = el("figure", { class: "box chart" },
      el("figcaption", { class: "row" }, el("h3", {}, options.title), this.legend, el("span", { class: "tools" }, this.csv,
        el("button", { type: "button", onclick: () => this.picture(), "aria-label": `${t("PNG")}: ${options.title}` }, t("PNG")))),
      this.plot, this.note, this.details);
    new ResizeObserver(() => this.draw()).observe(this.plot);
  }

  /** Takes points of the API with their times, the step between them and the range to show, and where they are as CSV. */
  set(history, times, step, range, file) {
    this.range = range;
    this.csv.href = file;
    this.series = this.options.series.map(({ key, label }) => {
      const all = points(history, times, key);
      return { label, all, at: new Map(all.map((point) => [point.time, point])), runs: runs(all, step) };
    });
    const all = this.series.flatMap((series) => series.all);
    this.times = times.filter((time) => this.series.some(({ at }) => at.has(time)));
    this.bounds = bounds(all, this.options);
    setText(this.note, all.length ? "" : t("There is no history of this range."));
    this.plot.setAttribute("aria-label", `${this.options.title}. ${this.summary()} `
      + t("Arrow keys step, Shift by ten, Home and End go to the ends, Escape leaves, plus and minus zoom."));
    this.point(null);
    this.fill();
    this.draw();
  }

  /** Says why there is nothing new; what is drawn stays. */
  fail(message) {
    setText(this.note, t("The history could not be read: {0}", message));
  }

  show(value) {
    return show(value, this.options.unit);
  }

  summary() {
    return this.series.filter(({ all }) => all.length).map(({ label, all }) => {
      const [low, high] = extent(all);
      return `${label}: ${t("lowest {0}, highest {1}", this.show(low), this.show(high))}.`;
    }).join(" ") || t("There is no history of this range.");
  }

  /** Times to pixels and back. */
  scale() {
    const { from, to } = this.range;
    const width = this.plot.clientWidth - margin.left - margin.right;
    return {
      width, x: (time) => margin.left + (time - from) / (to - from) * width,
      time: (x) => from + (x - margin.left) / width * (to - from),
    };
  }

  draw() {
    if (!this.range || !this.plot.clientWidth) return;
    const ratio = devicePixelRatio || 1;
    const { canvas, bounds: [low, high] } = this, { x, width } = this.scale();
    canvas.width = Math.round(this.plot.clientWidth * ratio);
    canvas.height = Math.round(height * ratio);
    const pen = canvas.getContext("2d");
    pen.scale(ratio, ratio);
    const y = (value) => margin.top + (high - value) / (high - low) * (bottom - margin.top);
    this.grid(pen, x, y, margin.left + width);
    pen.beginPath();
    pen.rect(margin.left, 0, width + 1, bottom + 1);
    pen.clip();
    this.series.forEach((series, index) => {
      // The legend's colours follow the theme, and forced colours.
      pen.fillStyle = pen.strokeStyle = getComputedStyle(this.legend.children[index]).color;
      for (const run of series.runs) this.curve(pen, columns(run, x), y, dashes[index]);
    });
  }

  grid(pen, x, y, right) {
    const { range: { from, to }, bounds: [low, high], options: { unit } } = this;
    const muted = getComputedStyle(this.note).color, faint = getComputedStyle(this.element).borderTopColor;
    const rule = (...box) => {
      pen.fillStyle = faint;
      pen.fillRect(...box);
      pen.fillStyle = muted;
    };
    pen.font = "12px system-ui, sans-serif";
    pen.textBaseline = "middle";
    pen.textAlign = "right";
    for (const value of ticks(low, high, 5, unit.startsWith("bytes") ? 2 : unit === "seconds" ? 60 : 10)) {
      const at = Math.round(y(value));
      rule(margin.left, at, right - margin.left, 1);
      pen.fillText(this.show(value), margin.left - 6, at);
    }
    pen.textBaseline = "top";
    pen.textAlign = "center";
    const { marks, isDays } = timeMarks(from, to, Math.max(2, Math.floor(right / 90)));
    for (const time of marks) {
      const at = Math.round(x(time));
      rule(at, margin.top, 1, bottom - margin.top);
      const text = isDays || calendar.midnight(time).getTime() === time ? day(time) : hour(time);
      if (at + pen.measureText(text).width / 2 < right + margin.right) pen.fillText(text, at, bottom + 6);
    }
  }

  curve(pen, reduced, y, dash) {
    if (reduced.length === 1) {
      // One point alone has no line: a mark, so that it is seen.
      const [{ column, value, low, high }] = reduced;
      pen.fillRect(column - 0.5, y(high), 1, y(low) - y(high));
      pen.fillRect(column - 2, y(value) - 2, 4, 4);
      return;
    }
    pen.globalAlpha = 0.22;
    pen.beginPath();
    for (const { column, high } of reduced) pen.lineTo(column, y(high));
    for (const { column, low } of reduced.toReversed()) pen.lineTo(column, y(low));
    pen.fill();
    pen.globalAlpha = 1;
    pen.lineWidth = 1.5;
    pen.setLineDash(dash);
    pen.beginPath();
    for (const { column, value } of reduced) pen.lineTo(column, y(value));
    pen.stroke();
  }

  /** Points at a time of the data by its index; null points at none. */
  point(index, isSpoken) {
    this.cursor = index;
    this.tip.hidden = this.line.hidden = index === null;
    if (index === null) return;
    const time = this.times[index], x = this.scale().x(time), words = this.words(time);
    this.line.style.left = `${x}px`;
    setText(this.tip, words);
    this.tip.dataset.side = x > this.plot.clientWidth / 2 ? "left" : "right";
    if (isSpoken) announce(words);
  }

  words(time) {
    const values = this.series.flatMap(({ label, at }) => {
      const point = at.get(time);
      if (!point) return [];
      const { low, high, value } = point;
      const spread = low === high ? "" : ` (${t("{0} to {1}", this.show(low), this.show(high))})`;
      return `${this.series.length > 1 ? `${label}: ` : ""}${this.show(value)}${spread}`;
    });
    return [moment(time), ...values].join(" · ");
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.times?.length) return;
    const last = this.times.length - 1, at = this.cursor, stride = event.shiftKey ? 10 : 1;
    const actions = {
      "ArrowRight": () => this.point(Math.min(last, at === null ? 0 : at + stride), true),
      "ArrowLeft": () => this.point(Math.max(0, at === null ? last : at - stride), true),
      "Home": () => this.point(0, true), "End": () => this.point(last, true), "Escape": () => this.point(null),
      "+": () => this.zoom(0.5), "-": () => this.zoom(2),
    };
    if (!actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
  }

  /** Shows a shorter or longer range around the cursor, or around the middle. */
  zoom(factor) {
    const { from, to } = this.range;
    const middle = this.cursor === null ? (from + to) / 2 : this.times[this.cursor];
    const half = Math.max(leastRange, (to - from) * factor) / 2;
    this.options.onRange(middle - half, middle + half);
  }

  press(event) {
    if (event.button !== 0 || event.pointerType === "touch" || !this.range) return;
    this.plot.setPointerCapture(event.pointerId);
    this.start = event.offsetX;
  }

  move(event) {
    if (!this.times?.length) return;
    const { width, time } = this.scale();
    const at = Math.min(margin.left + width, Math.max(margin.left, event.offsetX));
    this.point(nearest(this.times, time(at)));
    if (this.start === undefined) return;
    this.drag = [Math.min(this.start, at), Math.max(this.start, at)];
    this.chosen.hidden = false;
    this.chosen.style.left = `${this.drag[0]}px`;
    this.chosen.style.width = `${this.drag[1] - this.drag[0]}px`;
  }

  release(isChosen) {
    const [from, to] = this.drag ?? [0, 0];
    this.start = this.drag = undefined;
    this.chosen.hidden = true;
    if (!isChosen || to - from < 8) return;
    const { time } = this.scale();
    this.options.onRange(time(from), time(to));
  }

  /** The same data as a table, made when it is opened. */
  fill() {
    if (!this.details.open || !this.series) return;
    const heads = this.series.flatMap(({ label }, index) => [["value", label], ["low", t("Minimum")], ["high", t("Maximum")]]
      .map(([key, head]) => [key + index, head, this.options.unit]));
    const table = new Table(`${this.options.title}: ${t("Table")}`, [["time", t("Time"), "moment"], ...heads], "time", false);
    const stride = Math.ceil(this.times.length / mostRows);
    table.set(this.times.filter((_, index) => index % stride === 0).map((time) => {
      const row = { time };
      this.series.forEach(({ at }, index) => {
        for (const key of ["value", "low", "high"]) row[key + index] = at.get(time)?.[key];
      });
      return row;
    }));
    this.details.replaceChildren(this.details.firstChild, table.element);
  }

  picture() {
    const { width, height: rows } = this.canvas;
    const copy = el("canvas", { width, height: rows });
    const pen = copy.getContext("2d");
    pen.fillStyle = getComputedStyle(this.element).backgroundColor;
    pen.fillRect(0, 0, width, rows);
    pen.drawImage(this.canvas, 0, 0);
    copy.toBlob((blob) => { if (blob) save(blob, "chart.png"); });
  }
}
