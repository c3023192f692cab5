// Tables with heads that sort, and pages by cursors.

import { button, count, el } from "./dom.js";
import { filter, go, link, route } from "./address.js";

// Creates a table of rows.
//
// A column is { head, cell(row), sort, end, wide }: `sort` is the server's name of the order, `end` sets the cell to the right,
// `wide` columns are left out where there is no room.
export function table(label, columns, rows, key, options = {}) {
  const { sort = "date", order = "down" } = route.current.query;
  const heads = columns.map((column) => {
    const isSorted = column.sort && column.sort === sort && !options.isFixed;
    const direction = isSorted ? (order === "down" ? "descending" : "ascending") : null;
    if (!column.sort || options.isFixed) return head(column.head, classOf(column));
    const reverse = (isSorted ? order === "down" : column.sort !== "date") ? "up" : "down";
    return head(button(column.head, () => filter({ sort: column.sort, order: reverse }),
      { class: "head", key: "sort:" + column.sort }), classOf(column), direction);
  });
  return frame(label, line({}, heads), rows.map((row) => line({ "data-id": key ? key(row) : null,
    class: key && key(row) === route.current.id ? "open" : null },
  columns.map((column) => cell(classOf(column), column.cell(row))))));
}

// The parts of a table, which keep their roles where the style makes blocks of them.
export const cell = (name, ...content) => el("td", { role: "cell", class: name }, ...content);
export const head = (content, name, sort) =>
  el("th", { scope: "col", role: "columnheader", class: name, "aria-sort": sort }, content);
export const line = (properties, ...cells) => el("tr", { role: "row", ...properties }, ...cells);
export const frame = (label, heads, rows, name) => el("table", { role: "table", "aria-label": label, class: name },
  el("thead", { role: "rowgroup" }, heads), el("tbody", { role: "rowgroup" }, rows));

const classOf = (column) => [column.end && "end", column.wide && "wide", column.class].filter(Boolean).join(" ") || null;

// Creates the link to the sheet of a row.
export function rowLink(id, text, label) {
  return el("a", { href: link(id), key: "row:" + id, "aria-label": label }, text);
}

// Creates the line below a table, with the buttons that turn pages.
export function pager(list) {
  const { view, id, query } = route.current;
  const at = Number(query.at) || 0;
  const trail = history.state?.trail || [];
  const turn = (after, place, trail) => {
    scrollTo(0, 0);
    go({ view, id, query: { ...query, after, at: place || "" } }, { trail });
  };
  const range = list.total === undefined ? "" : list.rows.length === 0 ? "" :
    `${count(at + 1)}–${count(at + list.rows.length)} of ${count(list.total)}`;
  const turner = (label, isOn, work) => button(label, work, { key: label, disabled: !isOn });
  if (!query.after && !list.next) return el("p", { class: "pager" }, range);
  return el("div", { class: "pager" },
    el("span", {}, range),
    turner("First page", Boolean(query.after), () => turn("", 0, [])),
    turner("Previous", trail.length > 0, () => {
      const [cursor, place] = trail[trail.length - 1];
      turn(cursor, place, trail.slice(0, -1));
    }),
    turner("Next", Boolean(list.next), () =>
      turn(list.next, at + list.rows.length, [...trail, [query.after || "", at]])));
}
