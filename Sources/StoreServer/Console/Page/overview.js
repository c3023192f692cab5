// The overview: what waits, what just happened, what falls due next.

import { address } from "./address.js";
import { actButton } from "./acts.js";
import { openClock } from "./clock.js";
import { button, capital, count, day, el, empty, money, noProducts, note, status, titleOf } from "./dom.js";
import { buyFirst, transactionColumns } from "./lists.js";
import { rowLink, table } from "./table.js";

function section(id, title, total, ...content) {
  return el("section", { "aria-labelledby": id, id: id + "-section" }, el("h2", { id }, title,
    total ? note(" " + count(total)) : null), ...content);
}

const more = (list, view) => list.total > list.rows.length
  ? el("p", { class: "more" }, el("a", { href: address({ view }) }, `All ${count(list.total)}`)) : null;

export const overview = {
  name: "overview", title: "Overview", letter: "o", filters: () => [], reads: () => ({}),
  show(_, current, data) {
    const { waiting, recent, due, clock } = data;
    const { id, product, customer, state, charge } = transactionColumns;
    const date = { head: "Date, UTC", class: "c-date", cell: (row) => `${day(row.date)} ${row.date.slice(11, 16)}` };
    const waitingTable = () => table("Waits for you", [
      id,
      { head: "Product", class: "c-main", cell: (row) => [titleOf(row), " ", note(money(row.charge, row.currency))] },
      { head: "Customer", class: "c-who", cell: (row) => row.account || note("nobody") },
      { head: "Waits", class: "c-state", cell: (row) => status(row.kind === "interrupted" ? "interrupted" : "waits",
        row.sentence) },
      { head: "Acts", class: "c-acts", cell: (row) => row.acts.slice(0, row.kind === "interrupted" ? 1 : 2).map((act) => actButton(act, titleOf(row))) },
    ], waiting.rows, (row) => row.transaction, { isFixed: true });
    const dueList = () => el("ol", { class: "due" }, ...due.rows.map((row) => el("li", {},
      row.transaction ? rowLink(row.transaction, capital(row.sentence)) : capital(row.sentence),
      note([day(row.date, clock.now), row.account].filter(Boolean).join(" · ")))));
    return [
      section("waiting", "Waits for you", waiting.total, waiting.rows.length ? waitingTable()
        : empty("Nothing waits. Purchases to approve, to resolve and requests for refunds appear here.")),
      el("div", { class: "columns" },
        section("recent", "Just happened", 0, recent.rows.length
          ? table("Just happened", [id, date, product, customer, state, charge], recent.rows, (row) => row.transaction, { isFixed: true })
          : data.counts.products === 0 ? noProducts()
          : empty(...buyFirst("Nothing has been bought yet.")), more(recent, "transactions")),
        section("due", "Falls due next", due.total, due.rows.length ? dueList()
          : empty("Nothing falls due: no subscription runs."), more(due, "subscriptions"),
        clock.isMovable && due.rows.length ? el("p", {}, button("To the next renewal…", () => openClock("next"), { key: "due-next" })) : null)),
    ];
  },
};
