// What every view knows of the store.

import { $ } from "./dom.js";
import { query, request } from "./server.js";

export const store = {
  data: null,
  products: [],
  customer: () => $("customer").value,
};

let commands = null;
export async function readCommands() {
  commands ||= await request("commands");
  return commands;
}

// Reads all products, for menus.
export async function readProducts() {
  const rows = [];
  for (let after = ""; after !== null;) {
    const page = await request(query("products", { limit: 50, after }));
    rows.push(...page.rows);
    after = page.next;
  }
  return store.products = rows;
}

// Forgets what another run of the server has said.
export function forget() { commands = null; }
