// Keyboard shortcuts. Single keys can be turned off, and never act in a field.

import { closeSheet, go, openSheet, route } from "./address.js";
import { buy } from "./buy.js";
import { openClock } from "./clock.js";
import { openDialog } from "./dialog.js";
import { $, el, facts, hideToast } from "./dom.js";

const isOn = () => localStorage.getItem("keys") !== "off";
let goes = false;

export function startKeys(views) {
  const help = () => {
    const list = [...views.map((view) => ["g " + view.letter, view.title]), ["/", "search"], ["j k", "next, previous row"], ["Enter", "open the row"], ["Esc", "close"], ["b", "buy"], ["c", "the clock"],
      ["?", "this list"]];
    const box = el("input", { type: "checkbox", id: "keys-on",
      change: () => localStorage.setItem("keys", box.checked ? "on" : "off") });
    box.checked = isOn();
    openDialog("Keyboard shortcuts", facts(list.map(([key, words]) => [el("kbd", {}, key), words]), { class: "keys" }),
    el("p", { class: "switch" }, el("label", { for: "keys-on" }, box, "Single keys act")));
  };
  $("help").addEventListener("click", help);
  const step = (by) => {
    const links = [...document.querySelectorAll('#view [data-key^="row:"]')];
    if (links.length === 0) return;
    const row = document.activeElement.closest?.("tr");
    const open = links.findIndex((one) => one.dataset.key === "row:" + route.current.id);
    const at = row ? links.findIndex((one) => row.contains(one)) : open;
    const next = links[Math.min(Math.max(at < 0 ? 0 : at + by, 0), links.length - 1)];
    next.focus();
    // Whoever reads sheets reads on.
    if (route.current.id !== null) openSheet(next.dataset.key.slice(4), { replace: true });
  };
  for (const other of ["click", "focusin"]) addEventListener(other, () => { goes = false; });
  addEventListener("keydown", (event) => {
    if ($("dialog").open) return;
    if (event.key === "Escape") {
      if (!$("toast").hidden) return hideToast();
      return closeSheet();
    }
    const target = event.target;
    const isField = target.isContentEditable || /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName);
    if (isField || event.ctrlKey || event.metaKey || event.altKey || !isOn()) return;
    if (goes) {
      goes = false;
      const view = views.find((one) => one.letter === event.key);
      if (view) { event.preventDefault(); go({ view: view.name }); }
      return;
    }
    const work = { g: () => { goes = true; }, "/": () => $("search").focus(), j: () => step(1), k: () => step(-1), b: () => buy(),
      c: () => openClock(), "?": help }[event.key];
    if (!work) return;
    event.preventDefault();
    work();
  });
}
