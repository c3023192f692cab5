// Acts: buttons that perform a line, and what they say of it.

import { button, capital, el, hideToast, say, toast } from "./dom.js";
import { connection, performed } from "./server.js";

// The lines in progress. Their buttons stay enabled, because a disabled button loses the focus.
const running = new Set();
export const acts = { done: () => {} };

// Runs work for a button: one at a time, with its error beside the button.
export async function attempt(key, pressed, work) {
  if (running.has(key)) return;
  if (!connection.mayAct) return showError(pressed, "enter the token of the server first");
  running.add(key);
  pressed?.setAttribute("aria-busy", "true");
  clearError(pressed);
  try {
    await work();
  } catch (error) {
    hideToast();
    showError(pressed, error.message);
  } finally {
    running.delete(key);
    pressed?.removeAttribute("aria-busy");
    acts.done();
  }
}

export const perform = (line, pressed) => attempt(line, pressed, async () => {
  const answer = await performed(line);
  toast(answer.split("\n")[0] || "Done.", line);
});

// The place of a button's errors: the element that is marked so, or a row of its own in a table.
function errorPlace(pressed) {
  const row = pressed.closest("tbody tr");
  if (!row) return pressed.closest("[data-errors]") || pressed.parentElement;
  const next = row.nextElementSibling;
  if (next?.className === "error-row") return next.firstChild;
  const cell = el("td", { colspan: row.childElementCount, role: "cell" });
  row.after(el("tr", { class: "error-row", role: "row" }, cell));
  return cell;
}

function clearError(pressed) {
  if (!pressed) return;
  const row = pressed.closest("tbody tr");
  if (row?.nextElementSibling?.className === "error-row") row.nextElementSibling.remove();
  (pressed.closest("[data-errors]") || pressed.parentElement)?.querySelector(":scope > .error")?.remove();
}

function showError(pressed, sentence) {
  say(sentence);
  if (!pressed?.isConnected) return toast(capital(sentence));
  clearError(pressed);
  errorPlace(pressed).append(el("p", { class: "error", "data-of": pressed.dataset.key }, capital(sentence)));
}

// Puts the errors in an element that is filled anew beside the same buttons, if those are still there.
export function keepErrors(place) {
  const errors = [...place.querySelectorAll(".error[data-of]")];
  return () => errors.forEach((error) => {
    const pressed = place.querySelector(`[data-key="${CSS.escape(error.dataset.of)}"]`);
    if (pressed) errorPlace(pressed).append(error);
  });
}

export function actButton(act, about) {
  return button(act.label, (event) => {
    if (!act.question || confirm(act.question)) perform(act.line, event.currentTarget);
  }, {
    class: `${act.isMain ? "main" : ""} ${act.isDestructive ? "destructive" : ""} act`.trim(),
    key: act.line, title: act.line, "aria-label": about ? `${act.label} ${about}` : null,
  });
}
