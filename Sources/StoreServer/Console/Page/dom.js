// Elements, and how values are written. What a store says is added as text, never as markup.

export const byId = (id) => document.getElementById(id);

// Creates an element. A function as a property listens for the event of that name.
export function element(tag, properties, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === "function") made.addEventListener(name, value);
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.flat(2).filter((child) => child !== undefined && child !== null && child !== false));
  return made;
}

export const button = (label, click, properties) => element("button", { type: "button", click, ...properties }, label);

// Creates a list of names with their values; those without a value are left out.
export const facts = (pairs, properties) => element("dl", properties, pairs.filter(([, value]) => value || value === 0)
  .map(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]).flat());

// The words of an address or a request that have a value.
export const given = (query) => new URLSearchParams(Object.entries(query || {})
  .filter(([, value]) => value !== "" && value !== null && value !== undefined)).toString();

// Creates the head of a sheet or a dialog.
export const sheetHead = (name, title, close) => element("div", { class: "sheet-head" },
  element("h2", { id: name + "-title", tabindex: "-1" }, title),
  button("✕", close, { class: "plain", "data-key": "close", "aria-label": "Close " + name }));

export const note = (text) => element("span", { class: "note" }, text);
export const code = (text) => element("code", {}, text);

// Says a sentence to screen readers.
export function say(sentence) { byId("live").textContent = sentence; }

// Shows the outcome of an act over the page, with the line of a scenario that repeats it.
export function toast(sentence, line) {
  const place = byId("toast");
  place.replaceChildren(
    element("p", {}, shortened(sentence, 300)),
    line ? element("p", { class: "line" }, code(line), copyButton(line, "Copy line")) : null,
    button("✕", hideToast, { class: "plain", "aria-label": "Close message" }),
  );
  place.hidden = false;
  say(shortened(sentence, 300));
}

export function hideToast() { byId("toast").hidden = true; }

export function copyButton(text, label = "Copy") {
  return button(label, async ({ currentTarget }) => {
    let word = "Copied";
    try { await navigator.clipboard.writeText(text); } catch { word = "Not allowed"; }
    currentTarget.textContent = word;
    say(word);
  }, { class: "small" });
}

export function shortened(text, limit = 1 << 17) {
  return text.length > limit ? `${text.slice(0, limit)}… (${text.length - limit} more characters)` : text;
}

// Formats a date for tables.
export const moment = (text) => text ? text.slice(0, 16).replace("T", " ") : "";

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

// Formats a date for sentences, as in "18 Jun, in 6 days".
export function day(text, now) {
  const date = new Date(text);
  const year = now && text.slice(0, 4) !== now.slice(0, 4) ? ` ${date.getUTCFullYear()}` : "";
  const shown = `${date.getUTCDate()} ${months[date.getUTCMonth()]}${year}`;
  if (!now) return shown;
  const hours = (date - new Date(now)) / 3_600_000;
  const [amount, unit] = Math.abs(hours) < 36 ? [Math.round(Math.abs(hours)), "hour"]
    : [Math.round(Math.abs(hours) / 24), "day"];
  const span = amount === 0 ? "now" : `${amount} ${unit}${amount === 1 ? "" : "s"}`;
  return `${shown}, ${amount === 0 ? span : hours < 0 ? `${span} ago` : `in ${span}`}`;
}

export function money(amount, currency) {
  if (amount === null || amount === undefined || amount === "") return "";
  try {
    return new Intl.NumberFormat("en-US", { style: "currency", currency }).format(Number(amount));
  } catch {
    return `${amount} ${currency || ""}`.trim();
  }
}

export const count = (number) => new Intl.NumberFormat("en-US").format(number);
export const plural = (number, word) => `${count(number)} ${word}${number === 1 ? "" : "s"}`;
export const capital = (text) => text ? text[0].toUpperCase() + text.slice(1) : "";

// States have a shape and a word each, and a color besides.
const looks = {
  sold: "good", running: "good", delivered: "good", waits: "warn", interrupted: "pause", retry: "warn", grace: "grace",
  failed: "bad", refunded: "back", restored: "again", ended: "quiet", unsent: "quiet", "in progress": "quiet",
};

export function status(state, sentence) {
  const words = capital(sentence || state);
  return element("span", { class: `status ${looks[state] || "quiet"}`, title: words }, words);
}

// Returns the name of a product as people read it, with its identifier where that says more.
export const titleOf = (row) => (row.quantity > 1 ? `${row.quantity} × ` : "") + (row.title || row.product || "");

// Quotes a word for a command line where it needs quotes.
export function quoted(word) {
  const isPlain = word !== "" && !/^#|^--|[\s"\\]/.test(word);
  return isPlain ? word : '"' + word.replace(/["\\]/g, "\\$&").replace(/\n/g, "\\n") + '"';
}

export function empty(...sentences) { return element("p", { class: "empty" }, ...sentences); }
