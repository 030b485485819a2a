// Time series charts with a shared crosshair, the selection of their range, and tables.

import { announce, at, day, el, get, hour, list, midnight, moment, nameOf, parameters, setAttribute, setList, setText, show, t, words, zone } from "./base.js";

const gapSteps = 1.75;
const steps = { 10: [1, 2, 5], 2: [1], 60: [1, 2, 5, 10, 15, 20, 30] };

export function ticks(low, top, wanted, base = 10) {
  const rough = (top - low) / wanted;
  if (!(rough > 0)) return [low];
  const power = base ** Math.floor(Math.log(rough) / Math.log(base));
  const step = power * (steps[base].find((part) => part * power >= rough * 0.999) ?? base);
  const marks = [];
  for (let index = Math.ceil(low / step - 1e-9); index * step <= top + step * 1e-9; index += 1) marks.push(index * step || 0);
  return marks;
}

/** The marks of a time axis, at multiples of minutes within a day, or at midnights. */
export function timeMarks(from, to, wanted) {
  const size = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440, 2880, 5760, 10_080, 20_160].find((minutes) => to - from <= wanted * minutes * 60_000) ?? 44_640;
  const marks = [];
  for (let start = midnight(from), next; start <= to; start = next) {
    next = midnight(start, Math.max(1, size / 1440));
    for (let minutes = 0; minutes < 1440; minutes += size) {
      const time = midnight(start, 0, minutes);
      if (time >= from && time <= to && time < next) marks.push(time);
    }
  }
  return marks;
}

export const points = (history, times, key) => history.flatMap((entry, index) => Number.isFinite(entry[key]) ? [{
  time: times[index], value: entry[key], weight: entry.samples || 1,
  low: entry[`${key}_min`] ?? entry[key], high: entry[`${key}_max`] ?? entry[key],
}] : []);

/** Splits points at gaps, before they are reduced. Senders may report less often than once per step. */
export function runs(all, step) {
  const distances = all.slice(1).map(({ time }, index) => time - all[index].time).sort((a, b) => a - b);
  const usual = Math.max(step, distances[(distances.length - 1) >> 1] ?? 0), found = [];
  let last = -Infinity;
  for (const point of all) {
    if (point.time - last > gapSteps * usual) found.push([]);
    found.at(-1).push(point);
    last = point.time;
  }
  return found;
}

/** Reduces points to one per pixel column, with the extremes and the weighted average. */
export function columns(run, x) {
  const reduced = [];
  let last;
  for (const { time, low, high: top, value, weight } of run) {
    const column = Math.round(x(time));
    if (last?.column === column) {
      last.low = Math.min(last.low, low);
      last.high = Math.max(last.high, top);
      last.value += (value - last.value) * weight / (last.weight += weight);
    } else reduced.push(last = { column, low, high: top, value, weight });
  }
  return reduced;
}

export const extent = (all) => all.reduce(([min, max], { low, high: top }) => [Math.min(min, low), Math.max(max, top)], [Infinity, -Infinity]);
export const mean = (all) => all.reduce((sum, { value, weight }) => sum + value * weight, 0) / all.reduce((sum, { weight }) => sum + weight, 0);

/** The range of an axis: from 0, for percentages to 100. For volts (without outages) and degrees, it surrounds the values. */
export function bounds(all, unit) {
  const usual = unit === "volts" ? all.map(({ value }) => value).sort((a, b) => a - b)[all.length >> 1] / 2 : -Infinity;
  const [low, top] = extent(all.filter((point) => point.low > usual)), max = unit === "percent" && 100;
  if (low > top) return [0, max || 1];
  if (unit !== "volts" && unit !== "celsius") return [Math.min(0, low), Math.max(top, max || top * 1.05 || 1)];
  const room = Math.max((top - low) * 0.1, Math.abs(top) * 0.005, 0.25);
  return [low - room, top + room];
}

export const nearest = (times, time) =>
  times.reduce((best, other, index) => Math.abs(other - time) < Math.abs(times[best] - time) ? index : best, 0);

const hidden = ["offline", "disconnected"];

/** The shaded spans: on battery, according to events or, where there are none, to the points; and without values. */
export function shades(events, history, times, step, to) {
  const found = events.filter(({ event }) => event === "on_battery" || hidden.includes(event)).map(({ event, start, end }) =>
    ({ kind: hidden.includes(event) ? "none" : "battery", from: Date.parse(start), to: end ? Date.parse(end) : to }));
  const known = found.filter(({ kind }) => kind === "battery"), joined = [];
  history.forEach(({ on_battery: share }, index) => {
    const from = times[index], end = from + step;
    if (share > 0 && !known.some((shade) => shade.from < end && shade.to > from)) found.push({ kind: "battery", from, to: end });
  });
  for (const shade of found.sort((a, b) => a.from - b.from)) {
    const last = joined.findLast(({ kind }) => kind === shade.kind);
    if (last?.to >= shade.from) last.to = Math.max(last.to, shade.to);
    else joined.push(shade);
  }
  return joined;
}

export const toCSV = (title, name) => el("a.button", { download: `${name}.csv`, "aria-label": t("{0}: {1}", "CSV", title) }, "CSV");

export class Table {
  constructor(title, heads, by) {
    this.columns = heads;
    this.rows = [];
    this.isDown = by.startsWith("-");
    this.by = by.replace("-", "");
    this.heads = heads.map(([key, unit, label]) =>
      el("th", { scope: "col", class: unit }, el("button", { onclick: () => this.sort(key, unit !== "text") }, label)));
    this.body = el("tbody");
    this.element = el("div.scroll", { tabindex: 0, role: "region", "aria-label": title },
      el("table", el("thead", el("tr", ...this.heads)), this.body));
  }

  sort(key, isDown) {
    this.isDown = this.by === key ? !this.isDown : isDown;
    this.by = key;
    this.set(this.rows);
  }

  set(rows) {
    this.rows = rows;
    const { by, columns: heads } = this, sign = this.isDown ? -1 : 1;
    // Unknown values are last.
    const sorted = rows.toSorted(({ [by]: a }, { [by]: b }) =>
      (a === undefined) - (b === undefined) || sign * (a > b ? 1 : a < b ? -1 : 0));
    heads.forEach(([key], index) => setAttribute(this.heads[index], "aria-sort", key === by && (this.isDown ? "descending" : "ascending")));
    setList(this.body, sorted, () => el("tr", ...heads.map(([, unit], index) => el(index ? "td" : "th", { class: unit, scope: !index && "row" }))),
      ({ cells }, row) => heads.forEach(([key, unit], index) => setText(cells[index], unit === "words" ? words(row[key]) ?? "–" : show(row[key], unit))));
  }
}

const dayLength = 86_400_000;
const presets = [["1h", 1 / 24, "1 hour"], ["6h", 1 / 4, "6 hours"], ["24h", 1, "24 hours"], ["7d", 7, "7 days"], ["30d", 30, "30 days"]];
const minRange = 10 * 60_000;

/** The range in the URL. */
export function range() {
  const asked = parameters(), from = Number(asked.from), to = Number(asked.to), now = Date.now();
  if (from > 0 && to > from) return { from, to };
  const [name, days] = presets.find(([key]) => key === asked.range) ?? presets[2];
  return { from: now - days * dayLength, to: now, name };
}

/** A time in the format of a datetime-local input. */
const written = (time) => new Date(time - (zone.name ? 0 : new Date(time).getTimezoneOffset() * 60_000)).toISOString().slice(0, 16);

/** The buttons that select the range. */
export class RangeBar {
  /** @param {(values: object) => void} onChange receives URL parameters. */
  constructor(onChange) {
    this.onChange = onChange;
    const button = (label, onclick, more) => el("button", { onclick, ...more }, t(label));
    this.buttons = presets.map(([name, , label]) => button(label, () => onChange({ range: name }), { "data-range": name }));
    const mover = (label, first, last) => button(label, () => {
      const { from, to } = range();
      this.choose(from + (to - from) * first, to + (to - from) * last);
    });
    this.text = el("p.note");
    [this.first, this.last] = ["From", "To"].map((label) => el("input", { type: "datetime-local", required: "", "aria-label": t(label) }));
    this.form = el("details.menu", el("summary.button", t("Dates")), el("form.box.row", {
      onsubmit: (event) => {
        event.preventDefault();
        this.form.open = false;
        this.choose(...[this.first, this.last].map(({ value }) => Date.parse(value + (zone.name ? "Z" : ""))));
      },
    }, this.first, "–", this.last, el("button", t("Show"))));
    this.element = el("div.row.ranges", { role: "group", "aria-label": t("Range") }, ...this.buttons, this.form,
      mover("Earlier", -1, -1), mover("Later", 1, 1), mover("Zoom out", -0.5, 0.5), this.text);
  }

  choose(one, other) {
    const end = Math.min(Math.max(one, other), Date.now());
    const length = Math.min(Math.max(Math.abs(other - one), minRange), 366 * dayLength);
    if (Number.isFinite(end - length)) this.onChange({ from: Math.round(end - length), to: Math.round(end) });
  }

  zoom(factor, middle) {
    const { from, to } = range(), at = middle ?? (from + to) / 2, half = (to - from) * factor / 2;
    this.choose(at - half, at + half);
  }

  update() {
    const { from, to, name } = range();
    for (const button of this.buttons) button.ariaPressed = button.dataset.range === name;
    setText(this.text, t("{0} to {1}", moment(from), moment(to)));
    if (!this.form.open) [this.first.value, this.last.value] = [from, to].map(written);
  }
}

const margin = { top: 8, right: 10, bottom: 22, left: 66 };
const dashes = [[], [7, 4]];
const maxRows = 500;

/** The charts of one range, which share a crosshair, and the events in this range. */
export class Charts {
  /** @param onRange receives URL parameters. */
  constructor(plans, onRange, hasNames) {
    this.bar = new RangeBar(onRange);
    this.events = new Events(hasNames);
    this.all = plans.map((plan) => new Chart(plan, this));
    this.note = el("p.note", { role: "status" });
    this.key = el("ul.legend.note", ...[["battery", "On battery"], ["none", "No values"]].map(([kind, label]) => el("li", { "data-shade": kind }, t(label))));
    this.element = el("div.charts", ...this.all.map(({ element }) => element));
  }

  /** Removes the content of the previous range. */
  clear(asked) {
    setText(this.note, t("Loading…"));
    this.shades = [];
    for (const chart of this.all) chart.set([], [], 0, asked, "", true);
  }

  /** Loads the history of the range in the URL, unless it was loaded recently. */
  async load(path, site, signal, nameFor) {
    const asked = range(), name = asked.name ?? `${asked.from} ${asked.to}`, isSame = name === this.name;
    if (isSame && (!asked.name || Date.now() - this.at < 60_000)) return;
    if (!isSame) this.clear(asked);
    this.name = undefined;
    this.bar.update();
    const step = Math.ceil((asked.to - asked.from) / 9e6), span = { from: Math.floor(asked.from / 1000), to: Math.ceil(asked.to / 1000), site };
    const of = (what, more) => at(path + what, { ...span, ...what === "history" && step > 300 && { step }, ...more }, signal);
    const [answer, { events }] = await Promise.all([get(await of("history"), signal), get(await of("events"), signal)]);
    this.set(answer, events, asked, await of("history", { format: "csv" }));
    this.events.set(events, await of("events", { format: "csv" }), nameFor);
    [this.name, this.at] = [name, Date.now()];
  }

  set(answer, events, asked, csv) {
    const { history } = answer, times = history.map(({ timestamp }) => Date.parse(timestamp)), step = answer.step * 1000;
    this.times = times;
    this.shades = shades(events, history, times, step, Math.min(asked.to, Date.now()));
    for (const item of this.key.children) item.hidden = !this.shades.some(({ kind }) => kind === item.dataset.shade);
    this.key.hidden = !this.shades.length;
    for (const chart of this.all) chart.set(history, times, step, asked, csv);
    setText(this.note, this.all.some(({ element }) => !element.hidden) ? "" : t("There is no history for this range."));
  }

  point(time, source, isSpoken) {
    for (const chart of this.all) chart.point(time, chart === source, isSpoken);
  }

  redraw() {
    for (const chart of this.all) chart.draw();
  }
}

export class Chart {
  constructor(options, group) {
    const { title, series } = options;
    this.options = options;
    this.group = group;
    this.cursor = null;
    this.off = new Set();
    this.height = options.height ?? 180;
    this.bottom = this.height - margin.bottom;
    this.canvas = el("canvas", { "aria-hidden": "true" });
    this.line = el("i.cursor", { hidden: "" });
    this.chosen = el("i.chosen", { hidden: "" });
    this.tip = el("p.tip", { hidden: "" });
    this.plot = el("div.plot", {
      tabindex: 0, role: "group", "aria-roledescription": t("chart"), "aria-label": title,
      onkeydown: (event) => this.key(event), onblur: () => group.point(null),
      onpointerdown: (event) => this.press(event), onpointermove: (event) => this.move(event),
      onpointerup: () => this.release(), onpointerleave: () => group.point(null),
    }, this.canvas, this.chosen, this.line, this.tip);
    this.plot.style.height = `${this.height}px`;
    this.statistics = series.map(({ label }, index) => el("tr", el("th", { scope: "row" },
      el("button.key", { "aria-pressed": "true", "data-series": index, onclick: ({ currentTarget }) => this.toggle(index, currentTarget) }, label)),
    ...[1, 2, 3, 4].map(() => el("td"))));
    this.statisticsTable = el("table.stats", { hidden: options.isPlain && "" }, el("thead", el("tr", el("td"), ...["Min", "Avg", "Max", "Now"].map((head) => el("th", { scope: "col" }, t(head))))),
      el("tbody", ...this.statistics));
    this.details = el("details", { ontoggle: () => this.fill() }, el("summary", t("Table")));
    this.csv = toCSV(title, "history");
    this.element = el("figure.box.chart", { hidden: "" },
      el("figcaption.row", el("h3", title), el("span.tools", this.csv)),
      this.plot, this.statisticsTable, this.details);
    new ResizeObserver(() => this.draw()).observe(this.plot);
  }

  /** Shows a history. While it loads, the chart stays visible, because hiding it would remove the focus. */
  set(history, times, step, range, csv, isLoading) {
    this.range = range;
    this.csv.href = csv;
    this.series = this.options.series.map(({ key, label }) => {
      const all = points(history, times, key);
      return { label, all, at: new Map(all.map((point) => [point.time, point])), runs: runs(all, step) };
    });
    this.times = times.filter((time) => this.series.some(({ at }) => at.has(time)));
    if (!isLoading) this.element.hidden = !this.times.length;
    if (this.element.hidden) return;
    this.series.forEach(({ all }, index) => {
      const row = this.statistics[index], [min, max] = extent(all);
      row.hidden = !all.length && !isLoading;
      [min, mean(all), max, all.at(-1)?.value].forEach((value, place) => setText(row.cells[place + 1], this.show(value)));
    });
    this.scaleUp();
    const summary = this.series.filter(({ all }) => all.length)
      .map(({ label, all }) => t("{0}: lowest {1}, highest {2}.", label, ...extent(all).map((value) => this.show(value))));
    this.plot.ariaLabel = t("{0}: {1}", this.options.title, summary.join(" "));
    this.point(null);
    this.fill();
    this.draw();
  }

  scaleUp() {
    this.bounds = bounds(this.series.flatMap(({ all }, index) => this.off.has(index) ? [] : all), this.options.unit);
  }

  toggle(index, button) {
    if (!this.off.delete(index)) this.off.add(index);
    button.ariaPressed = !this.off.has(index);
    this.scaleUp();
    this.draw();
  }

  show(value) {
    return show(value, this.options.unit);
  }

  scale() {
    const { from, to } = this.range, { left, right } = margin;
    const width = this.plot.clientWidth - left - right;
    return {
      end: left + width, x: (time) => left + (time - from) / (to - from) * width,
      time: (x) => from + (x - left) / width * (to - from),
    };
  }

  draw() {
    const { canvas, height, bottom, plot: { clientWidth }, range: asked } = this, ratio = devicePixelRatio;
    if (!asked || !clientWidth) return;
    const [low, top] = this.bounds, { x, end } = this.scale(), style = getComputedStyle(this.element);
    const colour = (name) => style.getPropertyValue(`--${name}`);
    canvas.width = Math.round(clientWidth * ratio);
    canvas.height = Math.round(height * ratio);
    const pen = canvas.getContext("2d");
    pen.scale(ratio, ratio);
    const y = (value) => margin.top + (top - value) / (top - low) * (bottom - margin.top);
    pen.save();
    pen.beginPath();
    pen.rect(margin.left, 0, end - margin.left + 1, bottom + 1);
    pen.clip();
    for (const { kind, from, to } of this.group.shades) {
      pen.fillStyle = colour(kind === "battery" ? "warn" : "muted");
      pen.globalAlpha = 0.25;
      pen.fillRect(x(from), margin.top, Math.max(2, x(to) - x(from)), bottom - margin.top);
    }
    pen.restore();
    this.grid(pen, x, y, end, colour("muted"), colour("grid"));
    pen.beginPath();
    pen.rect(margin.left, 0, end - margin.left + 1, bottom + 1);
    pen.clip();
    this.series.forEach((series, index) => {
      if (this.off.has(index)) return;
      pen.fillStyle = pen.strokeStyle = colour(index ? "blue" : "good");
      for (const run of series.runs) this.curve(pen, columns(run, x), y, dashes[index]);
    });
  }

  grid(pen, x, y, right, muted, faint) {
    const { range: { from, to }, bounds: [low, top], options: { unit }, bottom } = this, { left, top: start } = margin;
    const rule = (...box) => {
      pen.fillStyle = faint;
      pen.fillRect(...box);
      pen.fillStyle = muted;
    };
    pen.font = "12px sans-serif";
    pen.textBaseline = "middle";
    pen.textAlign = "right";
    for (const value of ticks(low, top, this.height / 36, unit.startsWith("bytes") ? 2 : unit === "seconds" ? 60 : 10)) {
      const at = Math.round(y(value));
      rule(left, at, right - left, 1);
      pen.fillText(this.show(value), left - 6, at, left - 6);
    }
    pen.textBaseline = "top";
    pen.textAlign = "center";
    for (const time of timeMarks(from, to, Math.max(2, Math.floor((right - left) / 70)))) {
      const at = Math.round(x(time)), text = midnight(time) === time ? day(time) : hour(time);
      rule(at, start, 1, bottom - start);
      if (at + pen.measureText(text).width / 2 < right + margin.right) pen.fillText(text, at, bottom + 6);
    }
  }

  curve(pen, reduced, y, dash) {
    if (reduced.length === 1) {
      const [{ column, value, low, high: top }] = reduced;
      pen.fillRect(column - 0.5, y(top), 1, y(low) - y(top));
      pen.fillRect(column - 2, y(value) - 2, 4, 4);
      return;
    }
    pen.globalAlpha = 0.2;
    pen.beginPath();
    for (const { column, high: top } of reduced) pen.lineTo(column, y(top));
    for (const { column, low } of reduced.toReversed()) pen.lineTo(column, y(low));
    pen.fill();
    pen.globalAlpha = 1;
    pen.lineWidth = 1.75;
    pen.setLineDash(dash);
    pen.beginPath();
    for (const { column, value } of reduced) pen.lineTo(column, y(value));
    pen.stroke();
  }

  /** Shows the values at a time; null hides them. */
  point(time, isSource, isSpoken) {
    const index = time === null || !this.times?.length || this.element.hidden ? null : nearest(this.times, time);
    this.cursor = index;
    this.tip.hidden = this.line.hidden = index === null;
    if (index === null) return;
    const at = this.times[index], x = this.scale().x(at), text = this.words(at, isSource);
    this.line.style.left = `${x}px`;
    setText(this.tip, text);
    this.tip.dataset.side = x > this.plot.clientWidth / 2 ? "left" : "right";
    if (isSpoken && isSource) announce(text);
  }

  words(time, hasTime) {
    const values = this.series.filter(({ at }, index) => at.has(time) && !this.off.has(index)).map(({ label, at }) => {
      const { low, high: top, value } = at.get(time), [min, max, average] = [low, top, value].map((one) => this.show(one));
      const text = average + (low === top ? "" : t(" ({0})", t("{0} to {1}", min, max)));
      return this.series.length > 1 ? t("{0}: {1}", label, text) : text;
    });
    return [hasTime && moment(time), ...values].filter(Boolean).join(" · ");
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.times?.length) return;
    const last = this.times.length - 1, { cursor, group } = this, stride = event.shiftKey ? 10 : 1;
    const go = (index) => () => group.point(this.times[index], this, true);
    const action = {
      "ArrowRight": go(cursor === null ? 0 : Math.min(last, cursor + stride)), "Home": go(0),
      "ArrowLeft": go(cursor === null ? last : Math.max(0, cursor - stride)), "End": go(last),
      "Escape": () => group.point(null), "+": () => group.bar.zoom(0.5, this.times[cursor]), "-": () => group.bar.zoom(2, this.times[cursor]),
    }[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  press(event) {
    if (event.button || event.pointerType !== "mouse" || !this.range) return;
    this.plot.setPointerCapture(event.pointerId);
    this.start = event.offsetX;
  }

  move(event) {
    if (!this.times?.length) return;
    const { start } = this, { end, time } = this.scale();
    const at = Math.min(end, Math.max(margin.left, event.offsetX));
    this.group.point(time(at), this);
    if (start === undefined) return;
    this.drag = [Math.min(start, at), Math.max(start, at)];
    this.chosen.hidden = false;
    this.chosen.style.left = `${this.drag[0]}px`;
    this.chosen.style.width = `${this.drag[1] - this.drag[0]}px`;
  }

  release() {
    const [from, to] = this.drag ?? [0, 0];
    this.start = this.drag = undefined;
    this.chosen.hidden = true;
    if (to - from > 8) this.group.bar.choose(...[from, to].map(this.scale().time));
  }

  fill() {
    if (!this.details.open || !this.series) return;
    const { title, unit } = this.options, parts = [["value"], ["low", t("Minimum")], ["high", t("Maximum")]];
    const heads = this.series.flatMap(({ label }, index) => parts.map(([key, head = label]) => [key + index, unit, head]));
    const table = new Table(t("{0}: {1}", title, t("Table")), [["time", "moment", t("Time")], ...heads], "time");
    const stride = Math.ceil(this.times.length / maxRows);
    table.set(this.times.filter((_, index) => index % stride === 0).map((time) => {
      const row = { time };
      this.series.forEach(({ at }, index) => {
        for (const [key] of parts) row[key + index] = at.get(time)?.[key];
      });
      return row;
    }));
    this.details.replaceChildren(this.details.firstChild, table.element);
  }
}

/** A list of events, newest first. */
export class Events {
  constructor(hasNames) {
    this.table = new Table(t("Events"), [["start", "moment", t("Time")], ["what", "text", t("Event")],
      ...hasNames ? [["name", "text", t("Name")]] : [], ["seconds", "seconds", t("Duration")], ["text", "text", t("Text")]], "-start");
    this.csv = toCSV(t("Events"), "events");
    this.none = el("p.note", t("There were no events in this range."));
    this.element = el("section", el("div.row", el("h2", t("Events")), el("span.tools", this.csv)), this.none, this.table.element);
  }

  set(events, csv, nameFor) {
    this.csv.href = csv;
    this.none.hidden = events.length > 0;
    this.table.element.hidden = !events.length;
    this.table.set(events.map(({ event, start, end, seconds, text, ...subject }) => ({
      start: Date.parse(start), what: list([words(event), !end && t("ongoing")]), text: text ?? "",
      name: nameOf(nameFor?.(subject), subject.name), seconds: seconds ?? (Date.now() - Date.parse(start)) / 1000,
    })));
  }
}
