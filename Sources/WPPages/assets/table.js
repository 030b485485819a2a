// A table that sorts by the column whose head is pressed, and stays sorted while its rows change.

import { el, setAttribute, setText } from "./dom.js";
import { show } from "./format.js";

export class Table {
    /** @param {{key: string, label: string, unit?: string, isText?: boolean}[]} columns */
    constructor(title, columns, sortedBy) {
        this.columns = columns;
        this.sort = { key: sortedBy, isDown: sortedBy !== "number" };
        this.rows = [];
        this.heads = columns.map(({ key, label }) => el("th", { scope: "col" },
            el("button", { type: "button", onclick: () => this.by(key) }, label)));
        this.body = el("tbody");
        this.element = el("section", { hidden: true }, el("h3", {}, title),
            el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": title },
                el("table", {}, el("thead", {}, el("tr", {}, ...this.heads)), this.body)));
    }

    by(key) {
        const { isText } = this.columns.find((column) => column.key === key);
        this.sort = { key, isDown: this.sort.key === key ? !this.sort.isDown : !isText };
        this.draw();
    }

    set(rows) {
        this.rows = rows;
        this.element.hidden = !rows.length;
        this.draw();
    }

    draw() {
        const { key, isDown } = this.sort;
        const sign = isDown ? -1 : 1;
        // What is not known stands at the end, whichever way.
        const sorted = [...this.rows].sort((left, right) => {
            const a = left[key], b = right[key];
            if (a === undefined || b === undefined) return (a === undefined) - (b === undefined);
            return sign * (typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b)));
        });
        this.columns.forEach((column, index) => {
            setAttribute(this.heads[index], "aria-sort", column.key === key ? (isDown ? "descending" : "ascending") : null);
        });
        while (this.body.childElementCount > sorted.length) this.body.lastElementChild.remove();
        while (this.body.childElementCount < sorted.length) this.body.append(el("tr", {}, ...this.columns.map(() => el("td"))));
        sorted.forEach((row, index) => {
            const cells = this.body.children[index].children;
            this.columns.forEach(({ key: name, unit, isText }, column) => {
                const value = row[name];
                setText(cells[column], unit ? show(value, unit) : value === undefined ? "–" : String(value));
                if (isText) cells[column].className = "text";
            });
        });
    }
}
