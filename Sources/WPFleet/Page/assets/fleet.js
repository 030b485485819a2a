// The fleet view: figures, total power, and a card or a row for each UPS and node.

import { address, addressOf, age, at, Bar, currency, daysOf, dayZone, el, get, high, home, language, list, low, nameOf, parameters, ranks, replace, setAttribute, setLink, setList, setText, show, t, Tile, visit, words } from "./base.js";
import { Charts } from "./chart.js";

const absent = new Set(["offline", "disconnected"]);
const collator = new Intl.Collator(language, { numeric: true });

const charge = low(30, 60), remaining = low(300, 600);
const maxRuntime = 3600;

/** The last state of the fleet, kept while another view is shown, so that only changes are requested. */
export const store = { subjects: new Map(), epoch: undefined, revision: undefined };

export function apply(answer) {
  const { columns, full } = answer, { subjects } = store;
  let isNew = full || answer.removed.length > 0;
  if (full) subjects.clear();
  for (const key of answer.removed) subjects.delete(key);
  const take = (row, names, subject) => row.forEach((value, index) => { subject[names[index]] = value; });
  for (const row of answer.subjects) {
    const subject = subjects.get(row[0]) ?? {};
    take(row, columns.subjects, subject);
    subject.title = nameOf(subject.name, subject.id);
    subject.search = [subject.title, subject.id, subject.site, subject.model].join(" ").toLowerCase();
    subjects.set(row[0], subject);
    isNew = true;
  }
  for (const row of answer.values) {
    const subject = subjects.get(row[0]);
    take(row, columns[subject.kind], subject);
    subject.rank = ranks.indexOf(subject.state);
  }
  // UPS-9 comes before UPS-10. Comparing names is slow, so it is done once, and each subject gets a position.
  if (isNew) [...subjects.values()].sort((a, b) => collator.compare(a.title, b.title)).forEach((subject, index) => { subject.order = index; });
  store.epoch = answer.epoch;
  store.revision = answer.revision;
  store.utcOffset = answer.utc_offset;
  currency.code = answer.currency;
}

/** The sort keys: label, value, and whether the first click sorts in descending order. */
const sorts = {
  state: ["State", ({ rank }) => rank], name: ["Name", ({ order }) => order],
  load: ["Load", (one) => one.load_percent ?? one.cpu_usage, true], power: ["Power", ({ load_watts: watts }) => watts, true],
  battery: ["Battery", ({ battery_percent: percent }) => percent], runtime: ["Runtime", (one) => one.battery_runtime_seconds],
  memory: ["Memory", (one) => one.memory_usage, true], disk: ["Disk", (one) => one.disk_usage, true],
  temperature: ["Temperature", (one) => one.temperature_celsius ?? one.cpu_temp, true], site: ["Site", ({ site }) => site],
};
const cells = {
  ups: ["name", "state", "load", "power", "battery", "runtime", "temperature", "site"],
  node: ["name", "state", "load", "memory", "disk", "temperature"],
};
const unitOf = { load: "percent", power: "watts", battery: "percent", runtime: "seconds", memory: "percent", disk: "percent", temperature: "celsius" };

export function sorted(subjects, by) {
  const isDown = by.startsWith("-"), [, value] = sorts[by.replace("-", "")] ?? sorts.state, sign = isDown ? -1 : 1;
  return subjects.map((subject) => [value(subject) ?? undefined, subject]).sort(([a, one], [b, other]) =>
    (a === undefined) - (b === undefined) || sign * (a > b ? 1 : a < b ? -1 : 0) || one.order - other.order).map(([, subject]) => subject);
}

const stateText = (one) => one.mode && one.mode !== "line" && one.state === "online" ? list([t("Online"), words(one.mode)]) : words(one.state);

class Card {
  constructor({ kind }) {
    const isUPS = kind === "ups";
    this.link = el("a");
    this.badge = el("span.badge");
    this.figure = el("strong");
    this.more = el("span.note");
    this.spark = document.getElementById("spark").content.firstElementChild.cloneNode(true);
    this.bars = (isUPS ? ["Battery", "Runtime"] : ["Memory", "Disk"]).map((label) => {
      const bar = new Bar(t(label)), text = el("span");
      return { bar, text, element: el("div.bar", el("span.note", t(label)), bar.element, text) };
    });
    this.foot = el("p.note");
    this.alarm = el("p.alarms");
    this.element = el("div.box.card", { role: "listitem" }, el("div.head", el("h3", this.link), this.badge),
      el("div.main", el("div", this.figure, " ", this.more), this.spark), ...this.bars.map(({ element }) => element), this.foot, this.alarm);
  }

  update(one) {
    const isUPS = one.kind === "ups", { state, trend } = one;
    setLink(this.link, one);
    setText(this.badge, stateText(one));
    setAttribute(this.element, "data-state", state);
    setText(this.figure, show(isUPS ? one.load_percent : one.cpu_usage, "percent"));
    setText(this.more, isUPS ? show(one.load_watts, "watts") : t("CPU"));
    const values = isUPS ? [[one.battery_percent, 100, charge, "percent", one.battery_charging && t("charging")], [one.battery_runtime_seconds, maxRuntime, remaining, "seconds"]]
      : [one.memory_usage, one.disk_usage].map((value) => [value, 100, high, "percent"]);
    values.forEach(([value, whole, level, unit, more], index) => {
      const { bar, text } = this.bars[index], shown = list([show(value, unit), more]);
      bar.set((value ?? NaN) / whole, level(value), shown);
      setText(text, shown);
    });
    const energy = trend?.day;
    setText(this.foot, one.last_seen ? t("Last seen {0}", age(one.last_seen * 1000)) : list(isUPS
      ? [one.temperature_celsius !== null && show(one.temperature_celsius, "celsius"), energy && t("today {0}", show(energy.watt_hours, "wattHours")), energy?.cost !== undefined && show(energy.cost, "cost")]
      : [one.cpu_temp !== null && show(one.cpu_temp, "celsius"), one.network_rx !== null && `↓ ${show(one.network_rx, "bytesPerSecond")}`, one.network_tx !== null && `↑ ${show(one.network_tx, "bytesPerSecond")}`]));
    setText(this.alarm, one.alarm ? one.alarm + (one.alarms > 1 ? ` (+${one.alarms - 1})` : "") : "");
    setAttribute(this.alarm, "title", one.alarm);
    setAttribute(this.spark.firstElementChild, "d", curve(trend?.values ?? []));
  }
}

/** The path of a sparkline, 47 wide and 20 high, with gaps for missing values. */
export function curve(values) {
  const max = Math.max(1, ...values);
  return values.map((value, index) => value === null ? ""
    : `${(values[index - 1] ?? null) === null ? "M" : "L"}${index} ${(20 - 19 * value / max).toFixed(1)}`).join("");
}

class Row {
  constructor({ kind }) {
    this.link = el("a");
    this.element = el(`div.line.${kind}`, { role: "row" }, ...cells[kind].map((name, index) =>
      el("span", { role: index ? "cell" : "rowheader", class: unitOf[name] && "number" }, index ? "" : this.link)));
  }

  update(one) {
    const { children } = this.element;
    setLink(this.link, one);
    setAttribute(this.element, "data-state", one.state);
    cells[one.kind].forEach((name, index) => {
      if (!index) return;
      const text = name === "state" ? list([stateText(one), one.alarm]) : unitOf[name] ? show(sorts[name][1](one), unitOf[name]) : one.site;
      setText(children[index], text);
    });
  }
}

const rem = () => parseFloat(getComputedStyle(document.documentElement).fontSize);

/** A virtual list: only items near the viewport are in the document. */
class LongList {
  constructor(element) {
    this.element = element;
    this.items = new Map();
    new ResizeObserver(() => this.lay()).observe(element);
  }

  /** @param groups pairs of a heading, which may be null, and subjects. */
  set(groups, View, height, minWidth) {
    if (View !== this.View) this.clear();
    Object.assign(this, { groups, View, height, minWidth });
    this.lay();
  }

  clear() {
    this.items.clear();
    this.element.replaceChildren();
  }

  lay() {
    if (!this.groups) return;
    const size = rem(), gap = this.minWidth ? 0.6 * size : 0, width = this.element.clientWidth, height = this.height * size;
    const count = this.minWidth ? Math.max(1, Math.floor((width + gap) / (this.minWidth * size + gap))) : 1;
    const each = (width - (count - 1) * gap) / count;
    this.blocks = [];
    let top = 0;
    for (const [text, subjects] of this.groups) {
      if (text !== null) {
        this.blocks.push({ top, text, pitch: 2.4 * size, count: 1, each: width, subjects: [text] });
        top += 2.4 * size;
      }
      this.blocks.push({ top, pitch: height + gap, count, each, gap, subjects });
      top += Math.ceil(subjects.length / count) * (height + gap);
    }
    this.element.style.height = `${Math.max(0, top - gap)}px`;
    this.render();
  }

  /** The subjects that are in the document. */
  get near() {
    return [...this.items.values()].flatMap(({ subject }) => subject.key ? subject : []);
  }

  render(isAll) {
    const { top } = this.element.getBoundingClientRect(), from = -top - 400, to = innerHeight - top + 400;
    const wanted = new Map();
    for (const block of this.blocks ?? []) {
      const { subjects, pitch, count } = block, place = (index) => wanted.set(subjects[index].key ?? block.text, { block, index });
      const first = isAll ? 0 : Math.max(0, Math.floor((from - block.top) / pitch) * count);
      const last = isAll ? subjects.length : Math.min(subjects.length, Math.ceil((to - block.top) / pitch) * count);
      for (let index = first; index < last; index += 1) place(index);
      // The focused element stays in the document.
      for (const { subject, element } of this.items.values()) {
        const index = element.contains(document.activeElement) ? subjects.indexOf(subject) : -1;
        if (index >= 0) place(index);
      }
    }
    for (const [key, { element }] of this.items) {
      if (wanted.has(key)) continue;
      element.remove();
      this.items.delete(key);
    }
    let next = this.element.firstChild;
    for (const [key, { block, index }] of wanted) {
      const { text, count, pitch, each, gap, subjects } = block, subject = subjects[index];
      let item = this.items.get(key);
      if (!item) this.items.set(key, item = text ? heading(text, this.minWidth) : new this.View(subject));
      const { element } = item;
      if (element === next) next = next.nextSibling;
      // Moving a focused element would remove its focus.
      else if (!element.contains(document.activeElement)) this.element.insertBefore(element, next);
      const { style } = element, place = `translate(${index % count * (each + gap) || 0}px, ${block.top + Math.floor(index / count) * pitch}px)`;
      if (style.transform !== place) style.transform = place;
      if (style.width !== `${each}px`) style.width = `${each}px`;
      item.subject = subject;
      item.update?.(subject);
    }
  }
}

const heading = (text, isList) => ({ element: isList ? el("div.heading", { role: "listitem" }, el("h3", text)) : el("div.heading", { role: "row" }, el("span", { role: "rowheader" }, text)) });

/** UPSes or nodes, as cards or as a table. */
class Section {
  constructor(kind, onSort) {
    this.kind = kind;
    this.head = el("h2", t(kind === "ups" ? "UPSes" : "Nodes"));
    this.buttons = cells[kind].map((name) => {
      const label = kind === "node" && name === "load" ? "CPU" : sorts[name][0];
      return el("span", { role: "columnheader", class: unitOf[name] && "number", "data-sort": name }, el("button", { onclick: () => onSort(name) }, t(label)));
    });
    this.heads = el(`div.line.heads.${kind}`, { role: "row" }, ...this.buttons);
    this.body = el("div.long");
    this.long = new LongList(this.body);
    this.table = el("div.grid", this.heads, this.body);
    this.element = el("section", this.head, this.table);
  }

  set(subjects, { view, group, sort }) {
    const isTable = view === "table", key = sort || "state";
    this.element.hidden = !subjects.length;
    this.heads.hidden = !isTable;
    setAttribute(this.table, "role", isTable && "table");
    setAttribute(this.table, "aria-labelledby", isTable && (this.head.id = `head-${this.kind}`));
    setAttribute(this.body, "role", isTable ? "rowgroup" : "list");
    for (const button of this.buttons) setAttribute(button, "aria-sort", isTable && button.dataset.sort === key.replace("-", "") && (key.startsWith("-") ? "descending" : "ascending"));
    let groups = [[null, subjects]];
    if (group === "site" && this.kind === "ups") {
      groups = [...Map.groupBy(subjects, ({ site }) => site)].map(([site, some]) => [t("{0} ({1})", site || t("No site"), show(some.length, "count")), some]);
      groups.sort(([a], [b]) => collator.compare(a, b));
    }
    this.long.set(groups, isTable ? Row : Card, isTable ? 2.1 : 10.4, isTable ? 0 : 19);
  }
}

export class FleetView {
  constructor() {
    const { q } = parameters(), change = (values) => {
      replace(values);
      this.filter();
    };
    this.tiles = el("ul.tiles");
    this.status = el("strong");
    this.chips = el("div.row");
    this.first = el("li.box.wide", el("span.note", t("Devices")), this.status, this.chips);
    this.figures = ["Total load", "Shortest runtime", "Energy today", "Energy this month"].map((label) => new Tile(t(label)));
    this.tiles.append(this.first, ...this.figures.map(({ element }) => element));
    this.charts = new Charts([{ title: t("Power of all UPSes"), unit: "watts", height: 130, isPlain: true, series: [{ key: "load_watts", label: t("Power") }] }],
      (values) => visit(address({ ...parameters(), from: "", to: "", range: "", ...values })), true);
    this.power = el("details.power", { open: matchMedia("(min-width: 48rem)").matches && "" }, el("summary", el("h2", t("Power and events"))), this.charts.bar.element, this.charts.key, this.charts.note, this.charts.element,
      el("details", el("summary", t("Events")), this.charts.events.element));
    this.search = el("input", { type: "search", id: "search", value: q, oninput: () => change({ q: this.search.value.trim() }) });
    this.group = el("button", { onclick: () => change({ group: parameters().group ? "" : "site" }) }, t("By site"));
    this.view = el("button", { onclick: () => change({ view: parameters().view ? "" : "table" }) }, t("Table"));
    this.count = el("span.note", { role: "status" });
    const onSort = (name) => {
      const [, , isDown] = sorts[name], now = parameters().sort || "state", down = `-${name}`;
      change({ sort: now === name ? down : now === down ? name : isDown ? down : name });
    };
    this.sections = ["ups", "node"].map((kind) => new Section(kind, onSort));
    this.element = el("div", this.tiles, this.power, el("div.row.find", { role: "search" }, el("label", t("Search"), " ", this.search),
      this.view, this.group, this.count), ...this.sections.map(({ element }) => element));
    this.scroll = () => {
      cancelAnimationFrame(this.frame);
      this.frame = requestAnimationFrame(() => {
        for (const { long } of this.sections) long.render();
        clearTimeout(this.timer);
        this.timer = setTimeout(() => this.trends().catch(() => {}), 200);
      });
    };
    addEventListener("scroll", this.scroll, { passive: true });
    this.request = new AbortController();
  }

  leave() {
    removeEventListener("scroll", this.scroll);
    this.request.abort();
    clearTimeout(this.timer);
  }

  show() {
    if (store.epoch) this.filter();
    this.charts.bar.update();
  }

  async refresh(signal) {
    apply(await get(await at("overview", store.epoch && { epoch: store.epoch, since: store.revision }, signal), signal));
    this.filter();
    if (!(Date.now() - this.energyAt < 60_000 && this.energyZone === dayZone())) this.total(signal).catch(() => {});
    await this.trends(signal);
    await this.history(signal);
  }

  /** Loads the energy of all UPSes. This may take a long time, so nothing waits for it. */
  async total() {
    [this.energyAt, this.energyZone] = [Date.now(), dayZone()];
    this.energy = await get(await at("energy", { list: "false", zone: dayZone() }, this.request.signal), this.request.signal, 60_000);
    this.summarise();
  }

  /** Loads the trends of subjects near the viewport. */
  async trends(signal = this.request.signal) {
    if (parameters().view) return;
    const old = Date.now() - 300_000;
    const keys = this.sections.flatMap(({ long }) => long.near).filter(({ trendAt }) => !(trendAt > old)).slice(0, 100).map(({ key }) => key);
    if (!keys.length) return;
    const answer = await get(await at("trends", { epoch: store.epoch, keys: keys.join(), zone: dayZone() }, signal), signal, 30_000);
    for (const trend of answer.trends) Object.assign(store.subjects.get(trend.key) ?? {}, { trend, trendAt: Date.now() });
    for (const { long } of this.sections) long.render();
  }

  /** Loads the chart and the events. */
  async history(signal) {
    this.power.hidden = ![...store.subjects.values()].some(({ kind }) => kind === "ups");
    if (this.power.hidden) return;
    const key = (one, id) => [one.kind, one.site, id].join("\n"), names = new Map([...store.subjects.values()].map((one) => [key(one, one.id), one.title]));
    await this.charts.load("", undefined, signal, (one) => names.get(key(one, one.name)));
  }

  summarise() {
    const counts = Object.fromEntries(ranks.map((name) => [name, 0])), { state: asked } = parameters();
    let total = 0, watts = 0, rated = 0, used = 0, shortest = null, hasLoad = false;
    for (const one of store.subjects.values()) {
      counts[one.state] += 1;
      total += 1;
      if (one.kind !== "ups" || absent.has(one.state)) continue;
      if (one.load_watts !== null) [watts, hasLoad] = [watts + one.load_watts, true];
      if (one.rated_volt_amperes > 0 && one.load_percent !== null) {
        rated += one.rated_volt_amperes;
        used += one.rated_volt_amperes * one.load_percent;
      }
      if (one.battery_runtime_seconds !== null && !(shortest?.battery_runtime_seconds <= one.battery_runtime_seconds)) shortest = one;
    }
    const worst = ranks.find((name) => counts[name]);
    setAttribute(this.first, "data-state", worst);
    setText(this.status, !total ? t("Nothing has reported yet.") : worst === "online" ? t("{0} online", show(total, "count"))
      : t("{0} of {1} need attention", show(total - counts.online, "count"), show(total, "count")));
    const shown = ranks.filter((name) => counts[name] || name === asked);
    setList(this.chips, shown, () => el("button.chip", { onclick: ({ currentTarget: { dataset } }) => {
      replace({ state: parameters().state === dataset.name ? "" : dataset.name });
      this.filter();
    } }), (chip, name) => {
      chip.dataset.name = name;
      setAttribute(chip, "data-state", name);
      setAttribute(chip, "aria-pressed", String(name === asked));
      setText(chip, `${words(name)} ${show(counts[name], "count")}`);
    });
    const { total: energy } = this.energy ?? {}, days = this.energy && daysOf({ zone: this.energy.zone, utc_offset: store.utcOffset });
    const tiles = [
      hasLoad && [show(watts, "watts"), used / rated / 100, high(used / rated), rated ? t("{0} of {1}", show(used / rated, "percent"), show(rated, "voltAmperes")) : ""],
      shortest && [show(shortest.battery_runtime_seconds, "seconds"), shortest.battery_runtime_seconds / maxRuntime, remaining(shortest.battery_runtime_seconds), el("a", { href: addressOf(shortest) }, shortest.title)],
      ...[energy?.day, energy?.month].map((part) => part && [show(part.watt_hours, "wattHours"), NaN, null, list([part.cost !== undefined && show(part.cost, "cost"), days])]),
    ];
    this.figures.forEach((tile, index) => {
      tile.element.hidden = !tiles[index];
      if (tiles[index]) tile.set(...tiles[index]);
    });
  }

  filter() {
    const { q = "", state, view, group, sort } = home.values = parameters();
    const parts = q.toLowerCase().split(/\s+/), found = { ups: [], node: [] };
    let count = 0, hasSites = false;
    // Sorting on each keystroke would be too slow.
    const order = `${store.epoch} ${store.revision} ${sort}`;
    if (order !== this.order) [this.order, this.sorted] = [order, sorted([...store.subjects.values()], sort || "state")];
    for (const one of this.sorted) {
      hasSites ||= one.site !== "";
      if ((state && one.state !== state) || !parts.every((part) => one.search.includes(part))) continue;
      found[one.kind].push(one);
      count += 1;
    }
    for (const section of this.sections) section.set(found[section.kind], { view, group, sort });
    setText(this.count, q || state ? t("{0} of {1}", show(count, "count"), show(store.subjects.size, "count")) : "");
    setAttribute(this.view, "aria-pressed", String(Boolean(view)));
    setAttribute(this.group, "aria-pressed", String(Boolean(group)));
    this.group.hidden = !hasSites;
    this.summarise();
  }

  print(isBefore) {
    for (const { long } of this.sections) long.render(isBefore);
  }

  redraw() {
    this.charts.redraw();
  }
}
