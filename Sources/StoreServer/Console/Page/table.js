// Tables with heads that sort, and pages by cursors.

import { button, count, element } from "./dom.js";
import { filter, go, link, route } from "./address.js";

// Creates a table of rows.
//
// A column is { head, cell(row), sort, end, wide }: `sort` is the server's name of the order, `end` sets the cell to the right,
// `wide` columns are left out where there is no room.
export function table(label, columns, rows, key, options = {}) {
  const { sort = "date", order = "down" } = route.current.query;
  const heads = columns.map((column) => {
    const isSorted = column.sort && column.sort === sort;
    const properties = { scope: "col", role: "columnheader", class: classOf(column),
      "aria-sort": isSorted ? (order === "down" ? "descending" : "ascending") : null };
    if (!column.sort || options.isFixed) return element("th", { ...properties, "aria-sort": null }, column.head);
    const reverse = isSorted ? (order === "down" ? "up" : "down") : (column.sort === "date" ? "down" : "up");
    return element("th", properties, button(column.head,
      () => filter({ sort: column.sort, order: reverse }), { class: "head", "data-key": "sort:" + column.sort }));
  });
  const body = rows.map((row) => element("tr", { role: "row", "data-id": key ? key(row) : null,
    class: key && key(row) === route.current.id ? "open" : null },
    ...columns.map((column) => element("td", { role: "cell", class: classOf(column) }, column.cell(row)))));
  return element("table", { role: "table", "aria-label": label, class: options.class },
    element("thead", { role: "rowgroup" }, element("tr", { role: "row" }, ...heads)),
    element("tbody", { role: "rowgroup" }, ...body));
}

const classOf = (column) => [column.end && "end", column.wide && "wide", column.class].filter(Boolean).join(" ") || null;

// Creates the link to the sheet of a row.
export function rowLink(id, text, label) {
  return element("a", { href: link(id), "data-key": "row:" + id, "aria-label": label }, text);
}

// Creates the line below a table, with the buttons that turn pages.
export function pager(list, parameter = "after") {
  const { view, id, query } = route.current;
  const at = Number(query.at) || 0;
  const trail = history.state?.trail || [];
  const turn = (cursor, place, next) => go({ view, id, query: { ...query, [parameter]: cursor, at: place || "" } }, { trail: next });
  const range = list.total === undefined ? "" : list.rows.length === 0 ? "" :
    `${count(at + 1)}–${count(at + list.rows.length)} of ${count(list.total)}`;
  const turner = (label, isOn, work) => button(label, work, { "data-key": label, disabled: !isOn });
  if (!query[parameter] && !list.next) return element("p", { class: "pager" }, range);
  return element("div", { class: "pager" },
    element("span", {}, range),
    turner("First page", Boolean(query[parameter]), () => turn("", 0, [])),
    turner("Previous", trail.length > 0, () => {
      const [cursor, place] = trail[trail.length - 1];
      turn(cursor, place, trail.slice(0, -1));
    }),
    turner("Next", Boolean(list.next), () =>
      turn(list.next, at + list.rows.length, [...trail, [query[parameter] || "", at]])));
}
