// One UPS or node: what it says now, its charts, and its tables.

import * as api from "./api.js";
import { Chart } from "./chart.js";
import { el, setText } from "./dom.js";
import { EnergyBars } from "./energy.js";
import { age, moment, show, span } from "./format.js";
import { modeName, t } from "./text.js";
import { Table } from "./table.js";

const hourLength = 3_600_000;
/** The ranges that have a button. */
export const ranges = { "24h": 24 * hourLength, "7d": 168 * hourLength, "30d": 720 * hourLength };
/** More points than this are no more to be seen. */
const mostPoints = 9000;

const charts = {
    ups: [
        { title: "load-percent", unit: "percent", series: [["load_percent", "load-percent"]], top: 100 },
        { title: "load-watts", unit: "watts", series: [["load_watts", "load-watts"]] },
        { title: "battery", unit: "percent", series: [["battery_percent", "battery-percent"]], top: 100 },
        { title: "battery-runtime", unit: "seconds", series: [["battery_runtime_seconds", "battery-runtime"]] },
        { title: "input-volts", unit: "volts", series: [["input_volts", "input"], ["output_volts", "output"]], floats: true },
        { title: "temperature", unit: "celsius", series: [["temperature_celsius", "temperature"]], floats: true },
    ],
    node: [
        { title: "cpu", unit: "percent", series: [["cpu_usage", "cpu"]], top: 100 },
        { title: "memory", unit: "percent", series: [["memory_usage", "memory"], ["disk_usage", "disk"]], top: 100 },
        { title: "disk", unit: "bytesPerSecond", series: [["disk_io_read", "read"], ["disk_io_write", "written"]] },
        { title: "network", unit: "bytesPerSecond", series: [["network_rx", "received"], ["network_tx", "sent"]] },
        { title: "temperature", unit: "celsius", series: [["cpu_temp", "temperature"]], floats: true },
        { title: "load-average", unit: "plain", series: [["load_1", "load-average"]] },
    ],
};

export class DetailView {
    /** @param {{go: Function, isUTC: Function}} context  how to show another range, and the zone of days */
    constructor(subject, context) {
        this.subject = subject;
        this.context = context;
        this.title = el("h2", {}, subject.name);
        this.state = el("p", { class: "age" });
        this.facts = el("dl", { class: "facts" });
        this.alarms = el("ul", { class: "alarms" });
        this.charts = charts[subject.kind].map((plan) => {
            const series = plan.series.map(([key, label]) => ({ key, label: t(label) }));
            const title = series.length > 1 ? series.map(({ label }) => label).join(", ") : t(plan.title);
            const name = plan.title === "input-volts" ? `${t("input-volts")}, ${t("output-volts")}` : plan.title === "disk" || plan.title === "network"
                ? `${t(plan.title)}: ${title}` : title;
            return new Chart({ ...plan, series, title: name, onRange: (from, to) => this.choose(from, to) });
        });
        this.buttons = Object.fromEntries(Object.keys(ranges).map((key) => [key,
            el("button", { type: "button", onclick: () => context.go({ range: key }) }, t(key))]));
        this.custom = el("span", { class: "custom" });
        const shift = (part) => () => {
            const { from, to } = this.span();
            const by = (to - from) * part;
            this.choose(from + by, to + by);
        };
        const widen = () => {
            const { from, to } = this.span();
            this.choose(from - (to - from) / 2, to + (to - from) / 2);
        };
        this.tables = subject.kind === "node" ? nodeTables() : upsTables();
        this.energy = subject.kind === "ups" ? new EnergyBars() : null;
        this.element = el("article", {},
            el("p", {}, el("a", { href: context.homeAddress(), onclick: (event) => context.home(event) }, `← ${t("back")}`)),
            this.title, this.state, this.alarms, this.facts,
            el("section", { "aria-label": t("history") },
                el("div", { class: "ranges", role: "group", "aria-label": t("range") }, ...Object.values(this.buttons),
                    el("button", { type: "button", onclick: shift(-1), "aria-label": t("previous"), title: t("previous") }, "←"),
                    el("button", { type: "button", onclick: shift(1), "aria-label": t("next"), title: t("next") }, "→"),
                    el("button", { type: "button", onclick: widen, "aria-label": t("widen"), title: t("widen") }, "−"), this.custom),
                el("div", { class: "charts" }, ...this.charts.map(({ element }) => element)),
                subject.kind === "node" ? el("p", { class: "note" }, t("bytes-base")) : null),
            this.energy?.element, ...Object.values(this.tables).map(({ element }) => element));
    }

    /** The range that the address asks for. */
    span(now = Date.now()) {
        const parameters = new URLSearchParams(location.search);
        const from = Number(parameters.get("from")), to = Number(parameters.get("to"));
        if (from > 0 && to > from) return { from, to, isChosen: true };
        const length = ranges[parameters.get("range")] ?? ranges["24h"];
        return { from: now - length, to: now, isChosen: false };
    }

    choose(from, to) {
        const now = Date.now();
        const length = Math.min(to - from, 366 * 24 * hourLength);
        const end = Math.min(to, now);
        this.context.go({ from: Math.round(end - length), to: Math.round(end) });
    }

    /** Shows what the fleet says of the subject now. */
    update({ ups, nodes }, now) {
        const { kind, name, site } = this.subject;
        const entry = kind === "ups"
            ? ups.ups.find((candidate) => candidate.id === name && (site === undefined || candidate.site === site)) : nodes.nodes[name];
        this.isKnown = entry !== undefined;
        if (!entry) {
            setText(this.state, t("not-found", name));
            return;
        }
        this.tariff = ups.tariff;
        setText(this.title, (kind === "ups" ? entry.name : null) ?? name);
        const seen = Date.parse(entry.last_seen);
        setText(this.state, `${t(entry.state)} · ${t("last-seen")}: ${moment(seen)} (${age(now - seen)})`);
        const alarms = (entry.alarms ?? []).map(({ text }) => text);
        if (this.alarms.dataset.key !== alarms.join("\n")) {
            this.alarms.dataset.key = alarms.join("\n");
            this.alarms.replaceChildren(...alarms.map((text) => el("li", {}, text)));
        }
        this.state.dataset.state = entry.state;
        this.list(kind === "ups" ? deviceFacts(entry) : nodeFacts(entry));
        this.tables.fill(entry);
    }

    list(facts) {
        const rows = facts.filter(([, value]) => value && value !== "–");
        if (this.facts.childElementCount !== rows.length) {
            this.facts.replaceChildren(...rows.map(() => el("div", {}, el("dt"), el("dd"))));
        }
        rows.forEach(([key, value], index) => {
            const [head, data] = this.facts.children[index].children;
            setText(head, t(key));
            setText(data, value);
        });
    }

    /** Reads the history of the range and draws it. One that is asked for later gives an earlier one up. */
    async load() {
        this.request?.abort();
        const request = new AbortController();
        this.request = request;
        const span = this.span();
        const chosen = new URLSearchParams(location.search).get("range") ?? "24h";
        for (const [key, button] of Object.entries(this.buttons)) {
            button.setAttribute("aria-pressed", String(!span.isChosen && key === chosen));
        }
        setText(this.custom, span.isChosen ? t("between", moment(span.from), moment(span.to)) : "");
        const step = Math.max(300, Math.ceil((span.to - span.from) / 1000 / mostPoints));
        try {
            const wanted = span.to - span.from > mostPoints * 300_000 ? { ...span, step } : span;
            const history = await api.history(this.subject, wanted, request.signal);
            const file = api.historyFile(this.subject, wanted);
            for (const chart of this.charts) chart.set(history, span, file);
            this.loaded = Date.now();
        } catch (error) {
            if (request.signal.aborted) return;
            for (const chart of this.charts) chart.fail(error.message);
        }
        await this.loadEnergy(request.signal);
    }

    async loadEnergy(signal) {
        if (!this.energy) return;
        const to = Date.now();
        try {
            const energy = await api.energy(this.subject, { from: to - ranges["30d"], to }, this.context.isUTC(), signal);
            this.energy.set(energy.energy, energy.tariff);
        } catch (error) {
            if (!signal.aborted) this.energy.fail(error.message);
        }
    }

    /** Asks for what has come since, where the range ends now. */
    refresh() {
        if (!this.span().isChosen && Date.now() - (this.loaded ?? 0) > 60_000) return this.load();
        return undefined;
    }

    redraw() {
        for (const chart of this.charts) chart.draw();
    }

    leave() {
        this.request?.abort();
    }
}

function deviceFacts(entry) {
    const charging = entry.battery_charging === true ? `, ${t("charging")}` : "";
    return [
        ["mode", entry.mode && modeName(entry.mode)], ["load", `${show(entry.load_percent, "percent")}, ${show(entry.load_watts, "watts")}`],
        ["battery", show(entry.battery_percent, "percent") + charging], ["runtime", show(entry.battery_runtime_seconds, "seconds")],
        ["input", `${show(entry.input_volts, "volts")}, ${show(entry.input_hertz, "hertz")}`],
        ["output", `${show(entry.output_volts, "volts")}, ${show(entry.output_amperes, "amperes")}`],
        ["battery-volts", show(entry.battery_volts, "volts")], ["temperature", show(entry.temperature_celsius, "celsius")],
        ["energy", show(entry.energy_watt_hours, "wattHours")], ["rating", show(entry.rated_volt_amperes, "voltAmperes")],
        ["model", entry.model], ["firmware", entry.firmware_version], ["site", entry.site],
        ["fault", entry.fault_code], ["read-at", entry.read_at && moment(Date.parse(entry.read_at))],
    ];
}

function nodeFacts(entry) {
    const { cpu, memory } = entry;
    return [
        ["cpu", cpu && `${show(cpu.usage_percent, "percent")}${cpu.threads ? `, ${cpu.threads} ${t("cores")}` : ""}`],
        ["load-average", cpu && [cpu.load_1, cpu.load_5, cpu.load_15].map((load) => show(load, "plain")).join(", ")],
        ["memory", memory && `${show(memory.used, "bytes")} / ${show(memory.total, "bytes")}`],
        ["swap", memory?.swap_total ? `${show(memory.swap_used, "bytes")} / ${show(memory.swap_total, "bytes")}` : null],
        ["temperature", show(entry.temperature?.cpu_temp, "celsius")], ["uptime", Number.isFinite(entry.uptime) ? span(entry.uptime) : null],
        ["model", cpu?.model], ["kernel", entry.kernel],
    ];
}

function upsTables() {
    const phases = new Table(t("phases"), [
        { key: "number", label: t("phase") }, { key: "input_volts", label: t("input"), unit: "volts" },
        { key: "output_volts", label: t("output"), unit: "volts" }, { key: "output_amperes", label: t("output"), unit: "amperes" },
        { key: "load_watts", label: t("load"), unit: "watts" },
    ], "number");
    return tables({ phases }, (entry) => phases.set(entry.phases ?? []));
}

function nodeTables() {
    const processes = new Table(t("processes"), [
        { key: "pid", label: t("pid"), isText: false }, { key: "name", label: t("name"), isText: true }, { key: "user", label: t("user"), isText: true },
        { key: "cpu_percent", label: t("cpu"), unit: "percent" }, { key: "mem_percent", label: t("memory"), unit: "percent" },
        { key: "mem_rss", label: t("size"), unit: "bytes" }, { key: "threads", label: t("threads") }, { key: "status", label: t("status"), isText: true },
    ], "cpu_percent");
    const disks = new Table(t("disks"), [
        { key: "device", label: t("disk"), isText: true }, { key: "mount_point", label: t("mount"), isText: true },
        { key: "total", label: t("size"), unit: "bytes" }, { key: "usage_percent", label: t("used"), unit: "percent" },
        { key: "read_rate", label: t("read"), unit: "bytesPerSecond" }, { key: "write_rate", label: t("written"), unit: "bytesPerSecond" },
    ], "usage_percent");
    const networks = new Table(t("networks"), [
        { key: "interface", label: t("interface"), isText: true }, { key: "ip_address", label: t("address"), isText: true },
        { key: "status", label: t("status"), isText: true }, { key: "rx_rate", label: t("received"), unit: "bytesPerSecond" },
        { key: "tx_rate", label: t("sent"), unit: "bytesPerSecond" },
    ], "rx_rate");
    const sensors = new Table(t("sensors"), [
        { key: "name", label: t("sensor"), isText: true }, { key: "label", label: t("name"), isText: true },
        { key: "current", label: t("temperature"), unit: "celsius" }, { key: "max", label: t("maximum"), unit: "celsius" },
    ], "current");
    return tables({ disks, networks, sensors, processes }, (entry) => {
        processes.set(entry.processes ?? []);
        disks.set(entry.disks ?? []);
        networks.set(entry.networks ?? []);
        sensors.set(entry.temperature?.sensors ?? []);
    });
}

function tables(parts, fill) {
    Object.defineProperty(parts, "fill", { value: fill, enumerable: false });
    return parts;
}
