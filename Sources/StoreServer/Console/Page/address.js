// The address: #/VIEW/SHEET?filters.

import { $, given } from "./dom.js";

export function parse(hash) {
  const [path, search] = hash.replace(/^#\/?/, "").split("?");
  const [view, ...rest] = path.split("/").map((part) => {
    try { return decodeURIComponent(part); } catch { return part; }
  });
  return { view: view || "overview", id: rest.join("/") || null, query: Object.fromEntries(new URLSearchParams(search)) };
}

export function address({ view, id, query }) {
  const search = given(query);
  return `#/${view}${id ? "/" + encodeURIComponent(id) : ""}${search ? "?" + search : ""}`;
}

// Moves the token from the address to the window's session: who sees or copies the address must not get it.
function takeToken() {
  if (location.hash.startsWith("#/")) return false;
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  if (!given) return false;
  sessionStorage.setItem("token", given);
  history.replaceState(history.state, "", location.pathname + address(route.current));
  return true;
}

export const route = { current: { view: "overview", id: null, query: {} }, changed: () => {}, tokenChanged: () => {} };

// Goes to an address. The cursors of the pages before are kept with the entry of the window's history.
export function go(target, { replace = false, trail = [], sheets } = {}) {
  const next = { view: route.current.view, id: null, query: {}, ...target };
  history[replace ? "replaceState" : "pushState"]({ trail, sheets }, "", location.pathname + address(next));
  follow();
}

// Returns to the current view with other filters, on the first page.
export function filter(changes, options) {
  const { view, id, query } = route.current;
  go({ view, id, query: { ...query, after: "", at: "", before: "", ...changes } }, options);
}

export const link = (id) => address({ ...route.current, id });

// Opens a sheet, and counts those that were opened one after the other: closing the last goes back before the first.
export function openSheet(id, { replace } = {}) {
  const { trail, sheets } = history.state || {};
  const before = route.current.id === null ? 0 : sheets;
  go({ ...route.current, id }, { trail, replace, sheets: replace ? before : before + 1 });
}

let isLeaving = false;

export function closeSheet() {
  const { view, id, query } = route.current;
  const { trail, sheets } = history.state || {};
  if (id === null || isLeaving) return;
  isLeaving = sheets > 0;
  if (isLeaving) history.go(-sheets);
  else go({ view, query }, { replace: true, trail });
}

export function follow() {
  isLeaving = false;
  const hasToken = takeToken();
  const before = route.current;
  if (location.hash === "" || location.hash.startsWith("#/")) route.current = parse(location.hash);
  else history.replaceState(history.state, "", location.pathname + address(before));
  if (route.current.view !== before.view) $("dialog").close();
  route.changed(before);
  if (hasToken) route.tokenChanged();
}

export function start() {
  takeToken();
  route.current = parse(location.hash);
  addEventListener("popstate", follow);
  $("skip").addEventListener("click", (event) => { event.preventDefault(); $("title").focus(); });
}
