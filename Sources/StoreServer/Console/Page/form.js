// Acts by fields: a form for every command, made from the table of commands, with the answer beside it.

import { attempt } from "./acts.js";
import { filter } from "./address.js";
import { byId, element, quoted, say, shortened } from "./dom.js";
import { performed } from "./server.js";
import { readCommands, readProducts, store } from "./store.js";

// Whether a word may be left out. Only parameters can be required.
const isOptional = (one) => one.optional !== false;

let commands = [];
const chosen = () => commands.find((one) => one.command === byId("command")?.value);

function field(one, index) {
  const id = "field-" + index;
  const hint = one.summary || one.kind || "";
  const shared = { id, "data-name": one.name, "aria-describedby": "hint-" + index };
  const label = one.name.replace(/^--/, "") + (isOptional(one) ? " (optional)" : "");
  const words = element("p", { class: "note", id: "hint-" + index }, hint);
  if (!one.type) return element("div", { class: "field switch" }, element("label", { for: id },
    element("input", { ...shared, type: "checkbox" }), label), words);
  const list = { product: store.products.map((row) => row.product), account: (store.data?.customers || []).map((row) => row.account),
    device: (store.data?.customers || []).flatMap((row) => row.devices), group: [...new Set(store.products.map((row) => row.group)
      .filter(Boolean))] }[one.type] || one.words;
  const input = one.type === "choice"
    ? element("select", shared, ...(isOptional(one) ? ["", ...one.words] : one.words).map((word) =>
      element("option", { value: word }, word || "–")))
    : element("input", { ...shared, list: list?.length ? "list-" + index : null, autocomplete: "off", spellcheck: "false",
      required: !isOptional(one) });
  return element("div", { class: "field" }, element("label", { for: id }, label), input,
    list?.length && one.type !== "choice" ? element("datalist", { id: "list-" + index },
      ...list.map((word) => element("option", { value: word }))) : null, words);
}

function line() {
  const command = chosen();
  if (!command) return "";
  const words = [command.command];
  for (const one of byId("fields").querySelectorAll("input, select")) {
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

const showLine = () => { byId("line").textContent = line(); };

function showFields() {
  const command = chosen();
  if (!command) return;
  byId("summary").textContent = command.summary + ".";
  byId("fields").replaceChildren(...[...command.parameters, ...command.options].map(field));
  showLine();
}

// Performs the line, and shows the answer or the refusal beside the form.
function submit(event) {
  event.preventDefault();
  const words = line();
  attempt(words, byId("perform"), async () => {
    const answer = byId("answer");
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
    const groups = element("select", { id: "command", "data-key": "command",
      change: () => { filter({ command: byId("command").value }, { replace: true }); showFields(); } });
    const answer = element("pre", { id: "answer", tabindex: "0", role: "region", "aria-label": "Answer" }, "The answer appears here.");
    // The table of commands is the same as long as the server runs.
    Promise.all([readCommands(), readProducts()]).then(([all]) => {
      commands = all;
      const names = [...new Set(all.map((one) => one.group))];
      groups.replaceChildren(...names.map((group) => element("optgroup", { label: group },
        ...all.filter((one) => one.group === group).map((one) => element("option", { value: one.command }, one.command)))));
      groups.value = all.some((one) => one.command === command) ? command : all[0].command;
      if (groups.isConnected) showFields();
    }, (error) => { answer.textContent = error.message; });
    return [element("div", { class: "columns acts-view" },
      element("form", { id: "act", class: "stack", submit },
        element("div", { class: "field" }, element("label", { for: "command" }, "Command"), groups,
          element("p", { id: "summary", class: "note" })),
        element("div", { id: "fields", input: showLine }),
        element("p", { class: "line" }, element("code", { id: "line" })),
        element("div", { class: "buttons", "data-errors": true }, element("button", { class: "main", id: "perform" }, "Perform"))),
      answer)];
  },
  update({ command }) {
    if (command && byId("command") && byId("command").value !== command && commands.length) {
      byId("command").value = command;
      showFields();
    }
  },
};

