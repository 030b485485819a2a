// Numbers, units and times as the reader's language writes them.

import { language, t } from "./text.js";

const numbers = new Map();

function number(value, digits, least = 0) {
    const key = `${least} ${digits}`;
    let format = numbers.get(key);
    if (!format) {
        format = new Intl.NumberFormat(language, { minimumFractionDigits: least, maximumFractionDigits: digits });
        numbers.set(key, format);
    }
    return format.format(value);
}

function scaled(value, base, units) {
    let size = Math.abs(value), index = 0;
    while (size >= base && index < units.length - 1) {
        size /= base;
        index += 1;
    }
    const digits = index === 0 || size >= 100 ? 0 : size >= 10 ? 1 : 2;
    return `${number(Math.sign(value) * size, digits)} ${units[index]}`;
}

const binary = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];

/** How each unit is written. Each gives "–" for what is not known: missing is never 0. */
const units = {
    percent: (value) => `${number(value, value < 10 ? 1 : 0)} %`,
    watts: (value) => Math.abs(value) < 10_000 ? `${number(value, 0)} W` : `${number(value / 1000, 1)} kW`,
    wattHours: (value) => `${number(value / 1000, value < 10_000 ? 2 : value < 1_000_000 ? 1 : 0)} kWh`,
    volts: (value) => `${number(value, 1)} V`,
    amperes: (value) => `${number(value, 1)} A`,
    hertz: (value) => `${number(value, 1)} Hz`,
    celsius: (value) => `${number(value, 1)} °C`,
    voltAmperes: (value) => `${number(value, 0)} VA`,
    bytes: (value) => scaled(value, 1024, binary),
    bytesPerSecond: (value) => scaled(value, 1024, binary.map((unit) => `${unit}/s`)),
    seconds: (value) => span(value),
    plain: (value) => number(value, 2),
    money: (value) => number(value, 2, 2),
};

/** A value with its unit. */
export const show = (value, unit) => Number.isFinite(value) ? units[unit](value) : "–";

/** A span of time in its two largest units: `2 h 5 min`. */
export function span(seconds) {
    const parts = [["d", 86_400], ["h", 3600], ["min", 60], ["s", 1]];
    let rest = Math.round(seconds);
    const index = parts.findIndex(([, size]) => rest >= size);
    if (index < 0) return "0 s";
    const [unit, size] = parts[index];
    const text = `${Math.floor(rest / size)} ${unit}`;
    rest %= size;
    const next = parts[index + 1];
    const small = next ? Math.floor(rest / next[1]) : 0;
    return small ? `${text} ${small} ${next[0]}` : text;
}

/** How long ago a moment was. */
export function age(milliseconds) {
    const seconds = Math.max(0, milliseconds / 1000);
    return seconds < 2 ? t("now") : t("age", span(seconds));
}

/** The zone in which times are shown: undefined for the reader's own. */
export const zone = { name: undefined };

const dates = new Map();

function format(options) {
    const key = JSON.stringify(options) + zone.name;
    let made = dates.get(key);
    if (!made) {
        made = new Intl.DateTimeFormat(language, { ...options, timeZone: zone.name });
        dates.set(key, made);
    }
    return made;
}

/** A moment, with its day and zone. */
export const moment = (time) => format({
    year: "numeric", month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZoneName: "short",
}).format(time);

/** The hour of a moment. */
export const hour = (time) => format({ hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(time);

/** The day of a moment. */
export const day = (time) => format({ month: "short", day: "numeric" }).format(time);

/** The parts of a calendar in the chosen zone, so that marks stand at midnight there, over daylight saving too. */
export const calendar = {
    midnight(time) {
        const date = new Date(time);
        if (zone.name === "UTC") date.setUTCHours(0, 0, 0, 0);
        else date.setHours(0, 0, 0, 0);
        return date;
    },
    add(date, days) {
        const next = new Date(date);
        if (zone.name === "UTC") next.setUTCDate(next.getUTCDate() + days);
        else next.setDate(next.getDate() + days);
        return next;
    },
    /** An hour of a day by its clock, also where the day has 23 or 25 hours. */
    at(midnight, hours) {
        const time = new Date(midnight);
        if (zone.name === "UTC") time.setUTCHours(hours);
        else time.setHours(hours);
        return time;
    },
};
