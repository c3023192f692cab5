// Buying, as on the store's sheet, with the outcome that one wants.

import { attempt } from "./acts.js";
import { code, element, money, toast } from "./dom.js";
import { closeDialog, labeled, openDialog, select } from "./dialog.js";
import { lineOf, performed } from "./server.js";
import { store, readCommands, readProducts } from "./store.js";

const outcomes = [["approve", "Approve", "the customer pays"], ["decline", "Decline", "the payment is declined"],
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
    [one.product, [one.title || one.product, money(one.price, one.currency)].filter(Boolean).join(" · ")]), product);
  const customerField = select("buy-customer", customers.map((one) => [one.account, one.account]), chosen);
  const deviceField = element("select", { id: "buy-device" });
  const offerField = element("select", { id: "buy-offer" });
  const failureField = element("select", { id: "buy-failure", "aria-label": "Failure" },
    ...failures(commands).map((word) => element("option", {}, word)));
  const radios = outcomes.map(([value, words, explanation]) => element("div", { class: "choice" },
    element("label", {}, element("input", { type: "radio", name: "outcome", value, checked: value === "approve" }), words),
    value ? element("span", { class: "note" }, explanation) : failureField));
  const line = element("code", { id: "buy-line" });
  const button = element("button", { class: "main", id: "buy-now" }, "Buy");
  const current = () => products.find((one) => one.product === productField.value);
  const outcome = () => form.elements.outcome.value || failureField.value;
  const fill = (field, options) => {
    const before = field.value;
    field.replaceChildren(...options.map(([value, words]) => element("option", { value }, words)));
    if (options.some(([value]) => value === before)) field.value = before;
    field.closest(".field").hidden = options.length < 2;
  };
  const text = () => lineOf("buy", [productField.value], { account: customerField.value, device: deviceField.value,
    offer: offerField.value, outcome: outcome() === "approve" ? "" : outcome() });
  const show = () => {
    const devices = customers.find((one) => one.account === customerField.value)?.devices || [];
    fill(deviceField, devices.map((one) => [one, one]));
    fill(offerField, [["", "None"], ...(current()?.offers || []).map((one) => [one.identifier, one.words || one.identifier])]);
    line.textContent = text();
    const price = money(current()?.price, current()?.currency);
    button.textContent = offerField.value ? "Buy with the offer" : price ? `Buy for ${price}` : "Buy";
  };
  const form = element("form", { class: "stack", input: show, submit: (event) => {
    event.preventDefault();
    const words = text();
    attempt(words, button, async () => {
      const answer = await performed(words);
      closeDialog();
      toast(answer.split("\n")[0], words);
    });
  } },
  labeled("Product", productField), labeled("Customer", customerField), labeled("Device", deviceField),
  labeled("Offer", offerField), element("fieldset", {}, element("legend", {}, "Outcome"), ...radios),
  element("p", { class: "line" }, line), element("div", { class: "buttons", "data-errors": true }, button));
  failureField.addEventListener("change", () => { form.querySelector('[type=radio][value=""]').checked = true; show(); });
  if (products.length === 0) {
    openDialog("Buy", element("p", { class: "empty" }, "There are no products to buy. Serve the store with ",
      code("--configuration Garden.storekit"), "."));
    return;
  }
  openDialog("Buy", form);
  show();
  (product ? form.elements.outcome[0] : productField).focus();
}
