// Numbers, units and times as the reader's language writes them.

import { language, t } from "./text.js";

/** The zone in which times are shown: "UTC", or undefined for the reader's own. */
export const zone = { name: undefined };

const formats = new Map();

/** A format of Intl, made once: making one takes longer than a thousand uses. */
function format(kind, options) {
  const key = JSON.stringify(options) + zone.name;
  if (!formats.has(key)) formats.set(key, new Intl[kind](language, { ...options, timeZone: zone.name }));
  return formats.get(key);
}

const number = (value, digits, least = 0) =>
  format("NumberFormat", { minimumFractionDigits: least, maximumFractionDigits: digits }).format(value);

function bytes(value) {
  const power = Math.min(5, Math.max(0, Math.floor(Math.log2(Math.abs(value) || 1) / 10)));
  const size = value / 1024 ** power;
  return `${number(size, power === 0 || size >= 100 ? 0 : size >= 10 ? 1 : 2)} ${["B", "KiB", "MiB", "GiB", "TiB", "PiB"][power]}`;
}

/** A span of time in its two largest units: `2 h 5 min`. */
export function span(seconds) {
  const sizes = [["d", 86_400], ["h", 3600], ["min", 60], ["s", 1]];
  let rest = Math.round(seconds);
  const largest = sizes.findIndex(([, size]) => rest >= size);
  if (largest < 0) return "0 s";
  return sizes.slice(largest, largest + 2).flatMap(([unit, size], index) => {
    const count = Math.floor(rest / size);
    rest %= size;
    return count || !index ? `${count} ${unit}` : [];
  }).join(" ");
}

/** How long ago a moment was. */
export const age = (milliseconds) => milliseconds < 2000 ? t("just now") : t("{0} ago", span(milliseconds / 1000));

/** A moment, with its day and zone. */
export const moment = (time) => format("DateTimeFormat", {
  year: "numeric", month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZoneName: "short",
}).format(time);
/** The hour of a moment. */
export const hour = (time) => format("DateTimeFormat", { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(time);
/** The day of a moment. */
export const day = (time) => format("DateTimeFormat", { month: "short", day: "numeric" }).format(time);

const units = {
  percent: (value) => `${number(value, value < 10 ? 1 : 0)} %`,
  watts: (value) => Math.abs(value) < 10_000 ? `${number(value, 0)} W` : `${number(value / 1000, 1)} kW`,
  wattHours: (value) => `${number(value / 1000, value < 10_000 ? 2 : value < 1_000_000 ? 1 : 0)} kWh`,
  volts: (value) => `${number(value, 1, 1)} V`,
  amperes: (value) => `${number(value, 1, 1)} A`,
  hertz: (value) => `${number(value, 1, 1)} Hz`,
  celsius: (value) => `${number(value, 1, 1)} °C`,
  voltAmperes: (value) => `${number(value, 0)} VA`,
  bytes,
  bytesPerSecond: (value) => `${bytes(value)}/s`,
  seconds: span,
  plain: (value) => number(value, 2),
  money: (value) => number(value, 2, 2),
  moment,
};

/** A value with its unit; "–" for what is not known, which is never 0. */
export const show = (value, unit) => Number.isFinite(value) ? units[unit](value) : "–";

/** A new date with a part ("Hours", "Date") set by the clock of the chosen zone. */
function changed(time, part, ...values) {
  const date = new Date(time);
  date[`set${zone.name ?? ""}${part}`](...values);
  return date;
}

/** Midnights and hours in the chosen zone, over daylight saving too. */
export const calendar = {
  midnight: (time) => changed(time, "Hours", 0, 0, 0, 0),
  add: (date, days) => changed(date, "Date", date[`get${zone.name ?? ""}Date`]() + days),
  at: (midnight, hours) => changed(midnight, "Hours", hours),
};
