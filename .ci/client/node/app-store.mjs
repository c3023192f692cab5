// App Stores of their own for the tests of a server: a client of `sandbox-store serve`.
//
//     const server = await AppStoreServer.start();
//     const store = await server.store({ notificationURL: "http://127.0.0.1:8081/notifications" });
//     const purchase = await store.buy("pro.monthly");
//     await store.advance("1y");
//
// It needs nothing but Node 20, and may be copied.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";

// Keeps the program from outliving the process that has started it: the pipe on its standard input ends with that process.
const leash = 'exec 3<&0; (cat <&3; kill $$) >/dev/null 2>&1 & exec "$@" 3<&- </dev/null';

/** A refusal: the HTTP status, its code, the word that is wrong, and a valid one that is similar. */
export class AppStoreError extends Error {
  constructor(status, { message, ...rest }) {
    super(message);
    Object.assign(this, { status }, rest);
  }
}

/** The control interface at a URL. */
class Control {
  #token;

  constructor(control, token) {
    this.control = control;
    this.#token = token;
  }

  get token() {
    return this.#token;
  }

  /** Sends a request, and returns the response's JSON. */
  async request(method, path, body) {
    const response = await fetch(`${this.control}/${path}`, {
      method,
      headers: { Authorization: `Bearer ${this.#token}`, "Content-Type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: AbortSignal.timeout(60_000),
    });
    const text = await response.text();
    const value = text === "" ? null : JSON.parse(text);
    if (!response.ok) throw new AppStoreError(response.status, value.error);
    return value;
  }

  /** Returns all rows of a list, such as `transactions` or `notifications`. */
  async rows(path, query = {}) {
    const rows = [];
    for (let position = {}; ; ) {
      const page = await this.request("GET", `${path}?${new URLSearchParams({ ...query, ...position })}`);
      rows.push(...page.rows);
      if (page.next === null) return rows;
      position = { [path === "transactions" ? "before" : "after"]: page.next };
    }
  }
}

/**
 * A store of one test, with App Store servers of its own.
 *
 * `url`, `sandboxURL`, `productionURL`, `bundleIdentifier`, `environment`, `keyIdentifier`, `issuer`, `privateKey`, `root` (both PEM)
 * and `products` are properties.
 */
export class AppStore extends Control {
  #server;

  constructor(server, description) {
    super(description.control, server.token);
    this.#server = server;
    Object.assign(this, description);
  }

  /** Performs a command of the command line, such as `perform("ask-to-buy", { on: true })`. */
  perform(command, words = {}) {
    return this.request("POST", `commands/${command}`, words);
  }

  /** Performs a line of a scenario, such as `run("billing-fails on")`. */
  run(line) {
    return this.request("POST", "commands", { line });
  }

  /** Buys a product, and returns the transaction. */
  async buy(product, words = {}) {
    return (await this.perform("buy", { product, ...words })).transaction;
  }

  /** Refunds a purchase or a period, and returns the transaction. */
  async refund(transaction = "last") {
    return (await this.perform("refund", { transaction })).transaction;
  }

  /** Moves the store's clock, by a duration such as `1y` or `3d12h`, and returns what fell due. */
  async advance(duration) {
    return (await this.perform("advance", { duration })).events;
  }

  /** Returns a transaction as an app gets it: a JWS. */
  async signed(transaction) {
    return (await this.request("GET", `transactions/${transaction}`)).jws;
  }

  /** Drops the store. */
  async close() {
    await this.#server.request("DELETE", `stores/${this.store}`);
  }
}

/** A process of `sandbox-store serve`, or one that runs already: APP_STORE_CONTROL is its URL, APP_STORE_TOKEN its token. */
export class AppStoreServer extends Control {
  #process;

  static async start({ program = process.env.SANDBOX_STORE ?? "sandbox-store", options = [] } = {}) {
    const { APP_STORE_CONTROL, APP_STORE_TOKEN } = process.env;
    if (APP_STORE_CONTROL !== undefined) return new AppStoreServer(APP_STORE_CONTROL, APP_STORE_TOKEN);
    const words = ["-c", leash, "sh", program, "serve", "--json", "--quiet", ...options];
    const child = spawn("sh", words, { stdio: ["pipe", "pipe", "inherit"] });
    const [line] = await Promise.race([once(createInterface(child.stdout), "line"), once(child, "exit").then(() => [])]);
    if (line === undefined) throw new Error(`${program} has not started: it ended with status ${child.exitCode}`);
    const { control, token } = JSON.parse(line);
    const server = new AppStoreServer(control, (await readFile(token, "utf8")).trim());
    server.#process = child;
    return server;
  }

  /** Makes a store; the options are those of `POST /control/v1/stores`, such as `products` and `notificationURL`. */
  async store(options = {}) {
    return new AppStore(this, await this.request("POST", "stores", options));
  }

  /** Ends the process, if it is this object's. */
  async close() {
    if (this.#process === undefined) return;
    const { exitCode, signalCode, stdin } = this.#process;
    // A process that has ended already says so no more.
    if (exitCode !== null || signalCode !== null) return;
    stdin.end();
    await once(this.#process, "exit");
  }
}
