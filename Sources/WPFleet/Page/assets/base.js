// Shared helpers of the page: language and formats, elements, addresses, and the API.

export const parameters = () => Object.fromEntries(new URLSearchParams(location.search));

const { lang } = parameters();
const tag = [lang, ...navigator.languages].find((name) => /^(en|zh)\b/i.test(name)) ?? "en";
export const language = /^zh/i.test(tag) ? "zh-CN" : tag;
const texts = language === "zh-CN" ? (await import("./zh.js")).default : {};

export const t = (text, ...values) => (texts[text] ?? text).replace(/\{(\d)\}/g, (_, index) => values[index]);
export const list = (words) => words.filter(Boolean).join(t(", "));

/** "UTC", or undefined for the browser's time zone. */
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

/** Exponential notation for implausible values, which could have hundreds of digits. */
const number = (value, significant = 1, fraction = 0) => Math.abs(value) >= 1e12 ? value.toExponential(2) : write("NumberFormat", value, {
  minimumFractionDigits: fraction, maximumFractionDigits: fraction,
  maximumSignificantDigits: significant, roundingPriority: "morePrecision",
});

const lengths = [["d", 86_400], ["h", 3600], ["min", 60], ["s", 1]];

export function span(seconds) {
  const total = Math.round(seconds);
  const [[unit, size], [lesser, part] = []] = lengths.slice(lengths.findIndex(([, length]) => total >= length));
  const rest = Math.floor(total % size / part);
  return `${number(Math.floor(total / size))} ${t(unit)}${rest ? ` ${rest} ${t(lesser)}` : ""}`;
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

const kilo = (value, unit, limit) => Math.abs(value) < limit ? `${number(value)} ${unit}` : `${number(value / 1000, 3)} k${unit}`;

/** Set from API responses. */
export const currency = { code: undefined };

const units = {
  bytes, moment, seconds: span, count: number,
  bytesPerSecond: (value) => `${bytes(value)}/s`,
  percent: (value) => `${number(value, 2)} %`,
  watts: (value) => kilo(value, "W", 10_000),
  wattHours: (value) => kilo(value, "Wh", 1000),
  voltAmperes: (value) => kilo(value, "VA", 10_000),
  volts: (value) => `${number(value, 1, 1)} V`,
  amperes: (value) => `${number(value, 1, 1)} A`,
  hertz: (value) => `${number(value, 1, 1)} Hz`,
  celsius: (value) => `${number(value, 1, 1)} °C`,
  average: (value) => number(value, 3),
  money: (value) => `${number(value, 1, 2)} ${currency.code ?? ""}`.trim(),
  cost: (value) => currency.code ? units.money(value) : t("cost {0}", units.money(value)),
};

/** An unknown value is "–", never 0. */
export const show = (value, unit) => !units[unit] ? String(value ?? "–") : Number.isFinite(value) ? units[unit](value) : "–";

/** "battery_test" and "batteryTest" as "Battery test". */
export const words = (name) => name && t(name[0].toUpperCase() + name.slice(1).toLowerCase().replaceAll("_", " "));

/** The first name that is visible, so that it can be clicked. Blanks and direction marks are not. */
export const nameOf = (...names) => names.find((name) => /[^\s\p{C}\p{Z}\u2800\u3164\uFFA0]/u.test(name ?? "")) ?? t("(no name)");

/** Uses the calendar, because days have 23 to 25 hours. */
export function midnight(time, days = 0, minutes = 0) {
  const result = new Date(time), utc = zone.name ?? "";
  result[`set${utc}Date`](result[`get${utc}Date`]() + days);
  return result[`set${utc}Hours`](0, minutes, 0, 0);
}

/** Creates an element from attributes, listeners, elements, and texts, which are never parsed as markup. */
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

export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

export function setAttribute(element, name, value) {
  if ((value ?? false) === false) element.removeAttribute(name);
  else if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value);
}

export function setList(parent, values, make, set) {
  while (parent.childElementCount > values.length) parent.lastElementChild.remove();
  while (parent.childElementCount < values.length) parent.append(make());
  values.forEach((value, index) => set(parent.children[index], value));
}

export const setAlarms = (parent, alarms = []) => setList(parent, alarms, () => el("li"), (item, { text }) => setText(item, text));

/** A bar that shows a ratio from 0 to 1. */
export class Bar {
  constructor(label) {
    this.fill = el("i");
    this.element = el("span.meter", { role: "meter", "aria-label": label, "aria-valuemin": 0, "aria-valuemax": 100 }, this.fill);
  }

  set(share, level, text) {
    const { element } = this, percent = Math.round(100 * Math.min(1, Math.max(0, share)));
    setAttribute(element, "hidden", !Number.isFinite(percent) && "");
    if (!Number.isFinite(percent)) return;
    setAttribute(element, "aria-valuenow", percent);
    setAttribute(element, "aria-valuetext", text);
    setAttribute(element, "data-level", level);
    const scale = `scaleX(${percent / 100})`;
    if (this.fill.style.transform !== scale) this.fill.style.transform = scale;
  }
}

export const high = (value) => value >= 90 ? "bad" : value >= 75 && "warn";
export const low = (bad, warn) => (value) => value < bad ? "bad" : value < warn && "warn";

/** The states, most severe first; devices are sorted in this order. */
export const ranks = ["on_battery", "alarm", "offline", "disconnected", "stale", "online"];

/** A figure with a bar. */
export class Tile {
  constructor(label = "") {
    this.label = el("span.note", label);
    this.value = el("strong");
    this.bar = new Bar(label);
    this.more = el("span.note");
    this.element = el("li.box", this.label, this.value, this.bar.element, this.more);
  }

  /** @param more a text, or an element that replaces the current content if it differs. */
  set(value, share, level, more = "") {
    setText(this.value, value);
    this.bar.set(share ?? NaN, level, value);
    if (typeof more === "string") setText(this.more, more);
    else if (!this.more.firstElementChild?.isEqualNode(more)) this.more.replaceChildren(more);
  }
}

/** Announces a text to screen readers. */
export const announce = (text) => setText(document.getElementById("live"), text);

export function address(values) {
  const given = new URLSearchParams(Object.entries(values).filter(([, value]) => value));
  return given.size ? `?${given}` : "./";
}

/** Points a link to a subject. */
export function setLink(link, subject) {
  setText(link, subject.title);
  setAttribute(link, "title", subject.title);
  setAttribute(link, "href", addressOf(subject));
}

/** The last parameters of the fleet view, such as its search. */
export const home = { values: {} };

export function addressOf(subject, more) {
  const now = parameters(), both = { zone: now.zone, lang: now.lang };
  return address(subject ? { [subject.kind]: subject.id, site: subject.site, ...more, ...both } : { ...home.values, ...both });
}

export const replace = (values) => history.replaceState(history.state, "", address({ ...parameters(), ...values }));

export function visit(next) {
  history.replaceState({ y: scrollY }, "");
  history.pushState(null, "", next);
  dispatchEvent(new PopStateEvent("popstate"));
}

// Not relative to the document's URL, which may contain a user name and password.
export const api = new URL("api/v2/", location.origin + location.pathname).href;
let cluster;

/** The URL of a resource of the cluster, with a query. */
export async function at(path, query, signal) {
  cluster ??= encodeURIComponent((await get(api + "clusters", signal)).clusters[0].id);
  const values = new URLSearchParams(Object.entries(query ?? {}).filter(([, value]) => value ?? false));
  return `${api}clusters/${cluster}/${path}${values.size ? `?${values}` : ""}`;
}

/** The path of a subject. */
export const pathOf = ({ kind, id }) => `${kind === "ups" ? kind : "node-metrics"}/${encodeURIComponent(id)}`;

export async function get(url, signal, patience = 10_000, method = "GET") {
  // With this header, the server does not make the browser prompt for a password.
  const headers = { "X-Requested-With": "page" };
  const response = await fetch(url, { method, headers, signal: AbortSignal.any([AbortSignal.timeout(patience), ...signal ? [signal] : []]), redirect: "error" });
  if (response.ok) return response.status === 204 ? null : response.json();
  const { error } = await response.json().catch(() => ({}));
  throw Object.assign(new Error(error ?? `HTTP ${response.status}`), { status: response.status });
}

export const dayZone = () => zone.name ? "utc" : "local";

/** The time zone of the days in an API response, as text. */
export function daysOf({ zone: name, utc_offset: offset = 0 }) {
  if (name === "utc") return t("days in UTC");
  const minutes = Math.abs(offset) / 60, rest = minutes % 60;
  return t("days at the server, {0}", `UTC${offset < 0 ? "−" : "+"}${Math.floor(minutes / 60)}${rest ? `:${rest}` : ""}`);
}

