// All UPSes and nodes at a glance: a summary, a search, and a card for each.

import { el, meter, setAttribute, setText } from "./dom.js";
import { age, show } from "./format.js";
import { modeName, t } from "./text.js";
import * as api from "./api.js";

/** How a subject stands, worst first: what is to be seen to comes first. */
function standing(entry) {
    if (entry.state === "offline") return "offline";
    if (entry.connected === false) return "disconnected";
    if (entry.mode === "fault" || entry.alarms?.length) return "alarm";
    if (entry.mode === "battery") return "on-battery";
    return entry.state === "stale" ? "stale" : "online";
}

/** One name and its value on a card. */
function row(label) {
    const value = el("dd");
    const element = el("div", {}, el("dt", {}, label), value);
    return { element, set: (text) => setText(value, text) };
}

class Card {
    constructor(subject, onOpen, rows) {
        this.subject = subject;
        this.title = el("a", { href: onOpen.address(subject), onclick: (event) => onOpen(event, subject) });
        this.state = el("span", { class: "badge" });
        this.model = el("p", { class: "model" });
        this.rows = Object.fromEntries(rows.map((key) => [key, row(t(key))]));
        this.notes = el("ul", { class: "alarms" });
        this.element = el("li", { class: "card" }, el("div", { class: "head" }, el("h3", {}, this.title), this.state), this.model);
    }

    head(name, entry, now) {
        const state = standing(entry);
        setText(this.title, name);
        setText(this.state, t(state));
        setAttribute(this.element, "data-state", state);
        const old = now - Date.parse(entry.last_seen);
        setText(this.age, entry.state === "online" ? "" : age(old));
        this.words = `${name} ${entry.id ?? ""} ${entry.model ?? ""} ${entry.site ?? ""} ${entry.hostname ?? ""}`.toLowerCase();
        this.standing = state;
    }
}

class DeviceCard extends Card {
    constructor(subject, onOpen) {
        super(subject, onOpen, ["mode", "runtime", "input", "output", "temperature", "today", "month"]);
        this.load = meter(t("load"));
        this.battery = meter(t("battery"));
        this.loadText = el("dd");
        this.batteryText = el("dd");
        this.age = el("p", { class: "age" });
        const { mode, runtime, input, output, temperature, today, month } = this.rows;
        this.element.append(this.age, el("dl", {},
            mode.element, el("div", {}, el("dt", {}, t("load")), this.loadText, this.load.element),
            el("div", {}, el("dt", {}, t("battery")), this.batteryText, this.battery.element),
            runtime.element, input.element, output.element, temperature.element, today.element, month.element), this.notes);
    }

    update(entry, now) {
        this.head(entry.name ?? entry.id, entry, now);
        setText(this.model, [entry.model, entry.site].filter(Boolean).join(" · "));
        this.rows.mode.set(entry.mode ? modeName(entry.mode) : "–");
        setText(this.loadText, `${show(entry.load_percent, "percent")}, ${show(entry.load_watts, "watts")}`);
        this.load.set(entry.load_percent, entry.load_percent >= 90 ? "bad" : entry.load_percent >= 75 ? "warn" : null);
        const charging = entry.battery_charging === true ? `, ${t("charging")}` : entry.mode === "battery" ? `, ${t("discharging")}` : "";
        setText(this.batteryText, show(entry.battery_percent, "percent") + charging);
        this.battery.set(entry.battery_percent, entry.battery_percent < 30 ? "bad" : entry.battery_percent < 60 ? "warn" : null);
        this.rows.runtime.set(show(entry.battery_runtime_seconds, "seconds"));
        this.rows.input.set(`${show(entry.input_volts, "volts")}, ${show(entry.input_hertz, "hertz")}`);
        this.rows.output.set(`${show(entry.output_volts, "volts")}, ${show(entry.output_amperes, "amperes")}`);
        this.rows.temperature.set(show(entry.temperature_celsius, "celsius"));
        const alarms = (entry.alarms ?? []).slice(0, 5).map(({ text }) => text);
        if (alarms.join("\n") !== this.alarms) {
            this.alarms = alarms.join("\n");
            this.notes.replaceChildren(...alarms.map((text) => el("li", {}, text)));
        }
    }

    /** The energy of today and of this month, asked for only while the card can be seen. */
    energy(days, tariff) {
        const sum = (list) => list.reduce((total, { watt_hours: value }) => total + value, 0);
        const words = (list) => list.length
            ? show(sum(list), "wattHours") + (tariff === undefined ? "" : ` · ${show(sum(list) / 1000 * tariff, "money")}`) : "–";
        this.rows.today.set(words(days.slice(-1).filter(({ isToday }) => isToday)));
        this.rows.month.set(words(days));
    }
}

class NodeCard extends Card {
    constructor(subject, onOpen) {
        super(subject, onOpen, ["temperature", "received", "sent", "load-average"]);
        this.age = el("p", { class: "age" });
        this.bars = ["cpu", "memory", "disk"].map((key) => ({ key, text: el("dd"), bar: meter(t(key)) }));
        this.cores = el("div", { class: "cores", role: "img" });
        this.element.append(this.age, this.cores, el("dl", {},
            ...this.bars.map(({ key, text, bar }) => el("div", {}, el("dt", {}, t(key)), text, bar.element)),
            ...Object.values(this.rows).map(({ element }) => element)));
    }

    update(entry, now) {
        this.head(entry.node_name ?? this.subject.name, entry, now);
        setText(this.model, [entry.os, entry.hostname].filter(Boolean).join(" · "));
        const disk = entry.disks?.[0];
        const shares = [entry.cpu?.usage_percent, entry.memory?.usage_percent, disk?.usage_percent];
        this.bars.forEach(({ text, bar }, index) => {
            setText(text, show(shares[index], "percent"));
            bar.set(shares[index], shares[index] >= 90 ? "bad" : shares[index] >= 75 ? "warn" : null);
        });
        const cores = entry.cpu?.per_core ?? [];
        if (this.cores.childElementCount !== Math.min(cores.length, 128)) {
            this.cores.replaceChildren(...cores.slice(0, 128).map(() => el("i")));
        }
        setAttribute(this.cores, "aria-label", cores.length ? `${t("cores")}: ${cores.map((core) => Math.round(core)).join(", ")} %` : null);
        [...this.cores.children].forEach((bar, index) => {
            bar.style.transform = `scaleY(${(Math.min(100, cores[index]) / 100).toFixed(2)})`;
        });
        const network = entry.networks?.find(({ status }) => status === "up") ?? entry.networks?.[0];
        this.rows.temperature.set(show(entry.temperature?.cpu_temp, "celsius"));
        this.rows.received.set(show(network?.rx_rate, "bytesPerSecond"));
        this.rows.sent.set(show(network?.tx_rate, "bytesPerSecond"));
        this.rows["load-average"].set(show(entry.cpu?.load_1, "plain"));
    }
}

/** One tile of the summary. */
function tile(key) {
    const value = el("strong");
    const element = el("li", { hidden: true }, value, el("span", {}, t(key)));
    return {
        element,
        set(text, state) {
            element.hidden = text === null;
            setText(value, text ?? "");
            setAttribute(element, "data-state", state ?? null);
        },
    };
}

export class FleetView {
    constructor(onOpen, energyContext) {
        this.onOpen = onOpen;
        this.context = energyContext;
        this.cards = new Map();
        this.tiles = Object.fromEntries(["ups", "nodes", "online", "stale", "offline", "on-battery", "alarms", "total-load", "total-energy"]
            .map((key) => [key, tile(key)]));
        this.search = el("input", {
            type: "search", id: "search", autocomplete: "off", maxlength: 200, value: new URLSearchParams(location.search).get("q") ?? "",
            oninput: () => this.filter(true),
        });
        this.choice = el("select", { id: "state", onchange: () => this.filter(true) },
            ...["all", "online", "stale", "offline", "disconnected", "alarm", "on-battery"].map((key) => el("option", { value: key }, t(key))));
        this.choice.value = new URLSearchParams(location.search).get("state") ?? "all";
        if (!this.choice.value) this.choice.value = "all";
        this.count = el("span", { class: "count", role: "status" });
        this.nothing = el("p", { class: "note", hidden: true });
        this.lists = { ups: el("ul", { class: "cards" }), node: el("ul", { class: "cards" }) };
        this.sections = Object.fromEntries([["ups", "ups"], ["node", "nodes"]].map(([kind, title]) =>
            [kind, el("section", { hidden: true }, el("h2", {}, t(title)), this.lists[kind])]));
        this.element = el("div", {}, el("ul", { class: "tiles" }, ...Object.values(this.tiles).map(({ element }) => element)),
            el("form", { class: "filter", role: "search", onsubmit: (event) => event.preventDefault() },
                el("label", { for: "search" }, t("filter")), this.search,
                el("label", { for: "state" }, t("state")), this.choice, this.count),
            this.nothing, this.sections.ups, this.sections.node);
        // Which cards can be seen: only those ask for their energy.
        this.seen = new Set();
        this.observer = new IntersectionObserver((changes) => {
            for (const { target, isIntersecting } of changes) {
                if (isIntersecting) this.seen.add(target);
                else this.seen.delete(target);
            }
            this.askEnergy();
        });
    }

    update({ ups, nodes }, now) {
        this.tariff = ups.tariff;
        const entries = [
            ...ups.ups.map((entry) => ({ kind: "ups", name: entry.id, site: entry.site, entry })),
            ...Object.entries(nodes.nodes).map(([name, entry]) => ({ kind: "node", name, entry })),
        ];
        // By name, UPS-9 before UPS-10, as people look for them.
        entries.sort((left, right) => (left.entry.name ?? left.name).localeCompare(right.entry.name ?? right.name, undefined, { numeric: true }));
        const present = new Set();
        for (const { kind, name, site, entry } of entries) {
            const key = `${kind}\n${site ?? ""}\n${name}`;
            present.add(key);
            let card = this.cards.get(key);
            if (!card) {
                card = kind === "ups" ? new DeviceCard({ kind, name, site }, this.onOpen) : new NodeCard({ kind, name }, this.onOpen);
                this.cards.set(key, card);
                this.lists[kind].append(card.element);
                this.observer.observe(card.element);
                card.element.card = card;
            }
            card.update(entry, now);
        }
        for (const [key, card] of this.cards) {
            if (present.has(key)) continue;
            this.observer.unobserve(card.element);
            this.seen.delete(card.element);
            card.element.remove();
            this.cards.delete(key);
        }
        this.summarise(ups.summary, nodes.summary);
        this.filter(false);
        this.askEnergy();
    }

    summarise(ups, nodes) {
        const { tiles } = this;
        const count = (noun) => (ups[`${noun}_ups`] ?? 0) + (nodes[`${noun}_nodes`] ?? 0);
        const some = (value, state) => [value ? String(value) : null, state];
        tiles.ups.set(ups.total_ups ? String(ups.total_ups) : null);
        tiles.nodes.set(nodes.total_nodes ? String(nodes.total_nodes) : null);
        tiles.online.set(String(count("online")), count("online") ? "online" : undefined);
        tiles.stale.set(...some(count("stale"), "stale"));
        tiles.offline.set(...some(count("offline"), "offline"));
        tiles["on-battery"].set(...some(ups.on_battery, "on-battery"));
        tiles.alarms.set(...some(ups.active_alarms, "alarm"));
        tiles["total-load"].set(Number.isFinite(ups.load_watts) ? show(ups.load_watts, "watts") : null);
        tiles["total-energy"].set(Number.isFinite(ups.energy_watt_hours) ? show(ups.energy_watt_hours, "wattHours") : null);
    }

    /** Shows the cards that match; `isAsked` when the reader has changed what to look for. */
    filter(isAsked) {
        const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
        const state = this.choice.value;
        let shown = 0;
        const count = { ups: 0, node: 0 };
        for (const card of this.cards.values()) {
            const isShown = (state === "all" || card.standing === state) && words.every((word) => card.words.includes(word));
            if (card.element.hidden === isShown) card.element.hidden = !isShown;
            if (isShown) {
                shown += 1;
                count[card.subject.kind] += 1;
            }
        }
        for (const [kind, section] of Object.entries(this.sections)) section.hidden = !count[kind];
        setText(this.count, words.length || state !== "all" ? t("shown", shown, this.cards.size) : "");
        this.nothing.hidden = shown > 0;
        setText(this.nothing, this.cards.size ? t("filter-none", this.search.value) : t("devices-none"));
        if (!isAsked) return;
        const parameters = new URLSearchParams(location.search);
        const put = (key, value) => value ? parameters.set(key, value) : parameters.delete(key);
        put("q", this.search.value.trim());
        put("state", state === "all" ? "" : state);
        history.replaceState(null, "", parameters.size ? `?${parameters}` : "./");
    }

    async askEnergy() {
        if (this.isAsking || document.hidden || !this.element.isConnected) return;
        this.isAsking = true;
        try {
            for (let turn = 0; turn < 1000; turn += 1) {
                const now = Date.now();
                const card = [...this.seen].map((element) => element.card)
                    .find((candidate) => candidate instanceof DeviceCard && !(now - candidate.asked < 60_000));
                if (!card || document.hidden) break;
                card.asked = now;
                const days = await this.context.month(card.subject).catch(() => null);
                if (days) card.energy(days, this.tariff);
            }
        } finally {
            this.isAsking = false;
        }
    }
}
