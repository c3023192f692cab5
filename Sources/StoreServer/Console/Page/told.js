// The views of the app's server and of the timeline.

import { address, filter, go, route } from "./address.js";
import { attempt } from "./acts.js";
import { button, code, el, empty, moment, note, plural, status, titleOf, toast } from "./dom.js";
import { nothing } from "./lists.js";
import { changed, query } from "./server.js";
import { cell, frame, head, line, pager, rowLink, table } from "./table.js";

export const noServer = () => [
  "No server is told: notifications have no URL. Serve the store with ", code("--notify URL"), ", or enter one under ",
  el("a", { href: "#/server?tab=settings" }, "Server"), "."];

export function resendButton(identifier) {
  const line = `resend ${identifier}`;
  return button("Resend", (event) => attempt(line, event.currentTarget, async () => {
    await changed("POST", `notifications/${encodeURIComponent(identifier)}/resend`);
    toast("The notification is sent once more.");
  }), { class: "act", key: line });
}

const tabs = [["", "Notifications"], ["requests", "Requests"], ["settings", "Settings"]];

const set = (name, value, sentence) => (event) => attempt("set " + name, event.currentTarget ?? event.target, async () => {
  await changed("PATCH", "server", { [name]: value() });
  toast("Saved: " + sentence());
});

function settings(server) {
  const url = el("input", { id: "notify", type: "url", key: "notify", value: server.notificationURL || "",
    placeholder: "The address of your server", autocomplete: "off", spellcheck: "false" });
  const toggle = (name, words, explanation) => {
    const box = el("input", { type: "checkbox", id: "set-" + name, key: "set " + name,
      "aria-describedby": "about-" + name, change: set(name, () => box.checked, () => `${words}: ${box.checked ? "on" : "off"}.`) });
    box.checked = server[name];
    return el("div", { class: "switch", "data-errors": true }, el("label", { for: box.id }, box, words),
      el("p", { class: "note", id: "about-" + name }, explanation));
  };
  return el("div", { class: "settings" },
    el("form", { class: "field", "data-errors": true, submit: (event) => {
      event.preventDefault();
      set("notificationURL", () => url.value.trim() || null, () => {
        url.defaultValue = url.value;
        return `Notifications are sent to ${url.value.trim() || "nobody"}.`;
      })({ target: event.submitter || url });
    } }, el("label", { for: "notify" }, "Notifications are sent to"), url,
    el("button", { class: "main", key: "notify-save" }, "Save")),
    toggle("isAvailable", "The store’s servers answer", "Off: each request gets a failure, as when the App Store is down."),
    toggle("isReleased", "The app is released", "Off: in production, each request is refused."),
    toggle("retriesAfterBadRequest", "Notifications are sent again after status 400", "Off: status 400 ends the attempts."),
    el("p", {}, note("Quirks: "), server.quirks?.length ? server.quirks.map((one) => one.name || one).join(", ")
      : "none; ", el("a", { href: "#/acts?command=quirk" }, "change them")));
}

const attempts = (row) => row.attempts.length > 1 ? note(` after ${row.attempts.length} attempts`) : null;

export const server = {
  name: "server", title: "Server", letter: "n", tabs,
  filters: (data) => route.current.query.tab ? [] : [
    { name: "type", label: "Type", options: data.words.types.map((one) => [one, one]) },
    { name: "result", label: "Result", options: [["delivered", "Delivered"], ["failed", "Failed"], ["unsent", "Not sent"]] },
  ],
  reads: ({ tab, type, result, transaction, after }) => tab === "requests" ? { list: query("requests", { after }) }
    : tab === "settings" ? { server: "server" }
    : { list: query("notifications", { type, result, transaction, after }) },
  show({ list, server: read }, current, data) {
    if (current.tab === "settings") return [settings(read)];
    if (current.tab === "requests") {
      if (list.rows.length === 0) return [empty("No request has come yet. A server asks at ", code(location.origin + "/inApps/v1/…"), ".")];
      return [table("Requests", [
        { head: "Date, UTC", class: "c-date", cell: (row) => moment(row.date) },
        { head: "Method", class: "c-id", cell: (row) => row.method },
        { head: "Path", class: "c-main", cell: (row) => code(row.path) },
        { head: "Answer", class: "c-state", cell: (row) => status(row.status < 400 ? "delivered" : "failed", String(row.status)) },
      ], list.rows, null, { isFixed: true }), pager(list)];
    }
    if (list.rows.length === 0) {
      return [data.server.notificationURL ? nothing(current, "No notification has been sent yet. A purchase sends one.")
        : nothing(current, "There are no notifications: the store knows no URL to send them to. Serve it with ", code("--notify URL"),
          ", or enter one under ", el("a", { href: "#/server?tab=settings" }, "Settings"), ".")];
    }
    return [table("Notifications", [
      { head: "Type", class: "c-main", cell: (row) => [rowLink(row.notification, row.type), row.subtype ? note(" " + row.subtype) : null] },
      { head: "Date, UTC", class: "c-date", cell: (row) => moment(row.date) },
      { head: "Transaction", wide: true, cell: (row) => row.transaction ? el("a",
        { href: address({ view: "transactions", id: row.transaction }) }, "#" + row.transaction) : "" },
      { head: "Customer", class: "c-who", cell: (row) => row.account || "" },
      { head: "Result", class: "c-state", cell: (row) => [status(row.result, row.result === "unsent" ? "Not sent" : null), attempts(row)] },
      { head: "Act", class: "c-acts", cell: (row) => resendButton(row.notification) },
    ], list.rows, (row) => row.notification, { isFixed: true }), pager(list)];
  },
};

// Folds the lines of a set-up that follow each other and differ in what they name only.
function folded(rows) {
  const lines = [];
  for (const row of rows) {
    const last = lines[lines.length - 1];
    const isSetUp = row.kind === "setting" && row.product;
    if (isSetUp && last?.folds && last.row.what === row.what) last.products.push(row.product);
    else lines.push({ row, folds: isSetUp, products: [row.product] });
  }
  return lines;
}

const shapes = ["●", "◆", "■", "▲", "★"];
const mostLanes = 5;

export const timeline = {
  name: "timeline", title: "Timeline", letter: "l", searches: true, filters: () => [],
  reads: ({ search, before }) => ({ list: query("timeline", { search, before, limit: 30 }) }),
  show({ list }, current) {
    if (list.rows.length === 0) return [nothing(current, "Nothing has happened yet.")];
    // A lane for each customer, and one for the server; those who come late share the last.
    const accounts = [...new Set(list.rows.map((row) => row.account).filter(Boolean))].sort();
    const lanes = accounts.slice(0, mostLanes);
    const isServer = (row) => /notif|request|server/i.test(row.kind || "");
    const hasServer = list.rows.some(isServer);
    const devices = new Map(lanes.map((account) => [account, [...new Set(list.rows.filter((row) => row.account === account)
      .map((row) => row.device).filter(Boolean))].sort()]));
    const laneOf = (row) => isServer(row) ? (hasServer ? lanes.length : -1) : lanes.indexOf(row.account);
    const shapeOf = (row) => isServer(row) ? "✉" : shapes[devices.get(row.account)?.indexOf(row.device)] || "○";
    const laneHead = (...names) => head(names.map((name) => el("span", { class: "lane-name", title: name }, name)), "lane");
    const count = lanes.length + (hasServer ? 1 : 0);
    const rows = folded(list.rows).map(({ row, products }) => {
      const about = products.length > 1 ? `${plural(products.length, "product")}: ${products.join(", ")} `
        : [row.transaction && `#${row.transaction}`, row.product && titleOf(row)].filter(Boolean).join(" ");
      const sentence = [row.what, row.order !== null && row.order !== undefined ? ` (order ${row.order})` : ""].join("");
      const lane = laneOf(row);
      const who = [row.account, row.device].filter(Boolean).join(", ");
      return line({ class: row.refusal ? "refused" : null },
        cell("c-date", moment(row.date)),
        count ? laneCell(lane, count, shapeOf(row), isServer(row) ? "server" : who) : null,
        cell("c-who", who || note("store")),
        cell("c-main what", row.transaction
          ? rowLink(row.transaction, about || "#" + row.transaction) : about, " ", sentence,
        row.refusal ? el("span", { class: "status bad" }, row.refusal) : null));
    });
    const heads = line({}, head("Date, UTC"),
      ...lanes.map((name) => laneHead(name, devices.get(name).map((device, index) => `${shapes[index] || "○"} ${device}`).join(" "))),
      hasServer ? laneHead("Server", "✉ told") : null,
      head("Who", "wide"), head("What"));
    const { query: given } = route.current;
    return [frame("Timeline, newest first", heads, rows, "timeline"), el("div", { class: "pager" },
      given.before ? button("Newest", () => filter({}), { key: "newest" }) : null,
      list.next ? button("Older", () => go({ view: "timeline", query: { ...given, before: list.next } }), { key: "older" }) : null)];
  },
};

function laneCell(lane, count, shape, who) {
  const made = cell("lanes");
  made.colSpan = count;
  made.style.backgroundSize = `${100 / count}% 100%`;
  if (lane >= 0) {
    const dot = el("span", { class: "dot", role: "img", "aria-label": who }, shape);
    dot.style.left = `${100 * (lane + 0.5) / count}%`;
    made.append(dot);
  }
  return made;
}
