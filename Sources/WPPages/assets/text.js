// What the page says: the English text is the key, and zh.js has the Chinese one.

const asked = new URLSearchParams(location.search).get("lang");
const wished = asked ? [asked] : navigator.languages;
const first = wished.find((tag) => /^(en|zh)\b/i.test(tag)) ?? "en";
const isChinese = /^zh/i.test(first);

/** The language of the page: `zh-CN` or the browser's English. */
export const language = isChinese ? "zh-CN" : first;
const texts = isChinese ? (await import("./zh.js")).default : {};

/** A text in the reader's language, with its places `{0}`, `{1}` filled. */
export const t = (text, ...values) =>
  (texts[text] ?? text).replace(/\{(\d)\}/g, (_, index) => values[index] ?? "");
