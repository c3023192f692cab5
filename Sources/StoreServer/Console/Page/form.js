// Acts by fields: a form for every command, from the table of commands.

import { attempt } from "./acts.js";
import { filter } from "./address.js";
import { $, el, quoted, say, shortened } from "./dom.js";
import { performed } from "./server.js";
import { readCommands, readProducts, store } from "./store.js";

// Whether a word may be left out. Only parameters can be required.
const isOptional = (one) => one.optional !== false;

let commands = [];
const chosen = () => commands.find((one) => one.command === $("command")?.value);

function field(one, index) {
  const id = "field-" + index;
  const hint = one.summary || one.kind || "";
  const shared = { id, "data-name": one.name, "aria-describedby": "hint-" + index };
  const label = one.name.replace(/^--/, "") + (isOptional(one) ? " (optional)" : "");
  const words = el("p", { class: "note", id: "hint-" + index }, hint);
  if (!one.type) return el("div", { class: "field switch" }, el("label", { for: id },
    el("input", { ...shared, type: "checkbox" }), label), words);
  const list = { product: store.products.map((row) => row.product), account: (store.data?.customers || []).map((row) => row.account),
    device: (store.data?.customers || []).flatMap((row) => row.devices), group: [...new Set(store.products.map((row) => row.group)
      .filter(Boolean))] }[one.type] || one.words;
  const input = one.type === "choice"
    ? el("select", shared, ...(isOptional(one) ? ["", ...one.words] : one.words).map((word) =>
      el("option", { value: word }, word || "–")))
    : el("input", { ...shared, list: list?.length ? "list-" + index : null, autocomplete: "off", spellcheck: "false",
      required: !isOptional(one) });
  return el("div", { class: "field" }, el("label", { for: id }, label), input,
    list?.length && one.type !== "choice" ? el("datalist", { id: "list-" + index },
      ...list.map((word) => el("option", { value: word }))) : null, words);
}

function line() {
  const command = chosen();
  if (!command) return "";
  const words = [command.command];
  for (const one of $("fields").querySelectorAll("input, select")) {
    const name = one.dataset.name;
    const isOption = name.startsWith("--");
    if (one.type === "checkbox") { if (one.checked) words.push(name); continue; }
    const value = one.value.trim();
    if (!value) continue;
    if (isOption) words.push(name);
    words.push(quoted(value));
  }
  return words.join(" ");
}

const showLine = () => { $("line").textContent = line(); };

function showFields() {
  const command = chosen();
  if (!command) return;
  $("summary").textContent = command.summary + ".";
  $("fields").replaceChildren(...[...command.parameters, ...command.options].map(field));
  showLine();
}

// Performs the line, and shows the answer or the refusal beside the form.
function submit(event) {
  event.preventDefault();
  const words = line();
  attempt(words, $("perform"), async () => {
    const answer = $("answer");
    try {
      const text = await performed(words);
      answer.textContent = shortened(text) || "Done.";
      answer.className = "";
      say(text.split("\n").length > 1 ? `${words}: ${text.split("\n").length} lines` : text);
    } catch (error) {
      answer.textContent = error.message;
      answer.className = "error";
      say(error.message);
    }
  });
}

export const actsByFields = {
  name: "acts", title: "Acts by fields", letter: "a", filters: () => [], reads: () => ({}), isMadeOnce: true,
  show(_, { command }) {
    const groups = el("select", { id: "command", key: "command",
      change: () => { filter({ command: $("command").value }, { replace: true }); showFields(); } });
    const answer = el("pre", { id: "answer", tabindex: "0", role: "region", "aria-label": "Answer" }, "The answer appears here.");
    Promise.all([readCommands(), readProducts()]).then(([all]) => {
      commands = all;
      const names = [...new Set(all.map((one) => one.group))];
      groups.replaceChildren(...names.map((group) => el("optgroup", { label: group },
        ...all.filter((one) => one.group === group).map((one) => el("option", { value: one.command }, one.command)))));
      groups.value = all.some((one) => one.command === command) ? command : all[0].command;
      if (groups.isConnected) showFields();
    }, (error) => { answer.textContent = error.message; });
    return [el("div", { class: "columns acts-view" },
      el("form", { id: "act", class: "stack", submit },
        el("div", { class: "field" }, el("label", { for: "command" }, "Command"), groups,
          el("p", { id: "summary", class: "note" })),
        el("div", { id: "fields", input: showLine }),
        el("p", { class: "line" }, el("code", { id: "line" })),
        el("div", { class: "buttons", "data-errors": true }, el("button", { class: "main", id: "perform" }, "Perform"))),
      answer)];
  },
  update({ command }) {
    if (command && $("command") && $("command").value !== command && commands.length) {
      $("command").value = command;
      showFields();
    }
  },
};
