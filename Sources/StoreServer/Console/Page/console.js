// The page: reads what the address names, shows it, and reads it again when the store tells of a change.

import { acts, keepErrors } from "./acts.js";
import { address, filter, follow, go, openSheet, route, start } from "./address.js";
import { buy } from "./buy.js";
import { openClock, steps } from "./clock.js";
import { select } from "./dialog.js";
import { button, $, capital, count, el, hideToast, moment, say } from "./dom.js";
import { actsByFields } from "./form.js";
import { startKeys } from "./keys.js";
import { customers, products, subscriptions, transactions } from "./lists.js";
import { overview } from "./overview.js";
import { connect, connection, read } from "./server.js";
import { sheetPath, showSheet } from "./sheet.js";
import { forget, readProducts, store } from "./store.js";
import { noServer, server, timeline } from "./told.js";

const views = [overview, transactions, subscriptions, customers, products, server, timeline, actsByFields];
const viewNow = () => views.find((view) => view.name === route.current.view) || overview;

// What is shown, as the texts of answers: nothing is made anew without a change.
let shown = { view: null, texts: "", sheet: null, sheetText: null, bar: "" };

// Replaces an element's children apart from errors, and gives the focus to the one with the same key, as the old one has lost it.
function refill(place, children) {
  const had = place.contains(document.activeElement) ? document.activeElement : null;
  const key = had?.dataset.key;
  const row = had?.closest("[data-id]")?.dataset.id;
  const putErrors = keepErrors(place);
  place.replaceChildren(...children.filter(Boolean));
  putErrors();
  if (!had) return;
  const found = (key && place.querySelector(`[data-key="${CSS.escape(key)}"]:not(:disabled)`))
    || (row && place.querySelector(`[data-id="${CSS.escape(row)}"] :is(a, button)`));
  (found || $("title")).focus({ preventScroll: true });
}

let turn = 0;
let reading = null;
let isStale = false;

// Reads what is shown. A change during a reading is read after it: a busy store is not asked faster than it answers.
async function refresh(isNavigation = false) {
  if (isNavigation) reading?.abort();
  else if (reading) { isStale = true; return; }
  const mine = ++turn;
  const abort = reading = new AbortController();
  isStale = false;
  try {
    const view = viewNow();
    const current = route.current;
    const paths = Object.entries(view.reads(current.query));
    const sheet = sheetPath(current);
    const others = Promise.all([sheet ? read(sheet, abort.signal).catch((error) => {
        if (abort.signal.aborted || !error.status || error.status === 401) throw error;
        return JSON.stringify({ error: capital(error.message) });
      }) : null,
      ...paths.map(([, path]) => read(path, abort.signal))]);
    others.catch(() => {});
    const bar = await read("overview", abort.signal);
    if (mine !== turn) return;
    store.data = JSON.parse(bar);
    if (bar !== shown.bar) showBar();
    // Also above what cannot be read: a filter may be the reason.
    const filters = view.name + (current.query.tab || "");
    if (shown.filters !== filters) showFilters(view);
    shown = { ...shown, bar, filters };
    showFilterValues();
    const [details, ...texts] = await others;
    if (mine !== turn) return;
    $("failure").hidden = true;
    showView(view, current, texts, paths, bar);
    if (sheet && details !== shown.sheetText) {
      const isNew = shown.sheet !== sheet;
      const had = $("sheet").contains(document.activeElement);
      const key = document.activeElement.dataset.key || "";
      showSheet(JSON.parse(details), isNew);
      const found = had && $("sheet").querySelector(`[data-key="${CSS.escape(key)}"]`);
      if (had || (isNew && opens)) (found || $("sheet-title")).focus({ preventScroll: true });
      opens = false;
    }
    shown = { ...shown, sheet, sheetText: details };
  } catch (error) {
    if (mine !== turn || abort.signal.aborted || error.status === 401) return;
    $("failure").textContent = capital(error.message);
    $("failure").hidden = false;
    if (error.status === 400) {
      $("view").replaceChildren();
      shown.texts = "";
    }
    if (error.status) say(error.message);
  } finally {
    if (mine === turn) {
      reading = null;
      if (isStale) refresh();
    }
  }
}

// Whether the sheet that comes next takes the focus.
let opens = false;

function showView(view, current, texts, paths, bar) {
  // The overview shows what the bar reads, and dates in sentences are relative to the minute of the clock.
  const parts = view.isMadeOnce ? [] : [...texts, bar.replace(/("now":".{16})[^"]*/, "$1")];
  const key = [view.name, current.id, address({ ...current, id: null }), ...parts].join("\n");
  // A text that is being entered stays.
  const field = shown.address === address(current) && $("notify");
  if (field && (field === document.activeElement || field.value !== field.defaultValue)) return;
  if (key === shown.texts || (view.isMadeOnce && shown.view === view)) view.update?.(current.query);
  else {
    const answers = Object.fromEntries(paths.map(([name], index) => [name, JSON.parse(texts[index])]));
    const total = answers.list?.total;
    refill($("view"), view.show(answers, current.query, { ...store.data, products: store.products }).flat());
    const said = total === undefined ? null : `${count(total)} ${total === 1 ? "row" : "rows"}`;
    if (shown.view === view && shown.total !== total && said && shown.address !== address(current)) say(said);
    shown.total = total;
  }
  $("view").dataset.ready = address(current);
  shown = { ...shown, view, texts: key, address: address(current) };
}

// The filters above a view. They stay as long as it does: what is being entered is not lost.

async function showFilters(view) {
  const { tabs } = view;
  $("tools").replaceChildren(...(tabs ? [el("div", { class: "tabs" }, ...tabs.map(([tab, words]) =>
    el("a", { href: address({ view: view.name, query: { tab } }), "data-tab": tab, key: "tab:" + tab }, words)))] : []));
  fillFilters(view);
  if (!$("filters").hidden && store.products.length === 0) {
    try { await readProducts(); } catch { return; }
    if (viewNow() === view) fillFilters(view);
  }
}

function fillFilters(view) {
  const filters = view.filters({ ...store.data, products: store.products });
  const place = $("filters");
  place.hidden = filters.length === 0;
  place.replaceChildren(...filters.map(({ name, label, options, type }) => {
    const id = "filter-" + name;
    const control = options ? select(id, [["", `Any ${label.toLowerCase()}`], ...options]) : el("input", { id, type });
    control.dataset.filter = name;
    control.addEventListener("change", () => filter({ [name]: control.value }));
    if (options) control.setAttribute("aria-label", label);
    return el("div", { class: "filter" }, options ? null : el("label", { for: id, class: "note" }, label), control);
  }), ...(filters.length ? [button("Clear", () => {
    $("search").value = "";
    go({ view: route.current.view });
    $("title").focus();
  }, { id: "clear", class: "plain" })] : []));
  showFilterValues();
}

function showFilterValues() {
  const { query } = route.current;
  for (const control of $("filters").querySelectorAll("[data-filter]")) {
    const value = query[control.dataset.filter] || "";
    if (control.tagName === "SELECT" && value && ![...control.options].some((one) => one.value === value)) {
      control.append(el("option", { value }, value));
    }
    if (document.activeElement !== control || control.tagName === "SELECT") control.value = value;
  }
  const clear = $("clear");
  if (clear) clear.hidden = !Object.entries(query).some(([name, value]) => value && !["tab", "sort", "order", "after", "at"].includes(name));
  for (const tab of $("tools").querySelectorAll("[data-tab]")) {
    if (tab.dataset.tab === (query.tab || "")) tab.setAttribute("aria-current", "true");
    else tab.removeAttribute("aria-current");
  }
}

// The bar and the navigation.

const counted = { transactions: "transactions", subscriptions: "subscriptions", customers: "accounts", products: "products" };

function showNavigation() {
  const counts = store.data?.counts || {};
  const failed = store.data?.server.failed || 0;
  const waiting = store.data?.waiting.total || 0;
  refill($("views"), [el("ul", {}, ...views.map((view) => {
    const number = view === overview ? waiting : view === server ? failed : counts[counted[view.name]];
    const words = view === overview ? "wait" : view === server ? "failed" : null;
    return el("li", {}, el("a", { href: "#/" + view.name, key: "view:" + view.name,
      "aria-current": view === viewNow() ? "page" : null }, el("span", {}, view.title),
    number ? el("span", { class: words ? "count alert" : "count", title: words && `${number} ${words}` }, count(number)) : null));
  }))]);
}

function showBar() {
  const { app, environment, storefront, clock, customers: list, server: told } = store.data;
  $("app").textContent = app;
  $("place").textContent = [environment, storefront].filter(Boolean).join(" · ");
  showNow(clock.now);
  $("steps").hidden = !clock.isMovable;
  const field = $("customer");
  const before = field.value || sessionStorage.getItem("customer");
  if (list.map((one) => one.account).join("\n") !== [...field.options].map((one) => one.value).join("\n")) {
    field.replaceChildren(...list.map((one) => el("option", { value: one.account }, one.account)));
    if (list.some((one) => one.account === before)) field.value = before;
  }
  showAdvice(told);
  showNavigation();
}

function showAdvice(told) {
  const isAbout = [overview, server].includes(viewNow());
  refill($("advice"), [
    told.notificationURL || !isAbout ? null : el("p", { class: "notice" }, ...noServer()),
    told.isAvailable ? null : el("p", { class: "notice warn" }, "The store’s servers answer each request with a failure. ",
      el("a", { href: "#/server?tab=settings" }, "Change it")),
  ]);
}

function showNow(now) {
  if (store.data) store.data.clock.now = now;
  $("now").textContent = moment(now);
  $("now").dateTime = now;
}

// Following the address and the server.

route.changed = (before) => {
  const view = viewNow();
  const isOther = before.view !== route.current.view;
  document.title = `${view.title} – ${store.data?.app || "Sandbox store"}`;
  if (isOther) {
    hideToast();
    $("title").textContent = view.title;
    $("menu").setAttribute("aria-expanded", "false");
    document.body.classList.remove("has-menu");
    $("view").replaceChildren();
    $("failure").hidden = true;
    if (document.activeElement !== $("search")) {
      scrollTo(0, 0);
      $("title").focus({ preventScroll: true });
    }
    showNavigation();
    if (store.data) showAdvice(store.data.server);
  }
  $("search").placeholder = view.searches ? `Search ${view.title.toLowerCase()}` : "Search transactions";
  if (document.activeElement !== $("search")) $("search").value = route.current.query.search || "";
  if (route.current.id === null) {
    $("sheet").hidden = true;
    $("sheet").replaceChildren();
    shown.sheet = shown.sheetText = null;
    const row = before.id && document.querySelector(`#view [data-key="${CSS.escape("row:" + before.id)}"]`);
    if (before.id && !isOther) (row || $("title")).focus({ preventScroll: !row });
  }
  document.body.classList.toggle("has-sheet", route.current.id !== null);
  for (const row of document.querySelectorAll("#view tr[data-id]")) row.classList.toggle("open", row.dataset.id === route.current.id);
  refresh(true);
};

route.tokenChanged = () => connect();

connection.shown = (state) => {
  const words = { connected: ["Connected", "good"], lost: ["Not connected", "bad"], "without a token": ["Without a token", "bad"] }[state];
  if ($("connection").textContent !== words[0] && state !== "connected") say(words[0]);
  $("connection").textContent = words[0];
  $("connection").className = "status " + words[1];
  $("lost").hidden = state !== "lost";
  $("token-form").hidden = state !== "without a token";
};

connection.heard = (name, value) => {
  if (name === "hello") {
    if (value.isRestart) { forget(); say("The server was started again."); }
    refresh();
  }
  if (name === "changed") refresh();
  if (name === "beat") showNow(value.now);
  if (name === "trouble") { $("failure").textContent = value.error; $("failure").hidden = false; }
};

acts.done = () => refresh();

// Opens a sheet beside the rows; a click with a modifier opens a window.
addEventListener("click", (event) => {
  if (event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const key = event.target.closest('a[data-key^="row:"]')?.dataset.key
    || (!event.target.closest("a, button, input, select, .error-row") && getSelection().isCollapsed
      && event.target.closest("#view tr[data-id]")?.querySelector('a[data-key^="row:"]')?.dataset.key);
  if (!key) return;
  event.preventDefault();
  opens = true;
  openSheet(key.slice(4));
});

let pause = null;
$("search").addEventListener("input", () => {
  const view = viewNow();
  clearTimeout(pause);
  pause = setTimeout(() => { if (view.searches && view === viewNow()) filter({ search: $("search").value }, { replace: true }); }, 200);
});
$("search-form").addEventListener("submit", (event) => {
  event.preventDefault();
  clearTimeout(pause);
  const search = $("search").value.trim();
  if (viewNow().searches) filter({ search }, { replace: true });
  else go({ view: "transactions", query: { search } });
});
$("customer").addEventListener("change", () => sessionStorage.setItem("customer", $("customer").value));
$("buy").addEventListener("click", () => buy());
$("clock-button").addEventListener("click", () => openClock());
$("steps").append(...steps.map(([words, unit]) => button(
  words === "To the next renewal" ? "Next renewal" : words, () => openClock(unit), { "aria-haspopup": "dialog" })));
$("menu").addEventListener("click", () => {
  const isOpen = document.body.classList.toggle("has-menu");
  $("menu").setAttribute("aria-expanded", String(isOpen));
});
$("token-form").addEventListener("submit", (event) => {
  event.preventDefault();
  sessionStorage.setItem("token", $("token").value.trim());
  $("token").value = "";
  connect();
});

start();
startKeys(views);
showNavigation();
$("title").textContent = viewNow().title;
follow();
connect();
