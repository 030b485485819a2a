// Elements. Text only ever becomes text: nothing here reads markup.

/** An element with attributes, event listeners (`onclick`), and children: elements or text; null is left out. */
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else setAttribute(element, name, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** Sets a text, if it is another one: a page of a thousand cards changes little. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Sets an attribute, or removes it: null, undefined and false. */
export function setAttribute(element, name, value) {
  const text = value === true ? "" : String(value);
  if (value === null || value === undefined || value === false) element.removeAttribute(name);
  else if (element.getAttribute(name) !== text) element.setAttribute(name, text);
}

/** Shows texts as a list. */
export function setList(list, texts) {
  while (list.childElementCount > texts.length) list.lastElementChild.remove();
  while (list.childElementCount < texts.length) list.append(el("li"));
  texts.forEach((text, index) => setText(list.children[index], text));
}

/** A share in percent as a bar; `set` takes undefined for one that is not known. */
export function meter(label) {
  const fill = el("span", { class: "fill" });
  const element = el("span", { class: "meter", role: "meter", "aria-valuemin": 0, "aria-valuemax": 100, "aria-label": label }, fill);
  const set = (percent, level) => {
    element.hidden = !Number.isFinite(percent);
    if (element.hidden) return;
    const share = Math.round(Math.min(100, Math.max(0, percent)));
    setAttribute(element, "aria-valuenow", share);
    setAttribute(element, "data-level", level);
    fill.style.transform = `scaleX(${share / 100})`;
  };
  return { element, set };
}

/** Offers bytes as a file to save. */
export function save(blob, name) {
  const address = URL.createObjectURL(blob);
  el("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** Says something to those who listen with a screen reader, without moving the focus. */
export const announce = (text) => setText(document.getElementById("live"), text);
