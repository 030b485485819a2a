// A UPS or node: its figures, charts, events, energy and tables.

import { addressOf, age, at, currency, daysOf, dayZone, el, get, high, list, low, moment, nameOf, pathOf, setAlarms, setList, setText, show, t, Tile, visit, words } from "./base.js";
import { Charts, Table, toCSV } from "./chart.js";
import { quantities } from "./quantities.js";

const parse = (text) => text.split(", ").map((part) => part.split(" "));

const quantityUnits = new Map(quantities.ups);

/** Label, keys (with units that differ from the quantity's), and for the first key, its severity and the maximum of its bar. */
const figures = {
  ups: [
    ["Load", "load_percent, load_watts", high, 100],
    ["Battery", "battery_percent, charge", low(30, 60), 100],
    ["Runtime", "battery_runtime_seconds", low(300, 600), 3600],
    ["Input", "input_volts, input_hertz hertz"],
    ["Output", "output_volts, output_amperes"],
    ["Temperature", "temperature_celsius"],
    ["Energy today", "day.watt_hours wattHours, day.cost cost"],
    ["Energy this month", "month.watt_hours wattHours, month.cost cost"],
  ],
  node: [
    ["CPU", "cpu.usage_percent percent", high, 100],
    ["Memory", "memory.usage_percent percent, memory.part", high, 100],
    ["Disk", "disks.0.usage_percent percent", high, 100],
    ["Temperature", "temperature.cpu_temp celsius"],
    ["Received", "network.rx_rate bytesPerSecond"],
    ["Sent", "network.tx_rate bytesPerSecond"],
    ["Load average", "cpu.load_1 average, cpu.load_5 average, cpu.load_15 average"],
  ],
};
const inFigures = String(figures.ups);
const facts = {
  ups: [
    ["Mode", "mode"], ...quantities.ups.filter(([name]) => !inFigures.includes(name)).map(([name, , label]) => [label, name]), ["Model", "model"], ["Firmware", "firmware_version"], ["Site", "site"], ["Identifier", "id"], ["Fault code", "fault_code"], ["upsmon.conf", "monitor"],
  ],
  node: [["Swap", "memory.swap"], ["Uptime", "uptime seconds"], ["Processor", "cpu.model"], ["System", "os"], ["Kernel", "kernel"]],
};

const known = {
  ups: (ups) => ({
    ...ups, mode: words(ups.mode), fault_code: Number(ups.fault_code) === 0 ? null : ups.fault_code,
    monitor: ups.nut_name && `MONITOR ${ups.nut_name}@${location.hostname}${ups.nut_port === 3493 ? "" : `:${ups.nut_port}`} 1 <user> <password> secondary`,
    charge: ups.battery_charging ? t("charging") : ups.mode === "battery" ? t("discharging") : null,
  }),
  node({ memory = {}, networks, ...node }) {
    const part = (used, total) => total && `${show(used, "bytes")} / ${show(total, "bytes")}`;
    return {
      ...node, network: networks?.find(({ status }) => status === "up") ?? networks?.[0],
      memory: { ...memory, part: part(memory.used, memory.total), swap: part(memory.swap_used, memory.swap_total) },
    };
  },
};

const find = (values, path) => path.split(".").reduce((part, key) => part?.[key], values);
const shown = (values, parts) => parts.map(([path, unit = quantityUnits.get(path)]) => show(find(values, path) || (find(values, path) === 0 ? 0 : undefined), unit)).map((word) => word === "–" ? "" : word);

const charts = {
  ups: quantities.ups.filter(([name, , , isCharted]) => isCharted && name !== "output_volts").map(([name, unit, label]) => name === "input_volts" ? ["Voltage", unit, "input_volts Input, output_volts Output"] : [label, unit, name]),
  node: [
    ["CPU", "percent", "cpu_usage"],
    ["Usage", "percent", "memory_usage Memory, disk_usage Disk"],
    ["Disk traffic", "bytesPerSecond", "disk_io_read Read, disk_io_write Written"],
    ["Network", "bytesPerSecond", "network_rx Received, network_tx Sent"],
    ["Temperature", "celsius", "cpu_temp"],
    ["Load average", "average", "load_1"],
  ],
};

/** Title, rows, sort key (minus: descending), and columns: key, unit, label. */
const tables = {
  ups: [
    ["Phases", "phases", "number", ["number count Phase", ...quantities.phase.map((column) => column.join(" "))].join(", ")],
  ],
  node: [
    ["Disks", "disks", "-usage_percent", "device text Disk, mount_point text Mounted at, total bytes Size, usage_percent percent Used, "
      + "read_rate bytesPerSecond Read, write_rate bytesPerSecond Written"],
    ["Networks", "networks", "-rx_rate", "interface text Interface, ip_address text Address, status words State, "
      + "rx_rate bytesPerSecond Received, tx_rate bytesPerSecond Sent"],
    ["Temperatures", "sensors", "-current", "name text Sensor, label text Name, current celsius Temperature, max celsius Maximum"],
    ["Processes", "processes", "-cpu_percent", "name text Name, pid id PID, user text User, cpu_percent percent CPU, "
      + "mem_percent percent Memory, mem_rss bytes Resident memory, threads count Threads, status text State"],
  ],
};

/** The energy per day, as bars and as a table, and per month. */
class Energy {
  constructor() {
    this.zone = el("span.note");
    this.bars = el("ol.days", { "aria-label": t("Energy by day") });
    const columns = (first) => [["label", "text", first], ["watt_hours", "wattHours", t("Energy")], ["cost", "money", t("Cost")]];
    this.days = new Table(t("Energy by day"), columns(t("Day")), "-label");
    this.months = new Table(t("Energy by month"), columns(t("Month")), "-label");
    this.csv = toCSV(t("Energy by day"), "energy");
    this.element = el("section", { hidden: "" }, el("div.row", el("h2", t("Energy by day")), this.zone, el("span.tools", this.csv)), el("div.box", this.bars),
      el("details", el("summary", t("Table")), this.days.element), el("h2", t("Energy by month")), this.months.element);
  }

  set(days, months, csv) {
    const rows = days.energy.map((row) => ({ ...row, label: row.day })), max = Math.max(1, ...rows.map((row) => row.watt_hours));
    this.element.hidden = !rows.length;
    setText(this.zone, daysOf(days));
    this.csv.href = csv;
    setList(this.bars, rows, () => el("li", el("i"), el("span")), (item, row) => {
      const text = t("{0}: {1}", row.label, list([show(row.watt_hours, "wattHours"), row.cost !== undefined && show(row.cost, "cost")]));
      item.firstChild.style.height = `${100 * row.watt_hours / max}%`;
      setText(item.lastChild, text);
      item.title = text;
    });
    this.days.set(rows);
    // The history may begin in the middle of a month.
    this.months.set(months.energy.map((row, index) => ({ ...row, label: index || row.month !== rows[0]?.day.slice(0, 7) || rows[0].day.endsWith("-01") ? row.month : t("{0} (from {1})", row.month, rows[0].day) })));
  }
}

export class DetailView {
  constructor(subject) {
    const { kind } = subject;
    this.subject = subject;
    this.path = pathOf(subject);
    this.title = el("h2", nameOf(subject.id));
    this.state = el("p.note", t("Loading…"));
    this.alarms = el("ul.alarms");
    this.figures = figures[kind].map(([label, plan, level, whole]) => ({ tile: new Tile(t(label)), parts: parse(plan), level, whole }));
    this.facts = facts[kind].map(([label, plan]) => ({ parts: parse(plan), text: el("dd"), label: t(label) }));
    for (const fact of this.facts) fact.element = el(fact.label === "upsmon.conf" ? "div.whole" : "div", el("dt", fact.label), fact.text);
    this.cores = el("div.cores", { role: "img", hidden: "" });
    this.charts = new Charts(charts[kind].map(([name, unit, series]) => ({
      title: t(name), unit, series: parse(series).map(([key, label = name]) => ({ key, label: t(label) })),
    })), (values) => visit(addressOf(subject, values)));
    this.energy = new Energy();
    this.tables = tables[kind].map(([name, rows, by, columns]) => {
      const table = new Table(t(name), parse(columns).map(([key, unit, ...label]) => [key, unit, t(label.join(" "))]), by);
      return { rows, table, element: el("section", { hidden: "" }, el("h2", t(name)), table.element) };
    });
    this.failure = el("span.alarms");
    this.removal = el("p", { hidden: "" }, el("button", { onclick: () => this.remove() }, t("Remove this device and its history")), this.failure);
    this.body = el("div", { hidden: "" }, el("ul.tiles", ...this.figures.map(({ tile }) => tile.element)), this.cores,
      el("dl.box.facts", ...this.facts.map(({ element }) => element)),
      el("section", { "aria-label": t("History") }, this.charts.bar.element, this.charts.key, this.charts.note, this.charts.element,
        kind === "node" && el("p.note", t("KiB and MiB: base 1024"))),
      this.charts.events.element, kind === "ups" && this.energy.element, ...this.tables.map(({ element }) => element), this.removal);
    this.element = el("article", el("p", el("a", { href: addressOf() }, `← ${t("All devices")}`)),
      el("div.row", this.title, this.badge = el("span.badge")), this.state, this.alarms, this.body);
  }

  show() {
    this.charts.bar.update();
  }

  async refresh(signal) {
    const { id, site, kind } = this.subject;
    let entry;
    try {
      entry = await get(await at(this.path, { site }, signal), signal);
    } catch (error) {
      // A retry would not help.
      if (![404, 409].includes(error.status)) throw error;
      this.body.hidden = true;
      setText(this.title, nameOf(id));
      setText(this.state, error.status === 404 ? t("There is no device {0}.", nameOf(id)) : error.message);
      return;
    }
    if (kind === "ups" && !(Date.now() - this.energyAt < 60_000)) {
      const of = (period, format) => at(`${this.path}/energy`, { site, zone: dayZone(), period, format }, signal);
      [this.byDay, this.byMonth] = await Promise.all(["day", "month"].map(async (period) => get(await of(period), signal)));
      this.energyAt = Date.now();
      currency.code = this.byDay.currency;
      this.energy.set(this.byDay, this.byMonth, await of("day", "csv"));
    }
    this.update(entry);
    await this.charts.load(`${this.path}/`, site, signal);
  }

  update(entry) {
    const { kind, id } = this.subject, seen = Date.parse(entry.last_seen), name = nameOf(entry.name, entry.hostname, id);
    const now = Date.now() / 1000, current = (rows, unit) => rows?.energy.findLast(({ start }) => now - Date.parse(start) / 1000 < unit * 86_400);
    const values = known[kind]({ ...entry, day: current(this.byDay, 1.05), month: current(this.byMonth, 31.05) });
    this.body.hidden = false;
    setText(this.title, name);
    document.title = list([name, "WinPower G2"]);
    setText(this.badge, words(entry.condition));
    this.badge.dataset.state = entry.condition;
    setText(this.state, t("Last seen {0}", t("{0} ({1})", moment(seen), age(seen))));
    setAlarms(this.alarms, entry.alarms);
    for (const { tile, parts, level, whole } of this.figures) {
      const [first, ...rest] = shown(values, parts), value = find(values, parts[0][0]);
      tile.element.hidden = !first;
      tile.set(first, level && value / whole, level?.(value), list(rest));
    }
    for (const { parts, text, element } of this.facts) {
      setText(text, list(shown(values, parts)));
      element.hidden = !text.textContent;
    }
    const loads = entry.cpu?.per_core?.slice(0, 256) ?? [];
    this.cores.hidden = !loads.length;
    this.cores.ariaLabel = t("{0}: {1}", t("Cores"), `${list(loads.map((load) => String(Math.round(load))))}%`);
    setList(this.cores, loads, () => el("i"), (bar, load) => { bar.style.transform = `scaleY(${Math.min(100, load) / 100})`; });
    const given = { ...entry, sensors: entry.temperature?.sensors };
    for (const { rows, table, element } of this.tables) {
      element.hidden = !given[rows]?.length;
      table.set(given[rows] ?? []);
    }
    this.removal.hidden = !entry.removable || entry.state !== "offline";
  }

  /** Removes a retired device after confirmation. */
  async remove() {
    if (!confirm(`${t("Remove this device and its history")}: ${this.title.textContent}`)) return;
    try {
      await get(await at(this.path, { site: this.subject.site }), undefined, 60_000, "DELETE");
      visit(addressOf());
    } catch ({ message }) {
      setText(this.failure, message);
    }
  }

  redraw() {
    this.charts.redraw();
  }

  leave() {}
}
