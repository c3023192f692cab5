"""Asks a store's server from many clients while the store sells and the server is killed.

    soak.py SERVER-SAMPLES FOLDER SECONDS CLIENTS KILLS SEED

SERVER-SAMPLES, called with `--sell`, sells in a store in a file and serves it; what it says it has sold is committed. Checked is
that each sold transaction is served, also after a kill; that no two answers about one transaction contradict each other; that a
history has what had been sold when it was asked for; that stores which tests open and close beside it have what happened in them;
and that the server's memory grows by no more than what was sold.
"""

import base64
import http.client
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import threading
import time

import jwt

program, folder, seconds, clients, kills, seed = sys.argv[1:7]
folder, seconds, clients, kills = pathlib.Path(folder), float(seconds), int(clients), int(kills)
print(f"soak: seed {seed}")
dice = random.Random(int(seed))

lock = threading.Lock()
sold = []  # (transaction, account), in the order of their commits
by_account = {}
answers = {}  # what was first answered about a transaction
failures = []
requests = 0
kills_begun = 0
facts = None
is_over = threading.Event()
RETRIED = (ConnectionError, http.client.HTTPException, TimeoutError, OSError)
# Bytes of the server's memory for a transaction that was sold, and for what does not depend on them.
BYTES_SOLD, BYTES_BESIDE = 8_192, 64 << 20


def fail(what):
    with lock:
        failures.append(what)
    print(f"FAILED: {what}")


class Server:
    """The program, and the reader of what it says."""

    def __init__(self, port=0):
        global facts
        self.process = subprocess.Popen(
            [program, "--sell", str(folder), str(port), str(dice.getrandbits(32))], stdout=subprocess.PIPE, text=True
        )
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit("soak: the server does not start")
        # With the number of kills before it, by which a tester knows that the facts are not those of a server that was killed.
        facts = json.loads(line) | {"kills": kills_begun}
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            words = line.split()
            # A line that a kill has cut is no sale that anybody was told of.
            if line.endswith("\n") and len(words) == 3 and words[0] == "sold":
                with lock:
                    sold.append((words[1], words[2]))
                    by_account.setdefault(words[2], []).append(words[1])

    def memory(self):
        """The resident memory in bytes."""
        for line in open(f"/proc/{self.process.pid}/status"):
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) << 10
        return 0

    def kill(self):
        if self.process.poll() is not None:
            fail(f"the server ended by itself, with {self.process.returncode}")
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.reader.join()


class Client(threading.Thread):
    """Asks one question after the other."""

    def __init__(self, number):
        super().__init__(daemon=True)
        self.dice = random.Random(f"{seed} {number}")
        self.connection = None
        self.token, self.expires = None, 0

    def run(self):
        while not is_over.is_set():
            with lock:
                known = len(sold)
            if not known:
                is_over.wait(0.05)
                continue
            with lock:
                transaction, account = sold[self.dice.randrange(known)]
            try:
                self.dice.choice([self.ask_transaction, self.ask_history, self.ask_status, self.ask_receipt])(
                    transaction, account
                )
            except RETRIED:
                # Killed meanwhile: the question is asked again, of the next server.
                self.connection = None
                is_over.wait(0.05)

    def authorization(self):
        if time.time() > self.expires - 60:
            now = int(time.time())
            self.expires = now + 600
            self.token = jwt.encode(
                {"iss": facts["issuer"], "aud": "appstoreconnect-v1", "bid": facts["bundleIdentifier"], "iat": now,
                 "exp": self.expires},
                (folder / facts["keyFile"]).read_bytes(), "ES256", {"kid": facts["keyIdentifier"]},
            )
        return {"Authorization": f"Bearer {self.token}"}

    def request(self, method, path, body=None, headers=None):
        global requests
        if self.connection is None:
            self.connection = http.client.HTTPConnection("127.0.0.1", facts["port"], timeout=30)
        self.connection.request(method, path, body, headers or self.authorization())
        answer = self.connection.getresponse()
        data = answer.read()
        with lock:
            requests += 1
        if answer.status not in (200, 201, 204):
            self.refused(f"{method} {path}: HTTP {answer.status}: {data[:200]!r}")
            return None
        return json.loads(data) if data else {}

    def refused(self, what):
        fail(what)

    def ask_transaction(self, transaction, account):
        answer = self.request("GET", f"/inApps/v1/transactions/{transaction}")
        if answer:
            remember(payload(answer["signedTransactionInfo"]), account)

    def ask_history(self, transaction, account):
        with lock:
            had = list(by_account[account])
        seen, revision = set(), None
        while True:
            path = f"/inApps/v2/history/{transaction}" + (f"?revision={revision}" if revision else "")
            answer = self.request("GET", path)
            if answer is None:
                return
            for signed in answer["signedTransactions"]:
                seen.add(remember(payload(signed), account))
            revision = answer["revision"]
            if not answer["hasMore"]:
                break
            if len(seen) > 200 and self.dice.random() < 0.9:
                return
        missing = [t for t in had if t not in seen]
        if missing:
            fail(f"a history lacks {missing[:5]} of {len(had)} that had been sold")

    def ask_status(self, transaction, account):
        answer = self.request("GET", f"/inApps/v1/subscriptions/{transaction}")
        for group in (answer or {}).get("data", []):
            for item in group["lastTransactions"]:
                if item["status"] not in (1, 2, 3, 4, 5):
                    fail(f"status {item['status']}")

    def ask_receipt(self, transaction, account):
        receipt = facts["receipts"].get(account)
        if receipt is None:
            return
        answer = self.request("POST", "/verifyReceipt", json.dumps({"receipt-data": receipt}),
            {"Content-Type": "application/json"})
        if answer and answer["status"] != 0:
            fail(f"verifyReceipt has status {answer['status']}")


class Tester(Client):
    """Opens a store as a test does, buys, lets time pass and closes it again, one store after the other."""

    def run(self):
        while not is_over.is_set():
            try:
                self.use_a_store()
            except RETRIED:
                # Killed meanwhile, with the store, which was in memory.
                self.connection = None
                is_over.wait(0.05)

    def refused(self, what):
        # The next server has another token, and none of the stores.
        if kills_begun != self.seen:
            raise ConnectionError
        fail(what)

    def use_a_store(self):
        mine, self.seen = facts, kills_begun
        if mine["kills"] != self.seen:
            is_over.wait(0.05)
            return
        renewals = self.dice.randrange(12)
        order = {"products": [{"id": "pro", "kind": "autoRenewable", "price": "4.99", "period": "P1M"}]}
        headers = {"Authorization": f"Bearer {mine['controlToken']}"}

        def ask(method, path, body=None):
            return self.request(method, path, None if body is None else json.dumps(body), headers)

        store = ask("POST", "/control/v1/stores", order)
        if store is None:
            return
        control = f"/stores/{store['store']}/control/v1"
        ask("POST", f"{control}/commands/buy", {"product": "pro"})
        for _ in range(renewals):
            ask("POST", f"{control}/commands/advance-to-end", {})
        rows = (ask("GET", f"{control}/transactions?limit=200") or {}).get("rows", [])
        if len(rows) != 1 + renewals:
            fail(f"a store of a test has {len(rows)} transactions, not {1 + renewals}")
        ask("DELETE", f"/control/v1/stores/{store['store']}")


def payload(jws):
    part = jws.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))


def remember(told, account):
    """Compares what is told of a transaction with what was told before; returns its identifier."""
    facts = {key: told.get(key) for key in ("productId", "purchaseDate", "originalTransactionId", "price", "appTransactionId")}
    with lock:
        first = answers.setdefault(told["transactionId"], facts)
    if first != facts:
        fail(f"transaction {told['transactionId']} was {first} and is {facts}")
    return told["transactionId"]


server = Server()
threads = [Client(number) for number in range(clients)] + [Tester(clients + 1 + number) for number in range(2)]
begun = time.monotonic()
for thread in threads:
    thread.start()
worst = 0.0
deaths = 0
for _ in range(kills):
    time.sleep(seconds / (kills + 1) * (0.5 + dice.random()))
    kills_begun += 1
    server.kill()
    deaths += 1
    server = Server(facts["port"])
# A server that has just started has none of what it keeps for its clients: it is asked for a while first.
time.sleep(seconds / 8)
base, base_sold = server.memory(), len(sold)
# However long the kills took: memory is looked at for a quarter of the time at least.
end = max(begun + seconds, time.monotonic() + seconds / 4)
while time.monotonic() < end:
    time.sleep(1)
    memory = server.memory()
    allowed = base + (len(sold) - base_sold) * BYTES_SOLD + BYTES_BESIDE
    worst = max(worst, memory / allowed)
    if memory > allowed:
        fail(f"the server has {memory >> 20} MiB, {base >> 20} at its beginning, {len(sold) - base_sold} sold meanwhile")
        break
if worst == 0:
    fail("the server's memory was not looked at")
is_over.set()
for thread in threads:
    thread.join(600)
    if thread.is_alive():
        fail("a client still waits for an answer")
server.kill()
# Whatever was said to be sold is there for good.
server = Server(facts["port"])
last = Client(clients)
for transaction, account in sold[:]:
    last.ask_transaction(transaction, account)
server.kill()
if not sold or not requests:
    fail(f"{len(sold)} were sold, {requests} requests answered")
print(
    f"soak: {clients} clients, {seconds:.0f} s, {deaths + 1} kills, {len(sold)} sold, {requests} requests, memory at most"
    f" {worst:.0%} of what is allowed, {len(failures)} failed"
)
sys.exit(1 if failures else 0)
