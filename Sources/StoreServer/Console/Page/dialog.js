// The one dialog, which traps the focus; Esc closes it, and the focus returns to where it was.

import { $, el, sheetHead } from "./dom.js";

export function openDialog(title, ...content) {
  const dialog = $("dialog");
  const before = document.activeElement;
  if (dialog.open) dialog.close();
  dialog.replaceChildren(sheetHead("dialog", title, () => dialog.close()), ...content);
  dialog.onclose = () => {
    if (dialog.open) return;
    dialog.replaceChildren();
    const key = before?.dataset?.key;
    const again = before?.isConnected ? before : key && document.querySelector(`[data-key="${CSS.escape(key)}"]`);
    if (again && again !== document.body) again.focus({ preventScroll: true });
  };
  dialog.showModal();
  return dialog;
}

export const closeDialog = () => $("dialog").close();

export function labeled(name, control, ...more) {
  return el("div", { class: "field" }, el("label", { for: control.id }, name), control, ...more);
}

export function select(id, options, chosen) {
  const made = el("select", { id }, ...options.map(([value, words]) => el("option", { value }, words)));
  if (chosen !== undefined && chosen !== null) {
    if (![...made.options].some((one) => one.value === chosen)) made.append(el("option", { value: chosen }, chosen));
    made.value = chosen;
  }
  return made;
}
