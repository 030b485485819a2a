// A UPS or node: its charts and tables.

import { addressOf, age, announce, day, dayZone, el, Facts, hour, midnight, moment, parameters, parse, read, setAlarms, setAttribute, setList, setText, show, standing, t, visit } from "./main.js";

const gapSteps = 1.75;
const steps = { 10: [1, 2, 5], 2: [1], 60: [1, 2, 5, 10, 15, 20, 30] };

export function ticks(low, high, wanted, base = 10) {
  const rough = (high - low) / wanted;
  if (!(rough > 0)) return [low];
  const power = base ** Math.floor(Math.log(rough) / Math.log(base));
  const step = power * (steps[base].find((part) => part * power >= rough * 0.999) ?? base);
  const marks = [];
  for (let index = Math.ceil(low / step - 1e-9); index * step <= high + step * 1e-9; index += 1) marks.push(index * step || 0);
  return marks;
}

export function timeMarks(from, to, wanted) {
  const size = [1, 2, 3, 6, 12, 24, 48, 96, 168, 336].find((hours) => to - from <= wanted * hours * 3_600_000) ?? 744;
  const marks = [];
  for (let start = midnight(from), next; start <= to; start = next) {
    next = midnight(start, Math.max(1, size / 24));
    for (let hours = 0; hours < 24; hours += size) {
      const time = midnight(start, 0, hours);
      if (time >= from && time <= to && time < next) marks.push(time);
    }
  }
  return marks;
}

export const points = (history, times, key) => history.flatMap((entry, index) => Number.isFinite(entry[key]) ? [{
  time: times[index], value: entry[key], weight: entry.samples || 1,
  low: entry[`${key}_min`] ?? entry[key], high: entry[`${key}_max`] ?? entry[key],
}] : []);

/** Before points are reduced, so that a gap stays one. */
export function runs(all, step) {
  const found = [];
  let last = -Infinity;
  for (const point of all) {
    if (point.time - last > gapSteps * step) found.push([]);
    found.at(-1).push(point);
    last = point.time;
  }
  return found;
}

/** Per column of pixels: extremes stay, averages are weighed. */
export function columns(run, x) {
  const reduced = [];
  let last;
  for (const { time, low, high, value, weight } of run) {
    const column = Math.round(x(time));
    if (last?.column === column) {
      last.low = Math.min(last.low, low);
      last.high = Math.max(last.high, high);
      last.value += (value - last.value) * weight / (last.weight += weight);
    } else reduced.push(last = { column, low, high, value, weight });
  }
  return reduced;
}

export const extent = (all) => all.reduce(([least, most], { low, high }) => [Math.min(least, low), Math.max(most, high)], [Infinity, -Infinity]);

/** From 0, percent to 100; volts and degrees hug their values. */
export function bounds(all, unit) {
  const [low, high] = extent(all), top = unit === "percent" && 100;
  if (low > high) return [0, top || 1];
  if (unit !== "volts" && unit !== "celsius") return [Math.min(0, low), Math.max(high, top || high * 1.05 || 1)];
  const room = Math.max((high - low) * 0.1, Math.abs(high) * 0.005, 0.01);
  return [low - room, high + room];
}

export const nearest = (times, time) =>
  times.reduce((best, other, index) => Math.abs(other - time) < Math.abs(times[best] - time) ? index : best, 0);

export class Table {
  constructor(title, columns, by) {
    this.columns = columns;
    this.rows = [];
    this.isDown = by.startsWith("-");
    this.by = by.replace("-", "");
    this.heads = columns.map(([key, unit, label]) => unit === "bar" ? el("td")
      : el("th", { scope: "col", class: unit }, el("button", { onclick: () => this.sort(key, unit !== "text") }, label)));
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
    const { by, columns } = this, sign = this.isDown ? -1 : 1;
    // Unknown ones are last.
    const sorted = rows.toSorted(({ [by]: a }, { [by]: b }) =>
      (a === undefined) - (b === undefined) || sign * (a > b ? 1 : a < b ? -1 : 0));
    columns.forEach(([key, unit], index) => {
      if (unit !== "bar") setAttribute(this.heads[index], "aria-sort", key === by && (this.isDown ? "descending" : "ascending"));
    });
    setList(this.body, sorted, () => el("tr", ...columns.map(([, unit], index) =>
      el(index ? "td" : "th", { class: unit, scope: !index && "row" }, unit === "bar" && el("i")))),
    ({ cells }, row) => columns.forEach(([key, unit], index) => {
      const cell = cells[index];
      if (unit === "bar") cell.firstChild.style.width = `${100 * row[key] / Math.max(1, ...rows.map((other) => other[key]))}%`;
      else setText(cell, show(row[key], unit));
    }));
  }
}

const height = 180;
const margin = { top: 8, right: 8, bottom: 22, left: 76 };
const bottom = height - margin.bottom;
const dashes = [[], [7, 4]];
const leastRange = 30 * 60_000;
const mostRows = 500;

export class Chart {
  constructor(options) {
    const { title, series } = options, named = (text) => ({ "aria-label": `${text}: ${title}` });
    this.options = options;
    this.cursor = null;
    this.canvas = el("canvas", { "aria-hidden": "true" });
    this.line = el("i.line", { hidden: true });
    this.chosen = el("i.chosen", { hidden: true });
    this.tip = el("p.tip", { hidden: true });
    this.note = el("p.note");
    this.legend = el("ul.legend", { hidden: series.length < 2 }, ...series.map(({ label }) => el("li", label)));
    this.plot = el("div.plot", {
      tabindex: 0, role: "group", "aria-roledescription": t("chart"), "aria-label": title,
      onkeydown: (event) => this.key(event), onblur: () => this.point(null),
      onpointerdown: (event) => this.press(event), onpointermove: (event) => this.move(event),
      onpointerup: () => this.release(), onpointerleave: () => this.point(null),
    }, this.canvas, this.chosen, this.line, this.tip);
    this.details = el("details", { ontoggle: () => this.fill() }, el("summary", t("Table")));
    this.csv = el("a.button", { download: "history.csv", ...named("CSV") }, "CSV");
    this.element = el("figure.box.chart",
      el("figcaption.row", el("h3", title), this.legend, el("span.tools", this.csv,
        el("button", { onclick: () => this.picture(), ...named("PNG") }, "PNG"))),
      this.plot, this.note, this.details);
    new ResizeObserver(() => this.draw()).observe(this.plot);
  }

  set(history, times, step, range, csv) {
    this.range = range;
    this.csv.href = csv;
    this.series = this.options.series.map(({ key, label }) => {
      const all = points(history, times, key);
      return { label, all, at: new Map(all.map((point) => [point.time, point])), runs: runs(all, step) };
    });
    this.times = times.filter((time) => this.series.some(({ at }) => at.has(time)));
    this.bounds = bounds(this.series.flatMap(({ all }) => all), this.options.unit);
    const empty = t("There is no history of this range.");
    setText(this.note, this.times.length ? "" : empty);
    const summary = this.series.filter(({ all }) => all.length)
      .map(({ label, all }) => `${label}: ${t("lowest {0}, highest {1}", ...extent(all).map((value) => this.show(value)))}.`);
    this.plot.ariaLabel = `${this.options.title}. ${summary.join(" ") || empty} ${
      t("Arrow keys step, with Shift by ten; Home, End and Escape; plus and minus zoom.")}`;
    this.point(null);
    this.fill();
    this.draw();
  }

  fail(message) {
    setText(this.note, t("The history could not be read: {0}", message));
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
    const { canvas, plot: { clientWidth }, range } = this, ratio = devicePixelRatio;
    if (!range || !clientWidth) return;
    const [low, high] = this.bounds, { x, end } = this.scale();
    canvas.width = Math.round(clientWidth * ratio);
    canvas.height = Math.round(height * ratio);
    const pen = canvas.getContext("2d");
    pen.scale(ratio, ratio);
    const y = (value) => margin.top + (high - value) / (high - low) * (bottom - margin.top);
    this.grid(pen, x, y, end);
    pen.beginPath();
    pen.rect(margin.left, 0, end - margin.left + 1, bottom + 1);
    pen.clip();
    this.series.forEach((series, index) => {
      // The legend's colours follow the theme.
      pen.fillStyle = pen.strokeStyle = getComputedStyle(this.legend.children[index]).color;
      for (const run of series.runs) this.curve(pen, columns(run, x), y, dashes[index]);
    });
  }

  grid(pen, x, y, right) {
    const { range: { from, to }, bounds: [low, high], options: { unit } } = this, { left, top } = margin;
    const muted = getComputedStyle(this.note).color, faint = getComputedStyle(this.element).borderTopColor;
    const rule = (...box) => {
      pen.fillStyle = faint;
      pen.fillRect(...box);
      pen.fillStyle = muted;
    };
    pen.font = "12px sans-serif";
    pen.textBaseline = "middle";
    pen.textAlign = "right";
    for (const value of ticks(low, high, 5, unit.startsWith("bytes") ? 2 : unit === "seconds" ? 60 : 10)) {
      const at = Math.round(y(value));
      rule(left, at, right - left, 1);
      pen.fillText(this.show(value), left - 6, at);
    }
    pen.textBaseline = "top";
    pen.textAlign = "center";
    for (const time of timeMarks(from, to, Math.max(2, Math.floor(right / 70)))) {
      const at = Math.round(x(time)), text = midnight(time) === time ? day(time) : hour(time);
      rule(at, top, 1, bottom - top);
      if (at + pen.measureText(text).width / 2 < right + margin.right) pen.fillText(text, at, bottom + 6);
    }
  }

  curve(pen, reduced, y, dash) {
    if (reduced.length === 1) {
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
    const values = this.series.filter(({ at }) => at.has(time)).map(({ label, at }) => {
      const { low, high, value } = at.get(time), [least, most, mean] = [low, high, value].map((one) => this.show(one));
      return (this.series.length > 1 ? `${label}: ` : "") + mean + (low === high ? "" : ` (${t("{0} to {1}", least, most)})`);
    });
    return [moment(time), ...values].join(" · ");
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.times?.length) return;
    const last = this.times.length - 1, { cursor } = this, stride = event.shiftKey ? 10 : 1;
    const go = (index) => () => this.point(index, true);
    const action = {
      "ArrowRight": go(cursor === null ? 0 : Math.min(last, cursor + stride)), "Home": go(0),
      "ArrowLeft": go(cursor === null ? last : Math.max(0, cursor - stride)), "End": go(last),
      "Escape": () => this.point(null), "+": () => this.zoom(0.5), "-": () => this.zoom(2),
    }[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  zoom(factor) {
    const { from, to } = this.range;
    const middle = this.cursor === null ? (from + to) / 2 : this.times[this.cursor];
    const half = Math.max(leastRange, (to - from) * factor) / 2;
    this.options.onRange(middle - half, middle + half);
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
    this.point(nearest(this.times, time(at)));
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
    if (to - from > 8) this.options.onRange(...[from, to].map(this.scale().time));
  }

  fill() {
    if (!this.details.open || !this.series) return;
    const { title, unit } = this.options, parts = [["value"], ["low", t("Minimum")], ["high", t("Maximum")]];
    const heads = this.series.flatMap(({ label }, index) => parts.map(([key, head = label]) => [key + index, unit, head]));
    const table = new Table(`${title}: ${t("Table")}`, [["time", "moment", t("Time")], ...heads], "time");
    const stride = Math.ceil(this.times.length / mostRows);
    table.set(this.times.filter((_, index) => index % stride === 0).map((time) => {
      const row = { time };
      this.series.forEach(({ at }, index) => {
        for (const [key] of parts) row[key + index] = at.get(time)?.[key];
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
    el("a", { href: copy.toDataURL(), download: "chart.png" }).click();
  }
}

const dayLength = 86_400_000;
const ranges = [["24h", 1, "24 hours"], ["7d", 7, "7 days"], ["30d", 30, "30 days"]];
const mostPoints = 9000;
const leastStep = 300;

const charts = {
  ups: [
    ["Load", "percent", "load_percent"],
    ["Power", "watts", "load_watts"],
    ["Battery", "percent", "battery_percent"],
    ["Runtime", "seconds", "battery_runtime_seconds"],
    ["Voltage", "volts", "input_volts Input, output_volts Output"],
    ["Temperature", "celsius", "temperature_celsius"],
  ],
  node: [
    ["CPU", "percent", "cpu_usage"],
    ["Usage", "percent", "memory_usage Memory, disk_usage Disk"],
    ["Disk", "bytesPerSecond", "disk_io_read Read, disk_io_write Written"],
    ["Network", "bytesPerSecond", "network_rx Received, network_tx Sent"],
    ["Temperature", "celsius", "cpu_temp"],
    ["Load average", "average", "load_1"],
  ],
};

/** Title, rows, what sorts them (minus: down), and columns: key, unit, label. */
const tables = {
  ups: [
    ["Energy by day", "days", "-day", "day text Day, watt_hours wattHours Energy, cost money Cost, watt_hours bar"],
    ["Phases", "phases", "number", "number count Phase, input_volts volts Input voltage, output_volts volts Output voltage, "
      + "output_amperes amperes Output current, load_watts watts Load"],
  ],
  node: [
    ["Disks", "disks", "-usage_percent", "device text Disk, mount_point text Mounted at, total bytes Size, usage_percent percent Used, "
      + "read_rate bytesPerSecond Read, write_rate bytesPerSecond Written"],
    ["Networks", "networks", "-rx_rate", "interface text Interface, ip_address text Address, status text State, "
      + "rx_rate bytesPerSecond Received, tx_rate bytesPerSecond Sent"],
    ["Temperatures", "sensors", "-current", "name text Sensor, label text Name, current celsius Temperature, max celsius Maximum"],
    ["Processes", "processes", "-cpu_percent", "name text Name, pid id PID, user text User, cpu_percent percent CPU, "
      + "mem_percent percent Memory, mem_rss bytes Size, threads count Threads, status text State"],
  ],
};

function range() {
  const asked = parameters(), from = Number(asked.from), to = Number(asked.to), now = Date.now();
  if (from > 0 && to > from) return { from, to };
  const [name, days] = ranges.find(([key]) => key === asked.range) ?? ranges[0];
  return { from: now - days * dayLength, to: now, name };
}

export class DetailView {
  constructor(subject) {
    const { kind } = subject;
    this.subject = subject;
    this.title = el("h2", subject.name);
    this.state = el("p.note");
    this.alarms = el("ul.alarms");
    this.facts = new Facts(kind);
    this.facts.list.classList.add("box", "facts");
    this.charts = charts[kind].map(([title, unit, series]) => new Chart({
      title: t(title), unit, series: parse(series).map(([key, label = title]) => ({ key, label: t(label) })),
      onRange: (from, to) => this.choose(from, to),
    }));
    const button = (label, onclick, more) => el("button", { onclick, ...more }, label);
    this.buttons = ranges.map(([name, , label]) =>
      button(t(label), () => visit(addressOf(subject, { range: name })), { "data-range": name }));
    const mover = (sign, label, first, last) => button(sign, () => {
      const { from, to } = range();
      this.choose(from + (to - from) * first, to + (to - from) * last);
    }, { "aria-label": t(label), title: t(label) });
    this.custom = el("span.note");
    this.tables = tables[kind].map(([title, rows, by, columns]) => {
      const table = new Table(t(title), parse(columns).map(([key, unit, ...label]) => [key, unit, t(label.join(" "))]), by);
      return { rows, table, element: el("section", { hidden: true }, el("h2", t(title)), table.element) };
    });
    this.element = el("article", el("p", el("a", { href: addressOf() }, `← ${t("All devices")}`)),
      this.title, this.state, this.alarms, this.facts.cores, this.facts.list,
      el("section", { "aria-label": t("History") },
        el("div.row.ranges", { role: "group", "aria-label": t("Range") }, ...this.buttons,
          mover("←", "Earlier", -1, -1), mover("→", "Later", 1, 1), mover("−", "Zoom out", -0.5, 0.5), this.custom),
        el("div.charts", ...this.charts.map(({ element }) => element)),
        kind === "node" && el("p.note", t("KiB and MiB: base 1024"))),
      ...this.tables.map(({ element }) => element));
  }

  choose(from, to) {
    const end = Math.min(to, Date.now());
    const length = Math.min(to - from, 366 * dayLength);
    visit(addressOf(this.subject, { from: Math.round(end - length), to: Math.round(end) }));
  }

  update(data) {
    const { kind, name, site } = this.subject;
    const { entry } = data[kind].find((found) => found.name === name && (!site || found.site === site)) ?? {};
    if (!entry) return setText(this.state, t("There is no {0} here.", name));
    const seen = Date.parse(entry.last_seen);
    setText(this.title, entry.name || name);
    setText(this.state, `${t(standing(entry))} · ${t("Last seen {0}", `${moment(seen)} (${age(seen)})`)}`);
    setAlarms(this.alarms, entry.alarms);
    this.facts.update(entry);
    this.entry = entry;
    this.list();
    if (range().name && Date.now() - this.loaded > 60_000) this.load();
    return undefined;
  }

  list() {
    const { entry, days } = this, given = { ...entry, days, sensors: entry?.temperature?.sensors };
    for (const { rows, table, element } of this.tables) {
      element.hidden = !given[rows]?.length;
      table.set(given[rows] ?? []);
    }
  }

  async load() {
    this.request?.abort();
    this.request = new AbortController();
    const { signal } = this.request, { from, to, name } = range();
    for (const button of this.buttons) button.ariaPressed = button.dataset.range === name;
    setText(this.custom, name ? "" : t("{0} to {1}", moment(from), moment(to)));
    const step = Math.ceil((to - from) / 1000 / mostPoints);
    this.loaded = Date.now();
    try {
      const answer = await read(this.subject, "history", { from, to, ...step > leastStep && { step } }, signal);
      const times = answer.history.map(({ timestamp }) => Date.parse(timestamp));
      for (const chart of this.charts) chart.set(answer.history, times, answer.step * 1000, { from, to }, answer.csv);
      if (this.subject.kind === "node") return;
      const month = { from: midnight(to, -30), to, period: "day", zone: dayZone() };
      this.days = (await read(this.subject, "energy", month, signal)).energy;
      this.list();
    } catch (error) {
      if (!signal.aborted) for (const chart of this.charts) chart.fail(error.message);
    }
  }

  redraw() {
    for (const chart of this.charts) chart.draw();
  }

  leave() {
    this.request?.abort();
  }
}
