// A table that sorts by the column whose head is pressed, and stays sorted while its rows change.

import { el, setAttribute, setText } from "./dom.js";
import { show } from "./format.js";

export class Table {
  /**
   * @param {[key: string, label: string, unit?: string][]} columns  the unit `text` stands left, `bar` is drawn
   * @param {string} by  the key of the column that it is sorted by at first
   */
  constructor(title, columns, by, isDown = true) {
    this.columns = columns;
    this.by = by;
    this.isDown = isDown;
    this.rows = [];
    this.heads = columns.map(([key, label, unit]) => unit === "bar" ? el("td")
      : el("th", { scope: "col" }, el("button", { type: "button", onclick: () => this.sort(key, unit !== "text") }, label)));
    this.body = el("tbody");
    this.element = el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": title },
      el("table", {}, el("thead", {}, el("tr", {}, ...this.heads)), this.body));
  }

  sort(key, isDown) {
    this.isDown = this.by === key ? !this.isDown : isDown;
    this.by = key;
    this.set(this.rows);
  }

  set(rows) {
    this.rows = rows;
    const { by, columns, body } = this;
    const sign = this.isDown ? -1 : 1;
    // What is not known stands at the end, whichever way.
    const sorted = [...rows].sort(({ [by]: a }, { [by]: b }) => {
      if (a === undefined || b === undefined) return (a === undefined) - (b === undefined);
      return sign * (typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b)));
    });
    columns.forEach(([key, , unit], index) => {
      if (unit !== "bar") setAttribute(this.heads[index], "aria-sort", key === by && (this.isDown ? "descending" : "ascending"));
    });
    while (body.rows.length > sorted.length) body.lastElementChild.remove();
    while (body.rows.length < sorted.length) {
      body.append(el("tr", {}, ...columns.map(([, , unit], index) => index
        ? el("td", { class: unit === "text" || unit === "bar" ? unit : null }, unit === "bar" ? el("i") : null)
        : el("th", { scope: "row", class: unit === "text" ? unit : null }))));
    }
    sorted.forEach((row, index) => columns.forEach(([key, , unit], column) => {
      const cell = body.rows[index].cells[column], value = row[key];
      if (unit === "bar") cell.firstChild.style.width = `${100 * value / Math.max(1, ...rows.map((other) => other[key]))}%`;
      else setText(cell, unit && unit !== "text" ? show(value, unit) : String(value ?? "–"));
    }));
  }
}
