// The clock: says what falls due before it moves.

import { attempt } from "./acts.js";
import { button, capital, el, empty, moment, toast } from "./dom.js";
import { closeDialog, labeled, openDialog } from "./dialog.js";
import { lineOf, performed, query, request } from "./server.js";
import { store } from "./store.js";

export const steps = [["+1 day", "day"], ["+1 month", "month"], ["+1 year", "year"], ["To the next renewal", "next"]];

const written = (date) => date.toISOString().replace(/\.\d+Z$/, "Z");

// Returns a date later by a unit; the last day of a shorter month where the day is missing.
function later({ now, lead }, unit) {
  // A clock that runs is a part of a second ahead of what was read.
  const date = new Date(+new Date(now) + (lead === null ? 0 : 1000));
  const first = date.getUTCDate();
  if (unit === "day") date.setUTCDate(date.getUTCDate() + 1);
  if (unit === "year") date.setUTCFullYear(date.getUTCFullYear() + 1);
  if (unit === "month") date.setUTCMonth(date.getUTCMonth() + 1);
  if (unit !== "day" && date.getUTCDate() !== first) date.setUTCDate(0);
  return written(date);
}

export function openClock(target = "day") {
  const clock = store.data?.clock;
  if (!clock) return;
  if (!clock.isMovable) {
    openDialog("Clock", empty("The clock of this store is the system’s, and cannot be moved."));
    return;
  }
  let until = null;
  let latest = 0;
  const field = el("input", { type: "datetime-local", id: "clock-until", step: "1" });
  const due = el("p", { id: "due-sentence", class: "due-sentence" });
  const line = el("code", {});
  const move = el("button", { class: "main", id: "clock-move" }, "Move the clock");
  const place = el("div", { class: "buttons", "data-errors": true }, move);
  const aim = async (words) => {
    const turn = ++latest;
    move.disabled = true;
    try {
      const answer = await request(query("due", { until: words }));
      if (turn !== latest) return;
      until = answer.until;
      field.value = until ? until.slice(0, 19) : "";
      due.textContent = until ? `${capital(answer.sentence || "nothing falls due")}.` : "Nothing falls due.";
      line.textContent = until ? lineOf("advance-to", [until]) : "";
      move.textContent = until ? `Move the clock to ${moment(until)}` : "Move the clock";
      move.disabled = !until;
    } catch (error) {
      if (turn !== latest) return;
      due.textContent = capital(error.message) + ".";
    }
  };
  const form = el("form", { class: "stack", submit: (event) => {
    event.preventDefault();
    if (!until) return;
    const words = lineOf("advance-to", [until]);
    attempt(words, move, async () => {
      move.textContent = "Moving…";
      try {
        const happened = due.textContent;
        await performed(words);
        closeDialog();
        toast(`${happened} It is ${moment(until)}.`, words);
      } finally {
        move.textContent = `Move the clock to ${moment(until)}`;
      }
    });
  } },
  el("p", {}, "It is ", el("time", {}, moment(store.data.clock.now)), " UTC",
    clock.lead ? `, ${Math.round(clock.lead / 86400)} days ahead of the system’s clock.` : "."),
  el("div", { class: "buttons" }, ...steps.map(([words, unit]) => button(words,
    () => aim(unit === "next" ? "next" : later(store.data.clock, unit))))),
  labeled("Until, UTC", field), due, el("p", { class: "line" }, line), place);
  field.addEventListener("change", () => {
    if (field.value) aim(field.value.length === 16 ? field.value + ":00Z" : field.value + "Z");
  });
  openDialog("Move the clock", form);
  aim(target === "next" ? "next" : later(clock, target)).then(() => move.disabled ? field.focus() : move.focus());
}
