// One UPS or node: what it says now, its charts, and its tables.

import { link, of, parameters, visit } from "./address.js";
import * as api from "./api.js";
import { Chart } from "./chart.js";
import { el, setAttribute, setList, setText } from "./dom.js";
import { alarms, Facts, title } from "./fields.js";
import { age, moment } from "./format.js";
import { Table } from "./table.js";
import { t } from "./text.js";

const hourLength = 3_600_000;
const ranges = { "24h": ["24 hours", 24], "7d": ["7 days", 168], "30d": ["30 days", 720] };
/** More points than this can't be seen. */
const mostPoints = 9000;
const leastStep = 300;

/** Title, unit, quantities with their labels, and how the axis is. */
const charts = {
  ups: [
    ["Load", "percent", { load_percent: "Load" }, { top: 100 }],
    ["Power", "watts", { load_watts: "Power" }],
    ["Battery", "percent", { battery_percent: "Battery" }, { top: 100 }],
    ["Runtime", "seconds", { battery_runtime_seconds: "Runtime" }],
    ["Voltage", "volts", { input_volts: "Input", output_volts: "Output" }, { floats: true }],
    ["Temperature", "celsius", { temperature_celsius: "Temperature" }, { floats: true }],
  ],
  node: [
    ["CPU", "percent", { cpu_usage: "CPU" }, { top: 100 }],
    ["Usage", "percent", { memory_usage: "Memory", disk_usage: "Disk" }, { top: 100 }],
    ["Disk", "bytesPerSecond", { disk_io_read: "Read", disk_io_write: "Written" }],
    ["Network", "bytesPerSecond", { network_rx: "Received", network_tx: "Sent" }],
    ["Temperature", "celsius", { cpu_temp: "Temperature" }, { floats: true }],
    ["Load average", "plain", { load_1: "Load average" }],
  ],
};

/** Title, where the rows are, columns, and the column that they are sorted by. */
const tables = {
  ups: [["Phases", (ups) => ups.phases, [["number", "Phase"], ["input_volts", "Input voltage", "volts"],
    ["output_volts", "Output voltage", "volts"], ["output_amperes", "Output current", "amperes"], ["load_watts", "Load", "watts"]], "number", false]],
  node: [
    ["Disks", (node) => node.disks, [["device", "Disk", "text"], ["mount_point", "Mounted at", "text"], ["total", "Size", "bytes"],
      ["usage_percent", "Used", "percent"], ["read_rate", "Read", "bytesPerSecond"], ["write_rate", "Written", "bytesPerSecond"]], "usage_percent"],
    ["Networks", (node) => node.networks, [["interface", "Interface", "text"], ["ip_address", "Address", "text"], ["status", "State", "text"],
      ["rx_rate", "Received", "bytesPerSecond"], ["tx_rate", "Sent", "bytesPerSecond"]], "rx_rate"],
    ["Temperatures", (node) => node.temperature?.sensors, [["name", "Sensor", "text"], ["label", "Name", "text"],
      ["current", "Temperature", "celsius"], ["max", "Maximum", "celsius"]], "current"],
    ["Processes", (node) => node.processes, [["name", "Name", "text"], ["pid", "PID"], ["user", "User", "text"], ["cpu_percent", "CPU", "percent"],
      ["mem_percent", "Memory", "percent"], ["mem_rss", "Size", "bytes"], ["threads", "Threads"], ["status", "State", "text"]], "cpu_percent"],
  ],
};

/** A table under its title, hidden while it has no rows. */
function section(name, columns, by, isDown) {
  const table = new Table(t(name), columns.map(([key, label, unit]) => [key, t(label), unit]), by, isDown);
  const element = el("section", { hidden: true }, el("h2", {}, t(name)), table.element);
  const set = (rows = []) => {
    element.hidden = !rows.length;
    table.set(rows);
  };
  return { element, set };
}

/** The range that the address asks for, in milliseconds since 1970. */
function span() {
  const asked = parameters(), now = Date.now();
  const from = Number(asked.get("from")), to = Number(asked.get("to"));
  if (from > 0 && to > from) return { from, to };
  const name = asked.get("range") in ranges ? asked.get("range") : "24h";
  return { from: now - ranges[name][1] * hourLength, to: now, name };
}

export class DetailView {
  constructor(subject) {
    const { kind } = subject;
    this.subject = subject;
    this.title = el("h2", {}, subject.name);
    this.state = el("p", { class: "note" });
    this.alarms = el("ul", { class: "alarms" });
    this.facts = new Facts(kind, false);
    this.facts.list.classList.add("box", "facts");
    this.charts = charts[kind].map(([name, unit, series, axis]) => new Chart({
      unit, ...axis, onRange: (from, to) => this.choose(from, to), series: Object.entries(series).map(([key, label]) => ({ key, label: t(label) })),
      title: t(name),
    }));
    this.buttons = Object.entries(ranges).map(([name, [label]]) =>
      el("button", { type: "button", "data-range": name, onclick: () => visit({ ...of(subject), range: name }) }, t(label)));
    this.custom = el("span", { class: "note" });
    // By how much of its length each end of the range moves.
    const mover = (sign, label, first, last) => el("button", {
      type: "button", "aria-label": t(label), title: t(label),
      onclick: () => {
        const { from, to } = span();
        this.choose(from + (to - from) * first, to + (to - from) * last);
      },
    }, sign);
    this.tables = tables[kind].map(([name, rows, ...plan]) => ({ rows, ...section(name, ...plan) }));
    this.days = kind === "ups" ? section("Energy by day",
      [["day", "Day", "text"], ["watt_hours", "Energy", "wattHours"], ["cost", "Cost", "money"], ["watt_hours", "", "bar"]], "day") : null;
    this.element = el("article", {}, el("p", {}, link({}, `← ${t("All devices")}`)),
      this.title, this.state, this.alarms, this.facts.cores, this.facts.list,
      el("section", { "aria-label": t("History") },
        el("div", { class: "row ranges", role: "group", "aria-label": t("Range") }, ...this.buttons,
          mover("←", "Earlier", -1, -1), mover("→", "Later", 1, 1), mover("−", "Zoom out", -0.5, 0.5), this.custom),
        el("div", { class: "charts" }, ...this.charts.map(({ element }) => element)),
        kind === "node" ? el("p", { class: "note" }, t("KiB and MiB: base 1024")) : null),
      this.days?.element, ...this.tables.map(({ element }) => element));
  }

  choose(from, to) {
    const end = Math.min(to, Date.now());
    const length = Math.min(to - from, 366 * 24 * hourLength);
    visit({ ...of(this.subject), from: Math.round(end - length), to: Math.round(end) });
  }

  /** Shows what the fleet says of the subject now. */
  update(data, now) {
    const { kind, name, site } = this.subject;
    const found = data[kind].find((other) => other.name === name && (!site || other.site === site));
    if (!found) return setText(this.state, t("There is no {0} here.", name));
    const { entry } = found, seen = Date.parse(entry.last_seen);
    setText(this.title, title(found));
    setText(this.state, `${t(entry.state[0].toUpperCase() + entry.state.slice(1))} · ${t("Last seen {0}", `${moment(seen)} (${age(now - seen)})`)}`);
    setList(this.alarms, alarms(entry));
    this.facts.update(entry);
    for (const { rows, set } of this.tables) set(rows(entry));
    // What has come since is asked for where the range ends now.
    if (span().name && now - this.loaded > 60_000) this.load();
    return undefined;
  }

  /** Reads the history of the range and draws it; an earlier request is given up. */
  async load() {
    this.request?.abort();
    this.request = new AbortController();
    const { signal } = this.request;
    const { from, to, name } = span();
    for (const button of this.buttons) setAttribute(button, "aria-pressed", String(button.dataset.range === name));
    setText(this.custom, name ? "" : t("{0} to {1}", moment(from), moment(to)));
    const step = Math.ceil((to - from) / 1000 / mostPoints);
    const wanted = step > leastStep ? { from, to, step } : { from, to };
    this.loaded = Date.now();
    try {
      const { history, step: width } = await api.history(this.subject, wanted, signal);
      const times = history.map(({ timestamp }) => Date.parse(timestamp));
      for (const chart of this.charts) chart.set(history, times, width * 1000, { from, to }, api.file(this.subject, wanted));
      if (!this.days) return;
      const { energy } = await api.days(this.subject, { from: to - 720 * hourLength, to }, signal);
      this.days.set(energy);
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
