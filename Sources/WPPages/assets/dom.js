// Elements. Text only ever becomes text: nothing here reads markup.

/** An element with attributes, event listeners (`onclick`), and children: elements or text; null is left out. */
export function el(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
        if (value === null || value === undefined || value === false) continue;
        if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
        else element.setAttribute(name, value === true ? "" : String(value));
    }
    for (const child of children) if (child !== null && child !== undefined) element.append(child);
    return element;
}

/** Sets a text, if it is another one: a page of a thousand cards changes little. */
export function setText(element, text) {
    if (element.textContent !== text) element.textContent = text;
}

/** Sets an attribute, or removes it where the value is null. */
export function setAttribute(element, name, value) {
    if (value === null) element.removeAttribute(name);
    else if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

/** A bar of a share in percent, which assistive technology reads as a meter; it stands in a description list. */
export function meter(label) {
    const fill = el("span", { class: "fill" });
    const bar = el("span", { class: "meter", role: "meter", "aria-valuemin": 0, "aria-valuemax": 100, "aria-label": label }, fill);
    return {
        element: el("dd", { class: "wide" }, bar),
        set(percent, level) {
            const known = Number.isFinite(percent);
            bar.hidden = !known;
            if (!known) return;
            const width = Math.min(100, Math.max(0, percent));
            setAttribute(bar, "aria-valuenow", width.toFixed(0));
            setAttribute(bar, "data-level", level ?? null);
            const scale = `scaleX(${(width / 100).toFixed(3)})`;
            if (fill.style.transform !== scale) fill.style.transform = scale;
        },
    };
}

/** Offers bytes as a file to save. */
export function save(blob, name) {
    const address = URL.createObjectURL(blob);
    el("a", { href: address, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** Says something to whoever listens with a screen reader, without moving the focus. */
export function announce(text) {
    setText(document.getElementById("live"), text);
}
