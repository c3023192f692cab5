// Elements, and how values are written. What a store says is added as text, never as markup.

export const $ = (id) => document.getElementById(id);

// Creates an element. A function as a property listens for the event of that name.
export function el(tag, properties, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === "function") made.addEventListener(name, value);
    else if (name === "key") made.dataset.key = value;
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.flat(2).filter((child) => child !== undefined && child !== null && child !== false));
  return made;
}

export const button = (label, click, properties) => el("button", { type: "button", click, ...properties }, label);

// Creates a list of names with their values; those without a value are left out.
export const facts = (pairs, properties) => el("dl", properties, pairs.filter(([, value]) => value || value === 0)
  .map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]).flat());

// The words of an address or a request that have a value.
export const given = (query) => new URLSearchParams(Object.entries(query || {})
  .filter(([, value]) => value !== "" && value !== null && value !== undefined)).toString();

// Creates the head of a sheet or a dialog.
export const sheetHead = (name, title, close) => el("div", { class: "sheet-head" },
  el("h2", { id: name + "-title", tabindex: "-1" }, title),
  button("✕", close, { class: "plain", key: "close", "aria-label": "Close " + name }));

export const note = (text) => el("span", { class: "note" }, text);
export const code = (text) => el("code", {}, text);

export function say(sentence) { $("live").textContent = sentence; }

// Shows the outcome of an act over the page, with the line of a scenario that repeats it.
export function toast(sentence, line) {
  const place = $("toast");
  place.replaceChildren(
    el("p", {}, shortened(sentence, 300)),
    ...(line ? [el("p", { class: "line" }, code(line), copyButton(line, "Copy line"))] : []),
    button("✕", hideToast, { class: "plain", "aria-label": "Close message" }),
  );
  place.hidden = false;
  say(shortened(sentence, 300));
}

export function hideToast() { $("toast").hidden = true; }

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

// The looks of states.
const looks = {
  sold: "good", running: "good", delivered: "good", waits: "warn", interrupted: "pause", retry: "warn", grace: "grace",
  failed: "bad", refunded: "back", restored: "again", ended: "quiet", unsent: "quiet", "in progress": "quiet",
};

export function status(state, sentence) {
  const words = capital(sentence || state);
  return el("span", { class: `status ${looks[state] || "quiet"}`, title: words }, words);
}

export const titleOf = (row) => (row.quantity > 1 ? `${row.quantity} × ` : "") + (row.title || row.product || "");

// Quotes a word for a command line where it needs quotes.
export function quoted(word) {
  const isPlain = word !== "" && !/^#|^--|[\s"\\]/.test(word);
  return isPlain ? word : '"' + word.replace(/["\\]/g, "\\$&").replace(/\n/g, "\\n") + '"';
}

export function empty(...sentences) { return el("p", { class: "empty" }, ...sentences); }
export const noProducts = () => empty("There are no products. Serve the store with ",
  code("--configuration Garden.storekit"), ", a file of Xcode’s.");
