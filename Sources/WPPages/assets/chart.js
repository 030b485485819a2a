// A chart of averages with a band from minimum to maximum, drawn on a canvas and readable without seeing it.

import { announce, el, save, setText } from "./dom.js";
import { calendar, day, hour, moment, show } from "./format.js";
import { t } from "./text.js";

const height = 180;
const margin = { top: 8, right: 8, bottom: 22, left: 76 };
const dashes = [[], [7, 4], [2, 3], [9, 3, 2, 3]];
/** A hole of more than this many steps is a gap. */
const gapSteps = 1.75;

const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** The steps between marks, as parts of a power of the base: 10 for numbers, 2 for bytes, 60 for seconds. */
const steps = { 10: [1, 2, 5], 2: [1], 60: [1, 2, 5, 10, 15, 20, 30] };

/** Numbers to mark on an axis. */
export function ticks(low, high, wanted, base = 10) {
    const rough = (high - low) / Math.max(1, wanted);
    if (!(rough > 0)) return [low];
    const power = base ** Math.floor(Math.log(rough) / Math.log(base));
    const step = power * (steps[base].find((part) => part * power >= rough * 0.999) ?? base);
    const marks = [];
    for (let index = Math.ceil(low / step - 1e-9); index * step <= high + step * 1e-9; index += 1) marks.push(index * step || 0);
    return marks;
}

/** Moments to mark: hours or days of the chosen zone, at most about so many. */
export function timeMarks(from, to, wanted) {
    const hours = [1, 2, 3, 6, 12].find((step) => (to - from) / (step * 3_600_000) <= wanted);
    const days = hours ? 1 : [1, 2, 4, 7, 14].find((step) => (to - from) / (step * 86_400_000) <= wanted) ?? 31;
    const marks = [];
    let midnight = calendar.midnight(from);
    for (let turn = 0; turn < 800 && midnight.getTime() <= to; turn += 1) {
        const next = calendar.add(midnight, days);
        if (hours) {
            for (let index = 0; index < 24; index += hours) {
                const time = calendar.at(midnight, index).getTime();
                if (time < next.getTime()) marks.push(time);
            }
        } else marks.push(midnight.getTime());
        midnight = next;
    }
    return { marks: marks.filter((time) => time >= from && time <= to), isDays: !hours };
}

/** The runs of points without a gap between them. Made before anything is reduced, so that a gap stays one. */
export function runs(points, step) {
    const found = [];
    let run = [];
    for (const point of points) {
        if (run.length && point.time - run.at(-1).time > gapSteps * step) {
            found.push(run);
            run = [];
        }
        run.push(point);
    }
    if (run.length) found.push(run);
    return found;
}

/** A run reduced to one point per column of pixels: extremes stay, averages are weighed by their samples. */
export function columns(run, x) {
    const reduced = [];
    let last;
    for (const point of run) {
        const column = Math.round(x(point.time));
        if (last && last.column === column) {
            last.low = Math.min(last.low, point.low);
            last.high = Math.max(last.high, point.high);
            last.sum += point.value * point.weight;
            last.weight += point.weight;
        } else {
            last = { column, low: point.low, high: point.high, sum: point.value * point.weight, weight: point.weight };
            reduced.push(last);
        }
    }
    return reduced;
}

/** A chart of one or more series in one unit. */
export class Chart {
    /**
     * @param {{title: string, unit: string, series: {key: string, label: string}[], top?: number, onRange: Function}} options
     *   `top` is where the axis ends at least; it begins at 0 unless `floats` is set.
     */
    constructor(options) {
        this.options = options;
        this.series = [];
        this.cursor = null;
        this.canvas = el("canvas", { "aria-hidden": "true" });
        this.tip = el("p", { class: "tip", hidden: true });
        this.note = el("p", { class: "note" });
        this.plot = el("div", {
            class: "plot", tabindex: 0, role: "group", "aria-roledescription": t("chart"),
            onkeydown: (event) => this.key(event), onblur: () => this.point(null),
            onpointermove: (event) => this.move(event), onpointerleave: () => { if (!this.drag) this.point(null); },
            onpointerdown: (event) => this.press(event), onpointerup: (event) => this.release(event),
            onpointercancel: () => { this.drag = null; this.draw(); },
        }, this.canvas, this.tip);
        this.details = el("details", { ontoggle: () => this.fill() }, el("summary", {}, t("table")));
        this.csv = el("a", { class: "button", download: "history.csv" }, t("csv"));
        this.element = el("figure", { class: "chart" },
            el("figcaption", {}, el("h3", {}, options.title), this.legend(), el("span", { class: "tools" }, this.csv,
                el("button", { type: "button", onclick: () => this.picture(), "aria-label": `${t("png")}: ${options.title}` }, t("png")))),
            this.plot, this.note, this.details);
        new ResizeObserver(() => this.draw()).observe(this.plot);
    }

    legend() {
        if (this.options.series.length < 2) return null;
        return el("ul", { class: "legend" }, ...this.options.series.map((series, index) =>
            el("li", { class: `series-${index}` }, series.label)));
    }

    /** Takes what the API gave: `history`, and `step` in seconds. */
    set(history, range, csv) {
        this.range = range;
        this.csv.href = csv;
        this.step = history.step * 1000;
        this.series = this.options.series.map(({ key, label }) => ({
            label,
            points: history.history.filter((point) => Number.isFinite(point[key])).map((point) => ({
                time: Date.parse(point.timestamp), value: point[key],
                low: point[`${key}_min`] ?? point[key], high: point[`${key}_max`] ?? point[key], weight: point.samples || 1,
            })),
        }));
        for (const series of this.series) series.runs = runs(series.points, this.step);
        this.times = [...new Set(this.series.flatMap(({ points }) => points.map(({ time }) => time)))].sort((a, b) => a - b);
        const isEmpty = !this.times.length;
        setText(this.note, isEmpty ? t("chart-empty") : "");
        this.plot.setAttribute("aria-label", `${this.options.title}. ${this.summary()} ${t("chart-keys")}`);
        this.fill();
        this.draw();
    }

    /** Says why there is nothing new; what is drawn stays. */
    fail(message) {
        setText(this.note, t("chart-failed", message));
    }

    summary() {
        return this.series.filter(({ points }) => points.length).map(({ label, points }) => {
            let low = Infinity, high = -Infinity;
            for (const point of points) {
                low = Math.min(low, point.low);
                high = Math.max(high, point.high);
            }
            return `${label}: ${t("lowest", show(low, this.options.unit), show(high, this.options.unit))}.`;
        }).join(" ") || t("chart-empty");
    }

    scale(width) {
        let low = this.options.floats ? Infinity : 0, high = this.options.top ?? -Infinity;
        for (const { points } of this.series) {
            for (const point of points) {
                if (point.low < low) low = point.low;
                if (point.high > high) high = point.high;
            }
        }
        if (!Number.isFinite(low)) low = 0;
        if (!Number.isFinite(high) || high <= low) high = low + 1;
        if (this.options.floats) {
            const room = Math.max((high - low) * 0.1, Math.abs(high) * 0.005);
            low -= room;
            high += room;
        } else if (this.options.top === undefined) high *= 1.05;
        const { from, to } = this.range;
        return {
            low, high,
            x: (time) => margin.left + (time - from) / (to - from) * (width - margin.left - margin.right),
            y: (value) => margin.top + (high - value) / (high - low) * (height - margin.top - margin.bottom),
            time: (x) => from + (x - margin.left) / (width - margin.left - margin.right) * (to - from),
        };
    }

    draw() {
        const width = this.plot.clientWidth;
        if (!width || !this.range) return;
        const ratio = devicePixelRatio || 1;
        const { canvas } = this;
        if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
            canvas.width = Math.round(width * ratio);
            canvas.height = Math.round(height * ratio);
        }
        const pen = canvas.getContext("2d");
        pen.setTransform(ratio, 0, 0, ratio, 0, 0);
        pen.clearRect(0, 0, width, height);
        const scale = this.scale(width);
        this.grid(pen, scale, width);
        pen.save();
        pen.beginPath();
        pen.rect(margin.left, 0, width - margin.left - margin.right, height - margin.bottom + 1);
        pen.clip();
        this.series.forEach((series, index) => this.curve(pen, scale, series, index));
        pen.restore();
        this.marks(pen, scale, width);
    }

    grid(pen, { low, high, x, y }, width) {
        pen.font = "12px system-ui, sans-serif";
        pen.fillStyle = style("--muted");
        pen.strokeStyle = style("--grid");
        pen.lineWidth = 1;
        pen.textBaseline = "middle";
        pen.textAlign = "right";
        const base = this.options.unit.startsWith("bytes") ? 2 : this.options.unit === "seconds" ? 60 : 10;
        for (const value of ticks(low, high, 5, base)) {
            const at = Math.round(y(value)) + 0.5;
            pen.beginPath();
            pen.moveTo(margin.left, at);
            pen.lineTo(width - margin.right, at);
            pen.stroke();
            pen.fillText(show(value, this.options.unit), margin.left - 6, at);
        }
        pen.textBaseline = "top";
        pen.textAlign = "center";
        const { from, to } = this.range;
        const { marks, isDays } = timeMarks(from, to, Math.max(2, Math.floor(width / 90)));
        for (const time of marks) {
            const at = Math.round(x(time)) + 0.5;
            pen.beginPath();
            pen.moveTo(at, margin.top);
            pen.lineTo(at, height - margin.bottom);
            pen.stroke();
            if (at > margin.left + 10 && at < width - 20) {
                const isMidnight = calendar.midnight(time).getTime() === time;
                pen.fillText(isDays || isMidnight ? day(time) : hour(time), at, height - margin.bottom + 6);
            }
        }
    }

    curve(pen, { x, y }, { runs: parts }, index) {
        const colour = style(`--series-${index}`);
        for (const run of parts ?? []) {
            const reduced = columns(run, x);
            pen.fillStyle = colour;
            pen.strokeStyle = colour;
            if (reduced.length === 1) {
                // One point alone has no line: a mark, so that it is seen.
                const [point] = reduced;
                pen.globalAlpha = 1;
                pen.fillRect(point.column - 0.5, y(point.high), 1, Math.max(1, y(point.low) - y(point.high)));
                pen.beginPath();
                pen.arc(point.column, y(point.sum / point.weight), 2, 0, 7);
                pen.fill();
                continue;
            }
            pen.globalAlpha = 0.22;
            pen.beginPath();
            for (const point of reduced) pen.lineTo(point.column, y(point.high));
            for (let back = reduced.length - 1; back >= 0; back -= 1) pen.lineTo(reduced[back].column, y(reduced[back].low));
            pen.fill();
            pen.globalAlpha = 1;
            pen.lineWidth = 1.5;
            pen.setLineDash(dashes[index % dashes.length]);
            pen.beginPath();
            for (const point of reduced) pen.lineTo(point.column, y(point.sum / point.weight));
            pen.stroke();
            pen.setLineDash([]);
        }
    }

    marks(pen, { x }, width) {
        if (this.drag) {
            pen.fillStyle = style("--series-0");
            pen.globalAlpha = 0.2;
            pen.fillRect(this.drag.from, margin.top, this.drag.to - this.drag.from, height - margin.top - margin.bottom);
            pen.globalAlpha = 1;
        }
        if (this.cursor === null || !this.times?.length) return;
        const at = Math.round(x(this.times[this.cursor])) + 0.5;
        if (at < margin.left || at > width - margin.right + 1) return;
        pen.strokeStyle = style("--text");
        pen.beginPath();
        pen.moveTo(at, margin.top);
        pen.lineTo(at, height - margin.bottom);
        pen.stroke();
    }

    /** Puts the cursor on a moment of the data; null takes it away. */
    point(index, isSpoken = false) {
        if (index === this.cursor) return;
        this.cursor = index;
        this.tip.hidden = index === null;
        if (index !== null) {
            const words = this.words(this.times[index]);
            setText(this.tip, words);
            const at = this.scale(this.plot.clientWidth).x(this.times[index]);
            this.tip.dataset.side = at > this.plot.clientWidth / 2 ? "left" : "right";
            if (isSpoken) announce(words);
        }
        this.draw();
    }

    words(time) {
        const values = this.series.map(({ label, points }) => {
            const point = points.find((candidate) => candidate.time === time);
            if (!point) return null;
            const { unit } = this.options;
            const spread = point.low === point.high ? "" : ` (${t("between", show(point.low, unit), show(point.high, unit))})`;
            return `${this.series.length > 1 ? `${label}: ` : ""}${show(point.value, unit)}${spread}`;
        });
        return [moment(time), ...values.filter(Boolean)].join(" · ");
    }

    nearest(time) {
        const { times } = this;
        if (!times?.length) return null;
        let low = 0, high = times.length - 1;
        while (low < high) {
            const middle = (low + high) >> 1;
            if (times[middle] < time) low = middle + 1;
            else high = middle;
        }
        return low > 0 && time - times[low - 1] < times[low] - time ? low - 1 : low;
    }

    key(event) {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        const last = (this.times?.length ?? 0) - 1;
        const stride = event.shiftKey ? 10 : 1;
        const at = this.cursor;
        if (event.key === "+" || event.key === "-") {
            this.zoom(event.key === "+" ? 0.5 : 2);
            event.preventDefault();
            return;
        }
        const target = {
            ArrowRight: () => at === null ? 0 : Math.min(last, at + stride), ArrowLeft: () => at === null ? last : Math.max(0, at - stride),
            Home: () => 0, End: () => last, Escape: () => null,
        }[event.key];
        if (!target || last < 0) return;
        event.preventDefault();
        this.point(target(), true);
    }

    /** Shows a shorter or longer range around the cursor, or around the middle. */
    zoom(factor) {
        const { from, to } = this.range;
        const centre = this.cursor === null ? (from + to) / 2 : this.times[this.cursor];
        const half = Math.max(15 * 60_000, (to - from) * factor / 2);
        this.options.onRange(centre - half, centre + half);
    }

    position(event) {
        return event.clientX - this.plot.getBoundingClientRect().left;
    }

    press(event) {
        if (event.button !== 0 || event.pointerType === "touch" || !this.range) return;
        this.plot.setPointerCapture(event.pointerId);
        const at = this.position(event);
        this.drag = { start: at, from: at, to: at };
    }

    move(event) {
        if (!this.range) return;
        const at = this.position(event);
        const width = this.plot.clientWidth;
        if (this.drag) {
            const end = Math.min(width - margin.right, Math.max(margin.left, at));
            this.drag.from = Math.min(this.drag.start, end);
            this.drag.to = Math.max(this.drag.start, end);
            this.draw();
        }
        this.point(this.nearest(this.scale(width).time(at)));
    }

    release() {
        const { drag } = this;
        this.drag = null;
        if (!drag) return;
        if (drag.to - drag.from > 8) {
            const { time } = this.scale(this.plot.clientWidth);
            this.options.onRange(time(drag.from), time(drag.to));
        } else this.draw();
    }

    /** The same data as a table, made when it is opened; of a long range each so-manieth row. */
    fill() {
        if (!this.details.open || !this.times) return;
        this.details.querySelector(".scroll")?.remove();
        const stride = Math.ceil(this.times.length / 500);
        const { unit } = this.options;
        const heads = this.series.flatMap(({ label }) => [label, t("minimum"), t("maximum")]);
        const maps = this.series.map(({ points }) => new Map(points.map((point) => [point.time, point])));
        const rows = this.times.filter((_, index) => index % stride === 0).map((time) => el("tr", {},
            el("th", { scope: "row" }, moment(time)),
            ...maps.flatMap((map) => {
                const point = map.get(time);
                return [point?.value, point?.low, point?.high].map((value) => el("td", {}, show(value, unit)));
            })));
        this.details.append(el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": `${this.options.title}: ${t("table")}` },
            el("table", {},
                el("thead", {}, el("tr", {}, el("th", { scope: "col" }, t("time")), ...heads.map((head) => el("th", { scope: "col" }, head)))),
                el("tbody", {}, ...rows))));
    }

    picture() {
        const copy = el("canvas", { width: this.canvas.width, height: this.canvas.height });
        const pen = copy.getContext("2d");
        pen.fillStyle = style("--card");
        pen.fillRect(0, 0, copy.width, copy.height);
        pen.drawImage(this.canvas, 0, 0);
        copy.toBlob((blob) => { if (blob) save(blob, "chart.png"); });
    }
}
