// The page, its API and its fleet.

export const parameters = () => Object.fromEntries(new URLSearchParams(location.search));

const { lang } = parameters();
const tag = [lang, ...navigator.languages].find((name) => /^(en|zh)\b/i.test(name)) ?? "en";
const language = /^zh/i.test(tag) ? "zh-CN" : tag;
const texts = language === "zh-CN" ? (await import("./zh.js")).default : {};

export const t = (text, ...values) => (texts[text] ?? text).replace(/\{(\d)\}/g, (_, index) => values[index]);

/** "UTC", or undefined: the reader's own. */
export const zone = { name: undefined };
const formats = new Map();

function write(kind, value, options) {
  const key = JSON.stringify(options) + zone.name;
  if (!formats.has(key)) formats.set(key, new Intl[kind](language, { ...options, timeZone: zone.name }));
  return formats.get(key).format(value);
}

const clock = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }, date = { month: "short", day: "numeric" };
const full = { year: "numeric", ...date, ...clock, timeZoneName: "short" };
export const hour = (time) => write("DateTimeFormat", time, clock);
export const day = (time) => write("DateTimeFormat", time, date);
export const moment = (time) => write("DateTimeFormat", time, full);

const number = (value, significant = 1, fraction = 0) => write("NumberFormat", value, {
  minimumFractionDigits: fraction, maximumFractionDigits: fraction,
  maximumSignificantDigits: significant, roundingPriority: "morePrecision",
});

const lengths = [["d", 86_400], ["h", 3600], ["min", 60], ["s", 1]];

export function span(seconds) {
  const total = Math.round(seconds);
  const [[unit, size], [lesser, part] = []] = lengths.slice(lengths.findIndex(([, length]) => total >= length));
  const rest = Math.floor(total % size / part);
  return `${number(Math.floor(total / size))} ${unit}${rest ? ` ${rest} ${lesser}` : ""}`;
}

export function age(time) {
  const seconds = (Date.now() - time) / 1000;
  return seconds < 2 ? t("just now") : t("{0} ago", span(seconds));
}

function bytes(value) {
  let size = value, power = 0;
  for (; size >= 1024 && power < 5; size /= 1024) power += 1;
  return `${number(size, 3)} ${["B", "KiB", "MiB", "GiB", "TiB", "PiB"][power]}`;
}

const units = {
  bytes, moment, seconds: span, count: number,
  bytesPerSecond: (value) => `${bytes(value)}/s`,
  percent: (value) => `${number(value, 2)} %`,
  watts: (value) => value < 10_000 ? `${number(value)} W` : `${number(value / 1000, 3)} kW`,
  wattHours: (value) => value < 1000 ? `${number(value)} Wh` : `${number(value / 1000, 3)} kWh`,
  voltAmperes: (value) => `${number(value)} VA`,
  volts: (value) => `${number(value, 1, 1)} V`,
  amperes: (value) => `${number(value, 1, 1)} A`,
  hertz: (value) => `${number(value, 1, 1)} Hz`,
  celsius: (value) => `${number(value, 1, 1)} °C`,
  average: (value) => number(value, 3),
  money: (value) => number(value, 1, 2),
  cost: (value) => `${t("Cost").toLowerCase()} ${units.money(value)}`,
};

/** What is not known is "–", never 0. */
export const show = (value, unit) => !units[unit] ? String(value ?? "–") : Number.isFinite(value) ? units[unit](value) : "–";

/** Days have 23 to 25 hours. */
export function midnight(time, days = 0, hours = 0) {
  const result = new Date(time), utc = zone.name ?? "";
  result[`set${utc}Date`](result[`get${utc}Date`]() + days);
  return result[`set${utc}Hours`](hours, 0, 0, 0);
}

/** Attributes, listeners, elements, and texts, which never become markup. */
export function el(kind, ...parts) {
  const [name, ...classes] = kind.split(".");
  const element = document.createElement(name);
  element.classList.add(...classes);
  for (const part of parts) {
    if (typeof part === "string" || part instanceof Node) element.append(part);
    else for (const [key, value] of Object.entries(part ?? {})) {
      if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
      else setAttribute(element, key, value);
    }
  }
  return element;
}

/** A thousand cards change little. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

export function setAttribute(element, name, value) {
  if ((value ?? false) === false) element.removeAttribute(name);
  else if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value);
}

export function setList(list, values, make, set) {
  while (list.childElementCount > values.length) list.lastElementChild.remove();
  while (list.childElementCount < values.length) list.append(make());
  values.forEach((value, index) => set(list.children[index], value));
}

export const setAlarms = (list, alarms = []) => setList(list, alarms, () => el("li"), (item, { text }) => setText(item, text));

/** For screen readers. */
export const announce = (text) => setText(document.getElementById("live"), text);

function subject() {
  const { ups, node, site } = parameters();
  return ups ? { kind: "ups", name: ups, site } : node && { kind: "node", name: node };
}

function address(values) {
  const given = new URLSearchParams(Object.entries(values).filter(([, value]) => value));
  return given.size ? `?${given}` : "./";
}

export function addressOf({ kind, name, site } = {}, more) {
  const now = parameters();
  return address({ [kind]: name, site, ...more, zone: now.zone, lang: now.lang });
}

const replace = (values) => history.replaceState(null, "", address({ ...parameters(), ...values }));

export function visit(next) {
  history.pushState(null, "", next);
  dispatchEvent(new Event("popstate"));
}

const api = "api/v2/";
let cluster, energies, energiesAt = 0;

async function get(path, signal) {
  const response = await fetch(api + path, { signal: AbortSignal.any([signal, AbortSignal.timeout(10_000)]), redirect: "error" });
  if (response.ok) return response.json();
  const { error } = await response.json().catch(() => ({}));
  throw Object.assign(new Error(error ?? `HTTP ${response.status}`), { status: response.status });
}

async function base(signal) {
  cluster ??= (await get("clusters", signal)).clusters[0].id;
  return `clusters/${encodeURIComponent(cluster)}/`;
}

export const dayZone = () => zone.name ? "utc" : "local";

async function energy(at, signal) {
  const wanted = dayZone();
  if (energies?.zone === wanted && Date.now() - energiesAt < 60_000) return;
  energiesAt = Date.now();
  const answer = await get(`${at}energy?zone=${wanted}`, signal).catch(() => null);
  if (!answer) return;
  const of = new Map(answer.energy.map((entry) => [`${entry.site}\n${entry.device}`, entry]));
  energies = { zone: wanted, of, today: answer.energy.reduce((sum, { day }) => sum + (day?.watt_hours ?? 0), 0) };
}

export async function fleet(signal) {
  const at = await base(signal);
  const [ups, nodes] = await Promise.all([get(`${at}ups`, signal), get(`${at}node-metrics`, signal), energy(at, signal)]);
  for (const entry of ups.ups) entry.energy = energies?.of.get(`${entry.site}\n${entry.id}`);
  return {
    summary: { ...ups.summary, ...nodes.summary, today: energies?.today },
    ups: ups.ups.map((entry) => ({ kind: "ups", name: entry.id, site: entry.site, entry })),
    node: Object.entries(nodes.nodes).map(([name, entry]) => ({ kind: "node", name, site: "", entry })),
  };
}

/** Times are milliseconds since 1970. */
export async function read({ kind, name, site }, list, { from, to, ...more }, signal) {
  const values = new URLSearchParams({ from: Math.floor(from / 1000), to: Math.ceil(to / 1000), ...more, ...site && { site } });
  const path = `${await base(signal)}${kind === "ups" ? kind : "node-metrics"}/${encodeURIComponent(name)}/${list}?${values}`;
  return { ...await get(path, signal), csv: `${api}${path}&format=csv` };
}


const high = (value) => value >= 90 ? "bad" : value >= 75 ? "warn" : null;
const low = (value) => value < 30 ? "bad" : value < 60 ? "warn" : null;

export const parse = (text) => text.split(", ").map((part) => part.split(" "));

/** Label, keys with units, and how good the first one is. Nine stand on cards. */
const fields = {
  ups: [
    ["Mode", "mode"],
    ["Load", "load_percent percent, load_watts watts", high],
    ["Battery", "battery_percent percent, charge", low],
    ["Runtime", "battery_runtime_seconds seconds"],
    ["Input", "input_volts volts, input_hertz hertz"],
    ["Output", "output_volts volts, output_amperes amperes"],
    ["Temperature", "temperature_celsius celsius"],
    ["Today", "energy.day.watt_hours wattHours, energy.day.cost cost"],
    ["This month", "energy.month.watt_hours wattHours, energy.month.cost cost"],
    ["Total energy", "energy_watt_hours wattHours"],
    ["Battery voltage", "battery_volts volts"],
    ["Rating", "rated_volt_amperes voltAmperes"],
    ["Model", "model"], ["Firmware", "firmware_version"], ["Site", "site"], ["Fault", "fault_code"],
    ["Read at", "read_at moment"],
  ],
  node: [
    ["CPU", "cpu.usage_percent percent", high],
    ["Memory", "memory.usage_percent percent, memory.part", high],
    ["Disk", "disks.0.usage_percent percent", high],
    ["Temperature", "temperature.cpu_temp celsius"],
    ["Received", "network.rx_rate bytesPerSecond"],
    ["Sent", "network.tx_rate bytesPerSecond"],
    ["Load average", "cpu.load_1 average, cpu.load_5 average, cpu.load_15 average"],
    ["Swap", "memory.swap"],
    ["Uptime", "uptime seconds"],
    ["Model", "cpu.model"], ["Kernel", "kernel"],
  ],
};

/** `batteryTest` as "Battery test". */
const words = (name) => name[0].toUpperCase() + name.slice(1).replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

const known = {
  ups: (ups) => ({
    ...ups, mode: ups.mode && t(words(ups.mode)), read_at: Date.parse(ups.read_at),
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

export class Facts {
  constructor(kind, isCard) {
    this.kind = kind;
    this.rows = fields[kind].slice(0, isCard ? 9 : undefined).map(([label, ...plan]) => this.row(t(label), isCard, ...plan));
    this.cores = el("div.cores", { role: "img", hidden: true });
    this.list = el("dl", ...this.rows.map(({ element }) => element));
  }

  row(label, isCard, plan, level) {
    const values = parse(plan);
    const text = el("dd"), fill = el("span.fill");
    const meter = el("span.meter", { role: "meter", "aria-label": label, "aria-valuemin": 0, "aria-valuemax": 100 }, fill);
    const element = el("div", { hidden: !isCard }, el("dt", label), text, level && el("dd", meter));
    const update = (entry) => {
      const found = values.map(([path]) => path.split(".").reduce((at, key) => at?.[key], entry));
      const words = values.map(([, unit], index) => show(found[index], unit)).filter((word) => word !== "–").join(", ");
      setText(text, words || "–");
      element.hidden = !isCard && !words;
      meter.hidden = !Number.isFinite(found[0]);
      if (!level || meter.hidden) return;
      const share = Math.round(Math.min(100, Math.max(0, found[0])));
      meter.ariaValueNow = share;
      setAttribute(meter, "data-level", level(share));
      fill.style.transform = `scaleX(${share / 100})`;
    };
    return { element, update };
  }

  update(entry) {
    const values = known[this.kind](entry), { cores } = this, loads = entry.cpu?.per_core?.slice(0, 256) ?? [];
    for (const row of this.rows) row.update(values);
    cores.hidden = !loads.length;
    cores.ariaLabel = `${t("Cores")}: ${loads.map(Math.round).join(", ")} %`;
    setList(cores, loads, () => el("i"), (bar, load) => { bar.style.transform = `scaleY(${Math.min(100, load) / 100})`; });
  }
}

const states = ["Online", "Stale", "Offline", "Disconnected", "Alarm", "On battery"];

export function standing({ state, connected, mode, alarms }) {
  if (state === "offline") return "Offline";
  if (connected === false) return "Disconnected";
  if (mode === "fault" || alarms?.length) return "Alarm";
  if (mode === "battery") return "On battery";
  return state === "stale" ? "Stale" : "Online";
}

/** UPS-9 before UPS-10. */
const order = new Intl.Collator(language, { numeric: true });

/** A card is filled when it is first near the screen. */
class Card {
  constructor(subject) {
    this.link = el("a", { href: addressOf(subject) });
    this.badge = el("span.badge");
    this.element = el("li.box.card", el("div.head", el("h3", this.link), this.badge));
    this.element.card = this;
  }

  update(subject) {
    const { entry, name, site } = subject;
    this.subject = subject;
    this.state = standing(entry);
    this.title = entry.name || name;
    this.words = [this.title, name, site, entry.model, entry.hostname].join(" ").toLowerCase();
    setText(this.link, this.title);
    setText(this.badge, t(this.state));
    setAttribute(this.element, "data-state", this.state);
    if (this.isNear) this.fill();
  }

  fill() {
    const { entry, kind } = this.subject;
    if (!this.facts) {
      this.facts = new Facts(kind, true);
      this.model = el("p.note");
      this.age = el("p.note");
      this.alarms = el("ul.alarms");
      this.element.append(this.model, this.age, this.alarms, this.facts.cores, this.facts.list);
    }
    setText(this.model, [entry.model ?? entry.os, entry.site ?? entry.hostname].filter(Boolean).join(" · "));
    setText(this.age, entry.state === "online" ? "" : t("Last seen {0}", age(Date.parse(entry.last_seen))));
    setAlarms(this.alarms, entry.alarms);
    this.facts.update(entry);
  }
}

export class FleetView {
  constructor() {
    const { q, state } = parameters(), isAsked = () => this.filter(true);
    this.cards = new Map();
    this.tiles = el("ul.tiles");
    this.search = el("input", { type: "search", id: "search", value: q, oninput: isAsked });
    this.choice = el("select", { onchange: isAsked }, el("option", { value: "" }, t("All")),
      ...states.map((name) => el("option", { value: name, selected: name === state }, t(name))));
    this.count = el("span.note", { role: "status" });
    this.sections = ["UPSes", "Nodes"].map((name) => el("section", el("h2", t(name)), el("ul.cards")));
    this.element = el("div", this.tiles,
      el("div.row", { role: "search" },
        el("label", t("Search"), " ", this.search), el("label", t("State"), " ", this.choice), this.count),
      ...this.sections);
    this.observer = new IntersectionObserver((changes) => {
      for (const { target: { card }, isIntersecting } of changes) {
        card.isNear = isIntersecting;
        if (isIntersecting) card.fill();
      }
    }, { rootMargin: "50%" });
  }

  print() {
    for (const card of this.cards.values()) card.fill();
  }

  update(data) {
    const gone = new Map(this.cards);
    ["ups", "node"].forEach((kind, index) => {
      const added = new Set();
      for (const subject of data[kind]) {
        const id = `${kind}\n${subject.site}\n${subject.name}`;
        let card = gone.get(id);
        gone.delete(id);
        if (!card) this.cards.set(id, card = new Card(subject));
        if (!card.subject) added.add(card);
        card.update(subject);
      }
      if (added.size) this.insert(added, kind, this.sections[index].lastChild);
    });
    for (const [id, { element }] of gone) {
      this.observer.unobserve(element);
      element.remove();
      this.cards.delete(id);
    }
    this.summarise(data.summary);
    this.filter();
  }

  /** Moves no other card: one may have the focus. */
  insert(added, kind, list) {
    const cards = [...this.cards.values()].filter(({ subject }) => subject.kind === kind);
    let next = null;
    for (const card of cards.sort((left, right) => order.compare(right.title, left.title))) {
      if (added.has(card)) {
        list.insertBefore(card.element, next);
        this.observer.observe(card.element);
      }
      next = card.element;
    }
  }

  summarise(all) {
    const sum = (state) => (all[`${state}_ups`] ?? 0) + (all[`${state}_nodes`] ?? 0);
    const tiles = [
      ["UPSes", all.total_ups], ["Nodes", all.total_nodes], ["Online", sum("online")], ["Stale", sum("stale")],
      ["Offline", sum("offline")], ["On battery", all.on_battery], ["Alarms", all.active_alarms],
      ["Load", all.load_watts, "watts"], ["Energy today", all.today, "wattHours"],
    ].filter(([, value]) => value);
    setList(this.tiles, tiles, () => el("li.box", el("strong"), el("span")), (tile, [label, value, unit = "count"]) => {
      setText(tile.firstChild, show(value, unit));
      setText(tile.lastChild, t(label));
      setAttribute(tile, "data-state", states.find((state) => label.startsWith(state)));
    });
  }

  filter(isAsked) {
    const q = this.search.value.trim(), state = this.choice.value, { size } = this.cards;
    const words = q.toLowerCase().split(/\s+/);
    let shown = 0;
    for (const card of this.cards.values()) {
      const isShown = (!state || card.state === state) && words.every((word) => card.words.includes(word));
      if (card.element.hidden === isShown) card.element.hidden = !isShown;
      shown += isShown;
    }
    for (const section of this.sections) section.hidden = !section.querySelector(".card:not([hidden])");
    setText(this.count, !size ? t("Nothing has reported yet.")
      : q || state ? t("{0} of {1}", show(shown, "count"), show(size, "count")) : "");
    if (isAsked) replace({ q, state });
  }
}

const interval = 5000;
const root = document.documentElement;
const page = Object.fromEntries([...document.querySelectorAll("[id]")].map((element) => [element.id, element]));
let view, shown, data, updated, timer, request, failures = 0, checked = Date.now();

async function go() {
  zone.name = parameters().zone === "utc" ? "UTC" : undefined;
  setText(page.zone, t(zone.name ?? "Local time"));
  page.zone.title = Intl.DateTimeFormat(language, { timeZone: zone.name }).resolvedOptions().timeZone;
  page.home.href = addressOf();
  const { search } = location, asked = subject(), next = JSON.stringify([asked, zone.name]);
  if (next !== shown) {
    const View = asked ? (await import("./detail.js")).DetailView : FleetView;
    // The reader may have gone elsewhere meanwhile.
    if (search !== location.search) return;
    view?.leave?.();
    view = new View(asked);
    document.title = asked ? `${asked.name} – WinPower G2` : "WinPower G2";
    place();
    if (shown) {
      page.content.focus();
      scrollTo(0, 0);
    }
    shown = next;
  }
  view.load?.();
}

const follow = () => go().catch(fail);

function place() {
  if (!data || !view) return;
  if (!view.element.isConnected) page.content.replaceChildren(view.element);
  view.update(data);
}

async function refresh() {
  clearTimeout(timer);
  if (document.hidden) return;
  request?.abort();
  request = new AbortController();
  const { signal } = request;
  try {
    data = await fleet(signal);
    updated = Date.now();
    if (failures) announce(t("Updated {0}", age(updated)));
    failures = 0;
    page.banner.hidden = true;
    place();
  } catch (error) {
    if (signal.aborted) return;
    failures += 1;
    fail(error);
  }
  tick();
  timer = setTimeout(refresh, Math.min(60_000, interval * 2 ** Math.max(0, failures - 1)));
  checkVersion();
}

function fail({ status, message }) {
  page.banner.hidden = false;
  setText(page.banner, status === 401 || status === 403 ? t("Reload the page to log in.")
    : status === 404 && !data ? t("This server keeps no history. Its numbers are at /metrics.")
      : t("The server does not answer ({0}).", message));
  if (!data) page.loading.hidden = true;
}

function tick() {
  if (!updated || document.hidden) return;
  setText(page.status, t("Updated {0}", age(updated)));
  page.status.dataset.old = Date.now() - updated > 3 * interval;
}

/** Not to misread new answers. */
async function checkVersion() {
  if (Date.now() - checked < 60_000 && !failures) return;
  checked = Date.now();
  const response = await fetch("./", { method: "HEAD", cache: "no-store" }).catch(() => null);
  const version = response?.headers.get("X-Page-Version");
  if (version && version !== root.dataset.version) location.reload();
}

const nextTheme = { system: "dark", dark: "light", light: "system" };

function setTheme(name) {
  root.dataset.theme = name;
  try {
    localStorage.setItem("theme", name);
  } catch {
  }
  setText(page.theme, t(`Theme: ${name}`));
  view?.redraw?.();
}

root.lang = language;
for (const element of document.querySelectorAll("a, #loading")) setText(element, t(element.textContent));
setTheme(root.dataset.theme ?? "system");
page.theme.addEventListener("click", () => setTheme(nextTheme[root.dataset.theme]));
page.zone.addEventListener("click", async () => {
  replace({ zone: zone.name ? "" : "utc" });
  await follow();
  page.zone.focus();
  refresh();
});
// Links do not load the page again, except in a new tab.
addEventListener("click", (event) => {
  const link = event.target.closest('a[href^="?"], a[href="./"]');
  if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  visit(link.getAttribute("href"));
});
addEventListener("popstate", follow);
addEventListener("beforeprint", () => view?.print?.());
document.addEventListener("visibilitychange", refresh);
// Paper is light.
for (const query of ["(prefers-color-scheme: dark)", "print"]) matchMedia(query).addEventListener("change", () => view?.redraw?.());
setInterval(tick, 1000);
follow();
// Before anybody asks.
refresh().then(() => import("./detail.js")).catch(fail);
