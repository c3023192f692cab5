// The views of transactions, subscriptions, customers and products.

import { address } from "./address.js";
import { actButton } from "./acts.js";
import { buy } from "./buy.js";
import { button, code, day, el, empty, facts, moment, money, noProducts, note, plural, status, titleOf } from "./dom.js";
import { query } from "./server.js";
import { pager, rowLink, table } from "./table.js";

const pick = (given, names) => Object.fromEntries(names.map((name) => [name, given[name]]));

// Where nothing is shown: says whether filters are the reason, and what to do otherwise.
export function nothing(current, ...sentences) {
  const isFiltered = Object.entries(current).some(([name, value]) => value && !["sort", "order", "at"].includes(name));
  return isFiltered ? empty("Nothing matches. ", el("a", { href: "#/" + here(), class: "clear" }, "Remove the filters"))
    : empty(...sentences);
}
const here = () => location.hash.replace(/^#\/?/, "").split(/[?/]/)[0] || "overview";

const buyButton = (key, label, what, about) => button(label, () => buy(what), { key: key, "aria-label": about });

export const buyFirst = (sentence) => [sentence + " ",
  buyButton("buy-first", "Buy something…"),
  " or let the app buy."];

// The columns that every list of transactions has.
export const transactionColumns = {
  id: { head: "Transaction", class: "c-id", cell: (row) => rowLink(row.transaction, "#" + row.transaction,
    `Transaction ${row.transaction}, ${titleOf(row)}`) },
  date: { head: "Date, UTC", sort: "date", class: "c-date", cell: (row) => moment(row.date) },
  product: { head: "Product", sort: "product", class: "c-main", cell: titleOf },
  customer: { head: "Customer", sort: "account", class: "c-who", cell: (row) => row.account || note("nobody") },
  device: { head: "Device", wide: true, cell: (row) => row.device || "" },
  state: { head: "State", sort: "state", class: "c-state", cell: (row) => status(row.state, row.sentence) },
  charge: { head: "Charge", sort: "charge", end: true, class: "c-charge", cell: (row) => money(row.charge, row.currency) },
  acts: { head: "Act", class: "c-acts", cell: (row) =>
    row.acts.filter((act) => act.isMain).slice(0, 1).map((act) => actButton(act, titleOf(row))) },
};

const states = ["sold", "waits", "interrupted", "failed", "refunded", "restored", "in progress"];
const named = (list) => list.map((one) => [one, one[0].toUpperCase() + one.slice(1)]);

export const transactions = {
  name: "transactions", title: "Transactions", letter: "t", searches: true,
  filters: (data) => [
    { name: "state", label: "State", options: named(states) },
    { name: "product", label: "Product", options: data.products.map((one) => [one.product, one.title]) },
    { name: "account", label: "Customer", options: data.customers.map((one) => [one.account, one.account]) },
    { name: "from", label: "From", type: "date" }, { name: "to", label: "To", type: "date" },
  ],
  reads: (current) => ({ list: query("transactions", pick(current, ["search", "state", "product", "account", "device",
    "from", "to", "sort", "order", "after"])) }),
  show({ list }, current, data) {
    if (list.rows.length === 0) {
      return [data.counts.products === 0 ? noProducts() : nothing(current, ...buyFirst("Nothing has been bought yet."))];
    }
    const { id, date, product, customer, device, state, charge, acts } = transactionColumns;
    return [table("Transactions", [id, date, product, customer, device, state, charge, acts], list.rows,
      (row) => row.transaction), pager(list)];
  },
};

// The last periods of a subscription. Those of one kind that follow each other are one part: a table has few elements.
function runsOf(row) {
  const runs = [];
  for (const { from, until, kind } of row.periods) {
    const last = runs[runs.length - 1];
    if (last && last.kind === kind) [last.until, last.count] = [until, last.count + 1];
    else runs.push({ from, until, kind, count: 1 });
  }
  return runs.slice(-5);
}

// A bar of periods, on the time axis that the rows share.
function periodBar(runs, axis, now) {
  const bar = el("span", { class: "bar" });
  const place = (part, from, until) => {
    part.style.left = `${100 * (from - axis.from) / (axis.until - axis.from)}%`;
    if (until) part.style.width = `${100 * (until - from) / (axis.until - axis.from)}%`;
    bar.append(part);
  };
  for (const run of runs) {
    const title = `${run.count > 1 ? run.count + " × " : ""}${run.kind}, ${day(run.from)} to ${day(run.until)}`;
    place(el("span", { class: "period " + run.kind, title }), new Date(run.from), new Date(run.until));
  }
  place(el("span", { class: "now" }), new Date(now));
  const words = runs.map((run) => (run.count > 1 ? run.count + " " : "") + run.kind).join(", then ");
  bar.setAttribute("role", "img");
  bar.setAttribute("aria-label", "Periods: " + words);
  return bar;
}

export const subscriptions = {
  name: "subscriptions", title: "Subscriptions", letter: "s", searches: true,
  filters: (data) => [
    { name: "state", label: "State", options: [["running", "Running"], ["grace", "In its grace period"],
      ["retry", "Billing is tried again"], ["ended", "Ended"]] },
    { name: "product", label: "Product", options: data.products.filter((one) => one.period)
      .map((one) => [one.product, one.title]) },
    { name: "account", label: "Customer", options: data.customers.map((one) => [one.account, one.account]) },
  ],
  reads: (current) => ({ list: query("subscriptions", { ...pick(current, ["search", "state", "product", "account",
    "after"]), limit: 20 }) }),
  show({ list }, current, data) {
    if (list.rows.length === 0) return [nothing(current, ...buyFirst("Nobody has subscribed yet."))];
    const now = data.clock.now;
    const runs = new Map(list.rows.map((row) => [row, runsOf(row)]));
    const dates = [...runs.values()].flat().flatMap(({ from, until }) => [new Date(from), new Date(until)]);
    const axis = { from: Math.min(new Date(now), ...dates), until: Math.max(new Date(now), ...dates) + 86_400_000 };
    const shown = (time) => day(new Date(time).toISOString(), now).split(",")[0];
    return [table("Subscriptions", [
      { head: "Customer", class: "c-main", cell: (row) => rowLink(row.transaction, row.account,
        `Subscription of ${row.account}, ${row.title}`) },
      { head: "Product", class: "c-who", cell: (row) => row.title },
      { head: "State", class: "c-state", cell: (row) => status(row.state, row.sentence) },
      { head: [el("span", { class: "axis" }, el("span", {}, shown(axis.from)),
        el("span", {}, shown(axis.until)))], class: "c-bar", wide: true, cell: (row) => periodBar(runs.get(row), axis, now) },
      { head: "Charge", end: true, class: "c-charge", cell: (row) => money(row.charge, row.currency) },
      { head: "Act", class: "c-acts", cell: (row) => row.acts.slice(0, 1).map((act) => actButton(act, row.account)) },
    ], list.rows, (row) => row.transaction), el("p", { class: "legend" },
      ...[["paid", "paid"], ["trial", "free trial"], ["offer", "offer"], ["grace", "grace period"], ["refunded", "refunded"]]
        .map(([kind, words]) => el("span", {}, el("span", { class: "period " + kind }), words)),
      el("span", {}, el("span", { class: "now" }), "now")), pager(list)];
  },
};

const switches = { asksToBuy: "asks to buy", billingFails: "billing fails", interrupted: "purchases are interrupted" };

export const customers = {
  name: "customers", title: "Customers", letter: "c", searches: true, filters: () => [],
  reads: (current) => ({ list: query("customers", pick(current, ["search", "after"])) }),
  show({ list }, current, data) {
    if (list.rows.length === 0) {
      return [nothing(current, "There are no customers. ", code("add-account anna"), " adds one, in ",
        el("a", { href: "#/acts?command=add-account" }, "Acts by fields"), ".")];
    }
    const cards = list.rows.map((row) => {
      const on = Object.entries(switches).filter(([name]) => row.switches[name]).map(([, words]) => words);
      const about = [
        ["Devices", row.devices.map((one) => one.device + (one.payments ? "" : " (may not pay)")).join(", ") || "none"],
        ["Family", row.family ? `${row.family.name}: ${row.family.role}; ${row.family.members.join(", ")}` : "none"],
        ["Running", row.running.map((one) => `${one.product} until ${day(one.until, data.clock.now)}`)
          .join("; ") || "nothing"],
        ["Owned", row.owned.join(", ") || "nothing"],
        ["Spent", row.spent.map((one) => money(one.amount, one.currency)).join(" + ") || "nothing"],
      ];
      return el("li", { class: "card", "data-id": row.account },
        el("h2", {}, row.account, on.length ? el("span", { class: "status grace" }, on.join(", ")) : null),
        facts(about),
        el("div", { class: "buttons", "data-errors": true },
          buyButton("buys:" + row.account, "Buy…", { account: row.account }, "Buy as " + row.account),
          ...row.acts.map((act) => actButton(act, row.account)),
          el("a", { href: address({ view: "transactions", query: { account: row.account } }),
            "aria-label": "Transactions of " + row.account }, "Transactions")));
    });
    return [el("ul", { class: "cards" }, ...cards), pager(list)];
  },
};

export const products = {
  name: "products", title: "Products", letter: "p", searches: true,
  filters: (data) => [{ name: "kind", label: "Kind", options: data.words.kinds }],
  reads: (current) => ({ list: query("products", pick(current, ["search", "kind", "after"])) }),
  show({ list }, current, data) {
    if (list.rows.length === 0) return [data.counts.products === 0 ? noProducts() : nothing(current, "")];
    return [table("Products", [
      { head: "Product", class: "c-main", cell: (row) => row.title },
      { head: "Identifier", wide: true, cell: (row) => code(row.product) },
      { head: "Kind", class: "c-who", cell: (row) => row.terms },
      { head: "Group", wide: true, cell: (row) => row.group || "" },
      { head: "Offers", wide: true, cell: (row) => row.offers.length
        ? el("span", { title: row.offers.map((one) => one.words).join("\n") }, plural(row.offers.length, "offer")) : "" },
      { head: "Sale", class: "c-state", cell: (row) => row.notOnSale ? status("failed", row.notOnSale)
        : status("sold", row.isFamilyShareable ? "On sale, for families" : "On sale") },
      { head: "Price", end: true, class: "c-charge", cell: (row) => money(row.price, row.currency) },
      { head: "Act", class: "c-acts", cell: (row) =>
        buyButton("buy " + row.product, "Buy…", { product: row.product }, `Buy ${row.title}`) },
    ], list.rows, (row) => row.product, { isFixed: true }), pager(list)];
  },
};
