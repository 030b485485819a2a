// The energy of each day: bars that are a table too.

import { el, setText } from "./dom.js";
import { show } from "./format.js";
import { t } from "./text.js";

export class EnergyBars {
    constructor() {
        this.body = el("tbody");
        this.heads = el("tr", {});
        this.note = el("p", { class: "note" });
        this.element = el("section", { hidden: true }, el("h3", {}, t("energy-days")),
            el("table", { class: "bars" }, el("thead", {}, this.heads), this.body), this.note);
    }

    set(days, tariff) {
        const known = days.filter(({ samples }) => samples > 0 || samples === undefined);
        this.element.hidden = false;
        setText(this.note, known.length ? "" : t("chart-empty"));
        const most = Math.max(...known.map(({ watt_hours: value }) => value), 1);
        const hasCost = tariff !== undefined;
        this.heads.replaceChildren(...[t("day"), t("energy"), ...(hasCost ? [t("cost")] : []), ""].map((text) =>
            text ? el("th", { scope: "col" }, text) : el("td")));
        this.body.replaceChildren(...known.toReversed().map((entry) => {
            const bar = el("span", { class: "bar", "aria-hidden": "true" });
            bar.style.width = `${(100 * entry.watt_hours / most).toFixed(1)}%`;
            return el("tr", {}, el("th", { scope: "row" }, entry.day), el("td", {}, show(entry.watt_hours, "wattHours")),
                hasCost ? el("td", {}, show(entry.cost, "money")) : null, el("td", { class: "track" }, bar));
        }));
    }

    fail(message) {
        this.element.hidden = false;
        setText(this.note, t("chart-failed", message));
    }
}
