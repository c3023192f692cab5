// The sheet at the right, which shows one transaction or one notification.

import { address, closeSheet, route } from "./address.js";
import { actButton } from "./acts.js";
import { $, copyButton, el, facts, money, moment, note, sheetHead, shortened, status, titleOf } from "./dom.js";
import { resendButton } from "./told.js";

export const sheetPath = ({ view, id }) => id === null ? null
  : `${view === "server" ? "notification" : "transaction"}/${encodeURIComponent(id)}`;

const part = (title, ...content) => el("section", {}, el("h3", {}, title), ...content);

// A text that can be copied, folded unless it is the first that one looks for.
function text(title, content, isOpen = false) {
  if (!content) return null;
  // Payloads are values, and others are texts that the server has indented.
  if (typeof content !== "string") content = JSON.stringify(content, null, 2);
  return el("details", { open: isOpen, "data-part": title }, el("summary", { key: "part:" + title }, title),
    el("div", { class: "document" }, copyButton(content), el("pre", { tabindex: "0", role: "region", "aria-label": title }, shortened(content))));
}

function transactionSheet(details) {
  const row = details.transaction;
  const { jws } = details;
  const receipt = details.receipt;
  const customer = row.account ? el("a", { href: address({ view: "customers", query: { search: row.account } }) }, row.account)
    : note("nobody");
  const certificates = (jws.certificates || []).map((one) =>
    one.error || `${one.subject}\n  valid from ${moment(one.from)} until ${moment(one.until)}`).join("\n");
  return [
    el("p", { class: "lead" }, status(row.state, row.sentence), el("strong", {}, money(row.charge, row.currency))),
    row.acts.length ? el("div", { class: "buttons", "data-errors": true }, ...row.acts.map((act) => actButton(act))) : null,
    facts([["Product", [row.title, " ", note(row.product)]], ["Customer", customer],
      ["Original", row.original && row.original !== row.transaction
        ? el("a", { href: address({ ...route.current, id: row.original }) }, "#" + row.original) : null],
      ...details.facts]),
    details.story.length ? part("Story", el("ol", { class: "story" }, ...details.story.map((step) =>
      el("li", { class: step.kind }, el("time", {}, moment(step.date)), el("span", {}, step.what,
        step.device ? note(" on " + step.device) : null))))) : null,
    details.notifications.length ? part("Notifications", el("ul", { class: "plain-list" },
      ...details.notifications.map((one) => el("li", {},
        el("a", { href: address({ view: "server", id: one.notification }) }, one.type), " ",
        one.subtype ? note(one.subtype + " ") : null, status(one.result, one.result === "unsent" ? "Not sent" : null))))) : null,
    part("Signed", ...(jws.error ? [el("p", { class: "note" }, jws.error)] : [
      text("JWS payload", jws.payload, true), text("JWS header", jws.header),
      text("Certificates", certificates), text("JWS as sent", jws.text),
    ])),
    receipt ? part("Receipt", ...(receipt.error ? [el("p", { class: "note" }, receipt.error)]
      : [text(`App receipt on ${receipt.device}, ${receipt.bytes} bytes`, receipt.json),
        text("Receipt of the transaction", details.transactionReceipt)])) : null,
  ];
}

function notificationSheet(one) {
  return [
    el("p", { class: "lead" }, status(one.result, one.result === "unsent" ? "Not sent" : null)),
    el("div", { class: "buttons", "data-errors": true }, resendButton(one.notification)),
    facts([["Subtype", one.subtype], ["Date", moment(one.date) + " UTC"], ["Product", one.product],
      ["Customer", one.account], ["Transaction", one.transaction
        ? el("a", { href: address({ view: "transactions", id: one.transaction }) }, "#" + one.transaction) : null],
      ["Identifier", el("code", {}, one.notification)]]),
    one.attempts.length ? part("Answers", el("ol", { class: "story" }, ...(one.posts.length ? one.posts : one.attempts).map((post) =>
      el("li", {}, el("time", {}, moment(post.date)), el("span", {}, post.status ? `${post.status} from ${post.url}` : post.result))))) : null,
    part("Signed", text("Transaction in it", one.transactionInfo, true), text("Renewal in it", one.renewalInfo),
      text("Payload", one.payload), text("As sent", one.signedPayload)),
  ];
}

export function showSheet(details, isNew) {
  const sheet = $("sheet");
  const open = new Map([...sheet.querySelectorAll("details")].map((one) => [one.dataset.part, one.open]));
  const top = sheet.scrollTop;
  const title = details.transaction?.transaction && details.story !== undefined
    ? `#${details.transaction.transaction} ${titleOf(details.transaction)}` : details.type || `#${route.current.id}`;
  const content = details.error ? [el("p", { class: "error" }, details.error)]
    : details.type ? notificationSheet(details) : transactionSheet(details);
  sheet.replaceChildren(sheetHead("sheet", title, closeSheet), ...content.filter(Boolean));
  if (!isNew) for (const one of sheet.querySelectorAll("details")) one.open = open.get(one.dataset.part) ?? one.open;
  sheet.hidden = false;
  sheet.scrollTop = isNew ? 0 : top;
}
