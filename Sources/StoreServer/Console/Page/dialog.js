// The one dialog, which traps the focus; Esc closes it, and the focus returns to where it was.

import { byId, element, sheetHead } from "./dom.js";

// Opens the dialog with a title and content.
export function openDialog(title, ...content) {
  const dialog = byId("dialog");
  const before = document.activeElement;
  if (dialog.open) dialog.close();
  dialog.replaceChildren(sheetHead("dialog", title, () => dialog.close()), ...content);
  dialog.onclose = () => {
    dialog.replaceChildren();
    const key = before?.dataset?.key;
    const again = before?.isConnected ? before : key && document.querySelector(`[data-key="${CSS.escape(key)}"]`);
    if (again && again !== document.body) again.focus({ preventScroll: true });
  };
  dialog.showModal();
  return dialog;
}

export const closeDialog = () => byId("dialog").close();

// Creates a label with its control.
export function labeled(name, control, ...more) {
  return element("div", { class: "field" }, element("label", { for: control.id }, name), control, ...more);
}

export function select(id, options, chosen) {
  const made = element("select", { id }, ...options.map(([value, words]) => element("option", { value }, words)));
  if (chosen !== undefined && chosen !== null) {
    if (![...made.options].some((one) => one.value === chosen)) made.append(element("option", { value: chosen }, chosen));
    made.value = chosen;
  }
  return made;
}
