// Buying, as on the store's sheet, with the outcome that one wants.

import { attempt } from "./acts.js";
import { el, money, noProducts, toast } from "./dom.js";
import { closeDialog, labeled, openDialog, select } from "./dialog.js";
import { lineOf, performed } from "./server.js";
import { store, readCommands, readProducts } from "./store.js";

const outcomes = [["settings", "As the settings say", ""], ["approve", "Approve", "the customer pays"], ["decline", "Decline", "the payment is declined"],
  ["cancel", "Cancel", "the customer closes the sheet"], ["ask", "Ask a parent", "the purchase waits for a decision"],
  ["interrupt", "Interrupt", "something has to be resolved first"], ["", "Fail with", "an error of the store"]];

// The names of failures, as the table of commands has them.
const failures = (commands) => (commands.find((one) => one.command === "buy")?.options
  .find((one) => one.name === "--outcome")?.words || []).filter((word) => !outcomes.some(([name]) => name === word));

export async function buy({ product, account } = {}) {
  let products = [], commands = [];
  const opened = document.activeElement;
  try {
    [products, commands] = await Promise.all([readProducts(), readCommands()]);
  } catch { /* The page says what is wrong with the connection. */ }
  opened?.focus?.({ preventScroll: true });
  const customers = store.data?.customers || [];
  const chosen = account || store.customer();
  const productField = select("buy-product", products.map((one) =>
    [one.product, `${one.title} · ${money(one.price, one.currency)}`]), product);
  const customerField = select("buy-customer", customers.map((one) => [one.account, one.account]), chosen);
  const deviceField = el("select", { id: "buy-device" });
  const offerField = el("select", { id: "buy-offer" });
  const planField = el("select", { id: "buy-plan" });
  const requestField = el("textarea", { id: "buy-request", spellcheck: "false" });
  const failureField = el("select", { id: "buy-failure", "aria-label": "Failure" },
    ...failures(commands).map((word) => el("option", {}, word)));
  const radios = outcomes.map(([value, words, explanation]) => el("div", { class: "choice" },
    el("label", {}, el("input", { type: "radio", name: "outcome", value, checked: value === "settings" }), words),
    value ? el("span", { class: "note" }, explanation) : failureField));
  const line = el("code", { id: "buy-line" });
  const button = el("button", { class: "main", id: "buy-now" }, "Buy");
  const current = () => products.find((one) => one.product === productField.value);
  const outcome = () => {
    const { value } = form.elements.outcome;
    return value === "settings" ? "" : value || failureField.value;
  };
  const fill = (field, options) => {
    const before = field.value;
    field.replaceChildren(...options.map(([value, words]) => el("option", { value }, words)));
    if (options.some(([value]) => value === before)) field.value = before;
    field.closest(".field").hidden = options.length < 2;
  };
  const text = () => lineOf("buy", [productField.value], { account: customerField.value, device: deviceField.value,
    offer: offerField.value, "billing-plan": planField.value, request: requestField.value, outcome: outcome() });
  let shown;
  const show = () => {
    if (shown !== productField.value) {
      shown = productField.value;
      requestField.value = current()?.request || "";
      requestField.closest(".field").hidden = !requestField.value;
    }
    fill(planField, current()?.plans || []);
    const devices = customers.find((one) => one.account === customerField.value)?.devices || [];
    fill(deviceField, devices.map((one) => [one, one]));
    fill(offerField, [["", "None"], ...(current()?.offers || []).filter((one) => one.kind === "promotional")
      .map((one) => [one.identifier, one.words])]);
    line.textContent = text();
    const price = planField.value || requestField.value ? "" : money(current()?.price, current()?.currency);
    button.textContent = offerField.value ? "Buy with the offer" : price ? `Buy for ${price}` : "Buy";
  };
  const form = el("form", { class: "stack", input: show, submit: (event) => {
    event.preventDefault();
    const words = text();
    attempt(words, button, async () => {
      const answer = await performed(words);
      closeDialog();
      toast(answer.split("\n")[0], words);
    });
  } },
  labeled("Product", productField), labeled("Customer", customerField), labeled("Device", deviceField),
  labeled("Plan", planField), labeled("Offer", offerField), labeled("Request", requestField), el("fieldset", {}, el("legend", {}, "Outcome"), ...radios),
  el("p", { class: "line" }, line), el("div", { class: "buttons", "data-errors": true }, button));
  failureField.addEventListener("change", () => { form.querySelector('[type=radio][value=""]').checked = true; show(); });
  if (products.length === 0) return openDialog("Buy", noProducts());
  openDialog("Buy", form);
  show();
  (product ? form.elements.outcome[0] : productField).focus();
}
