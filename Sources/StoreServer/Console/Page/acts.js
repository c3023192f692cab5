// Acts: buttons that perform a line, and what they say of it.

import { capital, element, hideToast, say, toast } from "./dom.js";
import { connection, performed } from "./server.js";

// The lines in progress. Their buttons stay enabled, because a disabled button loses the focus.
const running = new Set();
export const acts = { done: () => {} };

// Runs work for a button: one at a time, with its error beside the button.
export async function attempt(key, button, work) {
  if (!connection.mayAct || running.has(key)) return false;
  running.add(key);
  button?.setAttribute("aria-busy", "true");
  clearError(button);
  try {
    await work();
    return true;
  } catch (error) {
    hideToast();
    showError(button, error.message);
    return false;
  } finally {
    running.delete(key);
    button?.removeAttribute("aria-busy");
    acts.done();
  }
}

export const perform = (line, button) => attempt(line, button, async () => {
  const answer = await performed(line);
  toast(answer.split("\n")[0] || "Done.", line);
});

// The place of errors of a button: the element that is marked so, or a row of its own in a table.
function errorPlace(button) {
  const row = button.closest("tbody tr");
  if (!row) return button.closest("[data-errors]") || button.parentElement;
  const next = row.nextElementSibling;
  if (next?.className === "error-row") return next.firstChild;
  const cell = element("td", { colspan: row.childElementCount, role: "cell" });
  row.after(element("tr", { class: "error-row", role: "row" }, cell));
  return cell;
}

function clearError(button) {
  if (!button) return;
  const row = button.closest("tbody tr");
  if (row?.nextElementSibling?.className === "error-row") row.nextElementSibling.remove();
  (button.closest("[data-errors]") || button.parentElement)?.querySelector(":scope > .error")?.remove();
}

export function showError(button, sentence) {
  say(sentence);
  if (!button?.isConnected) return toast(capital(sentence));
  clearError(button);
  errorPlace(button).append(element("p", { class: "error" }, capital(sentence)));
}

// Creates the button of an act that the server offers.
export function actButton(act, about) {
  return element("button", {
    type: "button", class: `${act.isMain ? "main" : ""} ${act.isDestructive ? "destructive" : ""} act`.trim(),
    "data-key": act.line, title: act.line, "aria-label": about ? `${act.label} ${about}` : null,
    click: (event) => perform(act.line, event.currentTarget),
  }, act.label);
}
