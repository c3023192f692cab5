// What every view knows of the store.

import { $ } from "./dom.js";
import { request } from "./server.js";

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

// Reads the first products, for menus.
export async function readProducts() {
  store.products = (await request("products?limit=50")).rows;
  return store.products;
}

// Forgets what another run of the server has said.
export function forget() { commands = null; }
