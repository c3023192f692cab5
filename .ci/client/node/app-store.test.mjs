// A server's tests, each with an App Store of its own: `node --test`.

import assert from "node:assert/strict";
import { X509Certificate, verify } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { after, before, describe, it } from "node:test";

import { AppStoreServer } from "./app-store.mjs";

const products = [
  { id: "castle", kind: "nonConsumable", price: "9.99" },
  { id: "pro.monthly", kind: "autoRenewable", price: "4.99", group: "pro", period: "P1M" },
];

/** Takes the place of the server that is tested: it keeps the notifications that the App Store posts. */
class Backend {
  #payloads = [];
  #wanted = [];

  constructor() {
    this.server = createServer(async (request, response) => {
      const { signedPayload } = JSON.parse(Buffer.concat(await request.toArray()));
      response.end();
      const wanted = this.#wanted.shift();
      wanted === undefined ? this.#payloads.push(signedPayload) : wanted(signedPayload);
    });
  }

  async listen() {
    this.server.listen(0, "127.0.0.1");
    await once(this.server, "listening");
    return `http://127.0.0.1:${this.server.address().port}/notifications`;
  }

  /** Waits for a notification, and returns its signed payload. */
  next() {
    return this.#payloads.length > 0 ? this.#payloads.shift() : new Promise((resolve) => this.#wanted.push(resolve));
  }

  close() {
    this.server.close();
    this.server.closeAllConnections();
  }
}

/** Returns what is in a JWS, unverified. */
const decoded = (jws, part = 1) => JSON.parse(Buffer.from(jws.split(".")[part], "base64url"));

/** Returns what is in a JWS whose certificates end at a root. */
function verified(jws, root) {
  const chain = decoded(jws, 0).x5c.map((certificate) => new X509Certificate(Buffer.from(certificate, "base64")));
  const issuers = [...chain.slice(1, -1), new X509Certificate(root)];
  issuers.forEach((issuer, index) => assert(chain[index].verify(issuer.publicKey), "a certificate is not its issuer's"));
  const [header, payload, signature] = jws.split(".");
  const key = { key: chain[0].publicKey, dsaEncoding: "ieee-p1363" };
  assert(verify("sha256", Buffer.from(`${header}.${payload}`), key, Buffer.from(signature, "base64url")), "the signature is wrong");
  return decoded(jws);
}

describe("a backend", { concurrency: true }, () => {
  let server;
  before(async () => (server = await AppStoreServer.start()));
  after(() => server?.close());

  /** Declares a test that has a store and a backend of its own. */
  const test = (name, body) =>
    it(name, async () => {
      const backend = new Backend();
      const store = await server.store({ products, notificationURL: await backend.listen() });
      try {
        await body(store, backend);
      } finally {
        await store.close();
        backend.close();
      }
    });

  test("sees a purchase that the App Store has signed", async (store) => {
    const castle = await store.buy("castle");
    assert.equal(castle.state, "purchased");
    const jws = await store.signed(castle.transaction);
    assert.equal(verified(jws, store.root).productId, "castle");
    assert.throws(() => verified(`${jws.slice(0, -4)}AAAA`, store.root));
  });

  test("reads why a purchase is refused", async (store) => {
    await assert.rejects(store.buy("castel"), { status: 422, suggestion: "castle" });
  });

  test("hears of a purchase", async (store, backend) => {
    await store.buy("pro.monthly");
    const notification = verified(await backend.next(), store.root);
    assert.deepEqual([notification.notificationType, notification.subtype], ["SUBSCRIBED", "INITIAL_BUY"]);
  });

  test("lives through a year in a call", async (store, backend) => {
    await store.buy("pro.monthly");
    await store.advance("1y");
    assert.equal((await store.rows("transactions", { product: "pro.monthly" })).length, 13);
    const types = [];
    while (types.length < 13) types.push(decoded(await backend.next()).notificationType);
    assert.deepEqual(types, ["SUBSCRIBED", ...Array(12).fill("DID_RENEW")]);
  });

  test("hears of a refund", async (store, backend) => {
    const castle = await store.buy("castle");
    assert.equal((await store.refund(castle.transaction)).refund, 9.99);
    assert.equal(decoded(await backend.next()).notificationType, "ONE_TIME_CHARGE");
    const notification = decoded(await backend.next());
    assert.equal(notification.notificationType, "REFUND");
    assert("revocationDate" in decoded(notification.data.signedTransactionInfo));
  });

  test("asks whether a receipt is valid", async (store) => {
    await store.buy("castle");
    const { receipt } = await store.perform("receipt");
    const body = JSON.stringify({ "receipt-data": receipt });
    const answer = await (await fetch(`${store.sandboxURL}/verifyReceipt`, { method: "POST", body })).json();
    assert.deepEqual([answer.status, answer.receipt.in_app[0].product_id], [0, "castle"]);
  });

  for (let months = 1; months <= 8; months += 1) {
    test(`has a store of its own for ${months} months`, async (store) => {
      await store.buy("pro.monthly");
      await store.advance(`${months}mo`);
      assert.equal((await store.rows("transactions")).length, 1 + months);
    });
  }
});
