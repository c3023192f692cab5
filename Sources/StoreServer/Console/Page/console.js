"use strict";

// Elements, the token, and requests. Whatever the store says is added as text, never as markup.

const byId = (id) => document.getElementById(id);

function element(tag, properties, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "click") made.addEventListener("click", value);
    else made.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children) if (child !== undefined && child !== null) made.append(child);
  return made;
}

const page = { state: null, commands: [], older: [], instance: null, place: null, mayAct: false };

// Moves the token from the address to the window's session: who sees or copies the address must not get it.
function takeToken() {
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  if (!given) return;
  sessionStorage.setItem("token", given);
  history.replaceState(null, "", location.pathname);
}

// The path of the store's servers: the root, or that of a store which a test has opened.
const base = location.pathname.replace(/console\/?$/, "");

const token = () => sessionStorage.getItem("token") || "";

const authorization = () => token() ? { Authorization: "Bearer " + token() } : {};

async function request(path) {
  const answer = await fetch(base + "console/" + path, { headers: authorization(), cache: "no-store" });
  const value = await answer.json();
  if (!answer.ok) throw new Refusal(value.error || "status " + answer.status, answer.status);
  return value;
}

// Performs a line of a scenario by the control interface, and returns the answer as text.
async function performed(line) {
  const answer = await fetch(base + "control/v1/commands", {
    method: "POST", cache: "no-store", body: JSON.stringify({ line }),
    headers: { ...authorization(), Accept: "text/plain", "Content-Type": "application/json" },
  });
  if (answer.ok) return answer.text();
  const { error } = await answer.json();
  throw new Refusal(error.message, answer.status);
}

// Cuts a text that is too long for the page.
function shortened(text) {
  const limit = 1 << 17;
  return text.length > limit ? `${text.slice(0, limit)}… (${text.length - limit} more characters)` : text;
}

class Refusal extends Error {
  constructor(sentence, status) { super(sentence); this.status = status; }
}

function tell(sentence, isBad) {
  byId("news").textContent = sentence;
  byId("news").className = isBad ? "bad" : "";
}

// Formats a date of the server; an empty text for null.
const moment = (text) => text ? text.replace("T", " ").replace("Z", "") : "";

// Quotes a word for a command line where it needs quotes.
function quoted(word) {
  const isPlain = word !== "" && !/^#|^--|[\s"\\]/.test(word);
  return isPlain ? word : '"' + word.replace(/["\\]/g, "\\$&").replace(/\n/g, "\\n") + '"';
}

// The lists of the state.

// Fills an element with a table.
//
// Each column is a heading and a function from a row to a text, an element, or an array of buttons.
function fill(id, list, columns, empty, key) {
  const place = byId(id);
  const focused = place.contains(document.activeElement) ? document.activeElement.dataset.key : null;
  if (list.rows.length === 0) {
    place.replaceChildren(element("p", { class: "empty" }, empty));
  } else {
    const heads = columns.map(([name]) => element("th", { scope: "col", role: "columnheader" }, name));
    const rows = list.rows.map((row) => element("tr", { role: "row", "data-id": key(row) },
      ...columns.map(([name, cell]) => {
        const content = cell(row);
        const isList = Array.isArray(content);
        return element("td", { role: "cell", "data-label": name, class: isList ? "acts" : null },
          ...(isList ? content : [content]));
      })));
    const table = element("table", { role: "table", "aria-labelledby": titles[id] },
      element("thead", { role: "rowgroup" }, element("tr", { role: "row" }, ...heads)),
      element("tbody", { role: "rowgroup" }, ...rows));
    place.replaceChildren(table);
    if (list.total > list.rows.length) {
      place.append(element("p", { class: "total" }, `${list.rows.length} of ${list.total}`));
    }
  }
  // Restores the focus, which the old button has lost; otherwise the Tab key would start again at the top of the page.
  if (focused) (place.querySelector(`[data-key="${CSS.escape(focused)}"]`) || heading(id)).focus();
}

const titles = {
  undecided: "waiting-title", transactions: "transactions-title", subscriptions: "subscriptions-title",
  products: "products-title", accounts: "accounts-title", devices: "devices-title",
};

function heading(id) {
  const found = byId(titles[id]);
  found.tabIndex = -1;
  return found;
}

const has = (name) => page.commands.some((one) => one.command === name);

// Creates a button that performs a command; null for a command that the server does not have.
function act(label, name, words, options) {
  if (!has(name)) return null;
  const more = Object.entries(options || {}).flatMap(([option, word]) => ["--" + option, quoted(word)]);
  const line = [name, ...words.map(quoted), ...more].join(" ");
  return element("button", {
    type: "button", "data-key": line, "aria-label": `${label}: ${line}`, title: line, disabled: !mayAct(),
    click: (event) => perform(line, event.currentTarget),
  }, label);
}

const offIf = (isOn) => isOn ? "off" : "on";
const mayAct = () => page.mayAct && page.state !== null;
const times = (row) => row.quantity > 1 ? `${row.quantity} × ${row.product}` : row.product;
const note = (text) => element("span", { class: "note" }, text);
const lines = (...parts) => {
  const shown = parts.filter(Boolean);
  return element("span", {}, ...shown.flatMap((part, index) => index ? [element("br"), part] : [part]));
};

function whatBecameOf(row) {
  const origin = row.origin === "purchase" ? "" : `${row.origin}, `;
  const word = origin + row.state + (row.refund !== null ? ", refunded" : row.cancelled ? ", revoked" : "");
  const isBad = row.state === "failed" || row.cancelled;
  return lines(
    element("span", { class: isBad ? "bad" : row.state === "purchased" ? "good" : null }, word),
    row.reason && note(row.reason),
    row.refund !== null && note(`${row.refund} paid back ${moment(row.cancelled)}`),
    row.cancelled && row.refund === null && note(`since ${moment(row.cancelled)}`),
    row.expires && note(`until ${moment(row.expires)}`),
    row.sharedBy && note(`shared by ${row.sharedBy}`),
    row.original && note(`of #${row.original}`),
  );
}

function canBeRefunded(row) {
  return row.state === "purchased" && !row.cancelled && (row.origin === "purchase" || row.origin === "renewal");
}

function show() {
  const state = page.state;
  byId("app").textContent = `${state.app} · ${state.environment} · ${state.storefront}`;
  byId("now").textContent = moment(state.clock.now);
  const lead = state.clock.lead || 0;
  byId("lead").textContent = lead >= 60 ? `(${(lead / 86400).toFixed(1)} days ahead of the system’s)` : "";
  byId("perform").disabled = !mayAct();
  showWaiting();
  showTransactions();
  fill("subscriptions", state.subscriptions, [
    ["Account", (row) => row.account],
    ["Product", (row) => lines(row.product, note(`group ${row.group}, since #${row.transaction}`))],
    ["State", (row) => lines(element("span", { class: row.running ? "good" : "bad" }, row.state),
      row.reason && note(row.reason), row.consent && note(`price consent ${row.consent}`))],
    ["Period", (row) => lines(`${moment(row.periodStart)} –`, moment(row.expires),
      row.grace && note(`grace until ${moment(row.grace)}`))],
    ["Renewal", (row) => row.renews ? `renews as ${row.renewsAs}` : "does not renew"],
    ["Acts", (row) => [
      act("Renew", "renew", [row.group], { account: row.account }),
      act(row.renews ? "Cancel" : "Resume", "auto-renew", [offIf(row.renews), row.group], { account: row.account }),
      act("Expire", "expire", [row.group], { account: row.account }),
    ]],
  ], "Nobody has subscribed.", (row) => row.account + " " + row.group);
  fill("products", state.products, [
    ["Product", (row) => row.product], ["Title", (row) => row.title], ["Kind", (row) => row.kind],
    ["Price", (row) => lines(`${row.storefrontPrice ?? row.price} ${row.currency ?? ""}`, row.period
      && note(`for ${row.period}, group ${row.group}`))],
    ["Sale", (row) => row.notOnSale ? element("span", { class: "bad" }, row.notOnSale) : "on sale"],
    ["Acts", (row) => [act("Buy", "buy", [row.product])]],
  ], "There are no products.", (row) => row.product);
  fill("accounts", state.accounts, [
    ["Account", (row) => row.account], ["Family", (row) => row.family || ""],
    ["Settings", (row) => [row.asksToBuy && "asks to buy", row.billingFails && "billing fails",
      row.interrupted && "purchases are interrupted"].filter(Boolean).join(", ")],
    ["Acts", (row) => [
      act(row.asksToBuy ? "Ask no more" : "Ask to buy", "ask-to-buy", [offIf(row.asksToBuy)], { account: row.account }),
      act(row.billingFails ? "Billing works" : "Billing fails", "billing-fails", [offIf(row.billingFails)],
        { account: row.account }),
    ]],
  ], "There are no accounts.", (row) => row.account);
  fill("devices", state.devices, [
    ["Device", (row) => row.device], ["Account", (row) => row.account || "nobody"],
    ["Payments", (row) => row.payments ? "allowed" : "forbidden"],
    ["Acts", (row) => [act(row.payments ? "Forbid payments" : "Allow payments", "payments-allowed",
      [offIf(row.payments)], { device: row.device })]],
  ], "There are no devices.", (row) => row.device);
  showTime();
  fillLists();
}

// Shows purchases to approve or to resolve, and refund requests, in one table.
function showWaiting() {
  const { undecided, issues, refundRequests } = page.state;
  const kinds = [
    [undecided, "a purchase", (id) => [act("Approve", "approve", [id]), act("Decline", "decline", [id])]],
    [issues, "a purchase that was interrupted", (id) => [act("Resolve", "resolve", [id])]],
    [refundRequests, "a refund", (id) => [act("Grant", "refund", [id]), act("Decline", "decline-refund", [id])]],
  ];
  const rows = kinds.flatMap(([list, what, acts]) => list.rows.map((row) => ({ ...row, what, acts })));
  fill("undecided", { rows, total: kinds.reduce((sum, [list]) => sum + list.total, 0) }, [
    ["Transaction", (row) => "#" + row.transaction], ["Waits", (row) => row.what], ["Product", times],
    ["Total", (row) => row.total ?? row.charge ?? ""], ["Account", (row) => row.account || "nobody"],
    ["Device", (row) => row.device || ""], ["Acts", (row) => row.acts(row.transaction)],
  ], "Nothing waits.", (row) => row.transaction);
}

function showTransactions() {
  const list = page.state.transactions;
  const rows = [...list.rows, ...page.older];
  fill("transactions", { rows, total: list.total }, [
    ["Transaction", (row) => lines("#" + row.transaction, note(moment(row.date)))],
    ["Product", times],
    ["Buyer", (row) => lines(row.account || "nobody", row.device && note(row.device))],
    ["State", whatBecameOf],
    ["Charge", (row) => row.charge ?? ""],
    ["Acts", (row) => [
      element("button", { type: "button", "data-key": "details " + row.transaction,
        "aria-label": "Details of #" + row.transaction, click: () => showDetails(row.transaction) }, "Details"),
      canBeRefunded(row) ? act("Refund", "refund", [row.transaction]) : null,
    ]],
  ], "Nothing has been bought.", (row) => row.transaction);
  byId("older").hidden = rows.length >= list.total;
}

async function showDetails(id) {
  const body = byId("details-body");
  byId("details-title").textContent = "Transaction #" + id;
  body.replaceChildren(element("p", {}, "Reading…"));
  byId("details").showModal();
  try {
    const details = await request("transaction/" + encodeURIComponent(id));
    const parts = [["Transaction", JSON.stringify(details.transaction, null, 2)]];
    const jws = details.jws;
    if (jws.error) parts.push(["JWS", jws.error]);
    else parts.push(
      ["JWS: payload", jws.payload], ["JWS: header", jws.header],
      ["JWS: certificates", (jws.certificates || []).map((one) =>
        one.error || `${one.subject}\n  valid from ${moment(one.from)} until ${moment(one.until)}`).join("\n")
        || "none"],
      ["JWS: signature", jws.signature], ["JWS", jws.text]);
    const receipt = details.receipt;
    if (receipt) parts.push(receipt.error ? ["App receipt", receipt.error]
      : [`App receipt on ${receipt.device}, ${receipt.bytes} bytes`, receipt.json]);
    if (details.transactionReceipt) parts.push(["Receipt of the transaction", details.transactionReceipt]);
    body.replaceChildren(...parts.flatMap(([title, text]) =>
      [element("h3", {}, title), element("pre", { tabindex: "0" }, text)]));
  } catch (error) {
    body.replaceChildren(element("p", { class: "bad" }, error.message));
  }
}

// Operator actions, by the buttons and by the form that is generated from the table of commands.

// The lines in progress. Their buttons stay enabled, because a disabled button loses the focus.
const running = new Set();

async function perform(line, button) {
  if (!mayAct() || running.has(line)) return;
  running.add(line);
  if (button) button.setAttribute("aria-busy", "true");
  try {
    const answer = await performed(line);
    const lines = answer.split("\n");
    tell(lines.length > 1 ? `${line}: ${lines.length} lines, below the form` : answer || "Done.");
    byId("answer").textContent = shortened(answer);
    byId("answer").hidden = lines.length < 2;
  } catch (error) {
    tell(error.message, true);
    if (error.status === 401) askForToken();
  }
  running.delete(line);
  if (button) button.removeAttribute("aria-busy");
  read();
}

function showTime() {
  const durations = [["1 hour", "1h"], ["1 day", "1d"], ["1 week", "1w"], ["1 month", "1mo"], ["1 year", "1y"]];
  const place = byId("time");
  if (!page.state.clock.isMovable) {
    place.replaceChildren(element("p", { class: "empty" }, "This store’s clock cannot be moved."));
  } else if (place.childElementCount !== durations.length) {
    const buttons = durations.map(([words, word]) => act("Advance " + words, "advance", [word]));
    place.replaceChildren(...buttons.filter(Boolean));
  }
  for (const button of place.querySelectorAll("button")) button.disabled = !mayAct();
}

function fillLists() {
  const state = page.state;
  const values = {
    product: state.products.rows.map((row) => row.product), account: state.accounts.rows.map((row) => row.account),
    device: state.devices.rows.map((row) => row.device),
    group: [...new Set(state.products.rows.map((row) => row.group).filter(Boolean))],
    transaction: state.transactions.rows.map((row) => row.transaction),
  };
  for (const [kind, words] of Object.entries(values)) {
    byId("list-" + kind).replaceChildren(...words.map((word) => element("option", { value: word })));
  }
}

const command = () => page.commands.find((one) => one.command === byId("command").value);

function showCommands() {
  const groups = new Map();
  for (const one of page.commands) groups.set(one.group, [...(groups.get(one.group) || []), one]);
  byId("command").replaceChildren(...[...groups].map(([group, members]) => element("optgroup", { label: group },
    ...members.map((one) => element("option", { value: one.command }, one.command)))));
  showFields();
}

// Whether a word may be left out. Only parameters can be required.
const isOptional = (one) => one.optional !== false;

function showFields() {
  const chosen = command();
  if (!chosen) return;
  byId("summary").textContent = chosen.summary + ".";
  byId("fields").replaceChildren(...[...chosen.parameters, ...chosen.options].map((one, index) => {
    const id = "field-" + index;
    const label = one.name.replace(/^--/, "") + (isOptional(one) ? " (optional)" : "");
    const hint = one.summary || one.kind;
    return element("div", {}, element("label", { for: id, title: hint }, label), field(one, id, hint));
  }));
  showLine();
}

function field(one, id, hint) {
  const shared = { id, "data-name": one.name, title: hint };
  if (!one.type) return element("input", { ...shared, type: "checkbox" });
  if (one.type === "choice") {
    const words = isOptional(one) ? ["", ...one.words] : one.words;
    return element("select", shared, ...words.map((word) => element("option", { value: word }, word || "–")));
  }
  const list = byId("list-" + one.type) ? "list-" + one.type : null;
  return element("input", { ...shared, list, placeholder: hint, autocomplete: "off", spellcheck: "false",
    required: !isOptional(one) });
}

function line() {
  const chosen = command();
  if (!chosen) return "";
  const words = [chosen.command];
  for (const one of byId("fields").querySelectorAll("input, select")) {
    const name = one.dataset.name;
    const isOption = name.startsWith("--");
    if (one.type === "checkbox") { if (one.checked) words.push(name); continue; }
    const value = one.value.trim();
    if (!value) continue;
    if (isOption) words.push(name);
    words.push(quoted(value));
  }
  return words.join(" ");
}

const showLine = () => { byId("line").textContent = line(); };

// The connection to the server.

// Reads the state. A change during a reading is read after it, so that there is one request at a time.
let reading = false;
let isStale = false;
async function read() {
  isStale = true;
  if (reading) return;
  reading = true;
  try {
    while (isStale) {
      isStale = false;
      const state = await request("state");
      const known = new Set(state.transactions.rows.map((row) => row.transaction));
      const last = page.state && page.state.transactions.rows;
      // New rows push old ones off the first page; these continue the list before the rows that were loaded later.
      if (page.older.length && last) page.older = [...last, ...page.older].filter((row) => !known.has(row.transaction));
      page.state = state;
      show();
    }
  } catch (error) {
    if (error.status === 401) askForToken();
    else if (error.status) tell(error.message, true);
  }
  reading = false;
}

async function readOlder() {
  const rows = [...page.state.transactions.rows, ...page.older];
  try {
    const state = await request("state?before=" + encodeURIComponent(rows[rows.length - 1].transaction));
    page.older.push(...state.transactions.rows);
    showTransactions();
  } catch (error) {
    tell(error.message, true);
  }
}

let source = null;
let watch = null;
let wait = 500;

// Listens by a request with the token, which an EventSource cannot send.
async function connect() {
  const listening = new AbortController();
  source = listening;
  keepWatch();
  try {
    const place = page.place ? "?after=" + encodeURIComponent(page.place) : "";
    const answer = await fetch(base + "console/events" + place, {
      headers: authorization(), cache: "no-store", signal: listening.signal,
    });
    if (answer.status === 401) return askForToken();
    if (!answer.ok) throw new Refusal("status " + answer.status, answer.status);
    page.mayAct = true;
    byId("token-form").hidden = true;
    await hearAll(answer.body.pipeThrough(new TextDecoderStream()).getReader(), listening);
  } catch {
    // What has ended the connection is told by the page's state.
  }
  if (source === listening) lose();
}

// Hears the events of a stream until it ends.
async function hearAll(reader, listening) {
  for (let text = ""; source === listening;) {
    const { value, done } = await reader.read();
    if (done) return;
    const events = (text + value).split("\n\n");
    text = events.pop();
    for (const event of events) {
      const fields = Object.fromEntries(event.split("\n").map((line) => {
        const end = line.indexOf(": ");
        return [line.slice(0, end), line.slice(end + 2)];
      }));
      keepWatch();
      hear(fields.event, JSON.parse(fields.data), fields.id);
    }
  }
}

function hear(name, value, id) {
  switch (name) {
    case "hello": return greet(value);
    case "line": return addLine(value, id);
    case "gap": return forgetLines();
    case "changed": return read();
    case "beat": byId("now").textContent = moment(value.now); return;
    case "trouble": return tell(value.error, true);
  }
}

// Waits for the token of the server that is running now.
function askForToken() {
  if (source) source.abort();
  source = null;
  clearTimeout(watch);
  page.mayAct = false;
  byId("lost").hidden = true;
  byId("token-form").hidden = false;
  byId("connection").textContent = "Without a token";
  byId("connection").className = "off";
  if (page.state) show();
}

// Connects with the token that was entered.
function reconnect() {
  if (source) source.abort();
  source = null;
  connect();
}

// Restarts the timeout of the connection, on which the server sends an event every few seconds.
function keepWatch() {
  clearTimeout(watch);
  watch = setTimeout(lose, 20000);
}

function lose() {
  if (!source) return;
  source.abort();
  source = null;
  clearTimeout(watch);
  byId("lost").hidden = false;
  byId("connection").textContent = "Not connected";
  byId("connection").className = "off";
  setTimeout(() => source || connect(), wait);
  wait = Math.min(wait * 2, 5000);
}

async function greet(hello) {
  wait = 500;
  byId("lost").hidden = true;
  byId("connection").textContent = "Connected";
  byId("connection").className = "on";
  if (page.instance !== hello.instance) {
    // The server was restarted, perhaps with another store.
    forgetLines(false);
    page.older = [];
    const isRestart = page.instance !== null;
    page.instance = hello.instance;
    page.place = null;
    if (isRestart) tell("The server was started again.");
  }
  if (hello.areSomeMissing) forgetLines();
  try {
    page.commands = await request("commands");
    if (!command()) showCommands();
  } catch (error) {
    tell(error.message, true);
  }
  read();
}

function forgetLines(areMissing = true) {
  byId("missing").hidden = !areMissing;
  byId("timeline").replaceChildren();
}

function addLine(entry, place) {
  page.place = place;
  const about = [entry.account, entry.device, entry.transaction && "#" + entry.transaction,
    entry.product && times(entry)].filter(Boolean);
  const sentence = [entry.what, entry.refusal].filter(Boolean).join(", ")
    + (entry.order === null ? "" : ` (order ${entry.order})`);
  const list = byId("timeline");
  list.prepend(element("li", { class: entry.refusal ? "new bad" : "new" },
    element("time", {}, moment(entry.date)), (about.length ? about.join(" · ") + ": " : "") + sentence));
  if (list.childElementCount > 500) byId("missing").hidden = false;
  while (list.childElementCount > 500) list.lastChild.remove();
}

takeToken();
byId("command").addEventListener("change", showFields);
byId("fields").addEventListener("input", showLine);
byId("older").addEventListener("click", readOlder);
byId("act").addEventListener("submit", (event) => { event.preventDefault(); perform(line(), byId("perform")); });
byId("token-form").addEventListener("submit", (event) => {
  event.preventDefault();
  sessionStorage.setItem("token", byId("token").value.trim());
  byId("token").value = "";
  reconnect();
});
addEventListener("hashchange", () => { takeToken(); reconnect(); });
connect();
