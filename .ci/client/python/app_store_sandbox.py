"""App Stores of their own for the tests of a server: a client of `sandbox-store serve`.

    with AppStoreServer() as server, server.store(notificationURL="http://127.0.0.1:8081/notifications") as store:
        purchase = store.buy("pro.monthly")
        store.advance("1y")

It needs nothing but Python 3.9, and may be copied.
"""

import atexit
import json
import os
import pathlib
import subprocess
import urllib.error
import urllib.parse
import urllib.request

#: Keeps the program from outliving the process that has started it: the pipe on its standard input ends with that process.
LEASH = 'exec 3<&0; (cat <&3; kill $$) >/dev/null 2>&1 & exec "$@" 3<&- </dev/null'


class AppStoreError(Exception):
    """A refusal: the HTTP status, its code, the word that is wrong, and a valid one that is similar."""

    def __init__(self, status, error):
        super().__init__(error["message"])
        self.status, self.code, self.word, self.suggestion = status, error["code"], error["word"], error["suggestion"]


class Control:
    """The control interface at a URL."""

    # Not by a proxy, whatever the environment says: the interface is this machine's.
    _opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def __init__(self, url, token):
        self.control, self._token = url.rstrip("/"), token

    def request(self, method, path, body=None, **query):
        """Sends a request, and returns the response's JSON; raises `AppStoreError`."""
        url = f"{self.control}/{path}" + (f"?{urllib.parse.urlencode(query)}" if query else "")
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        try:
            with self._opener.open(urllib.request.Request(url, data, headers, method=method), timeout=60) as response:
                return json.loads(response.read() or b"null")
        except urllib.error.HTTPError as response:
            with response:
                raise AppStoreError(response.status, json.load(response)["error"]) from None

    def rows(self, path, **query):
        """Returns all rows of a list, such as `transactions` or `notifications`."""
        cursor = "before" if path == "transactions" else "after"
        rows, position = [], {}
        while True:
            page = self.request("GET", path, **query, **position)
            rows += page["rows"]
            if page["next"] is None:
                return rows
            position = {cursor: page["next"]}


class AppStore(Control):
    """A store of one test, with App Store servers of its own.

    `url`, `sandboxURL`, `productionURL`, `bundleIdentifier`, `environment`, `keyIdentifier`, `issuer`, `privateKey`, `root` (both
    PEM) and `products` are attributes.
    """

    def __init__(self, server, description):
        super().__init__(description["control"], server._token)
        self._server = server
        self.__dict__.update(description)

    def perform(self, command, **words):
        """Performs a command of the command line, such as `perform("ask-to-buy", on=True)`, and returns its response."""
        return self.request("POST", f"commands/{command}", words)

    def run(self, line):
        """Performs a line of a scenario, such as `run("billing-fails on")`, and returns its response."""
        return self.request("POST", "commands", {"line": line})

    def buy(self, product, **words):
        """Buys a product, and returns the transaction."""
        return self.perform("buy", product=product, **words)["transaction"]

    def refund(self, transaction="last"):
        """Refunds a purchase or a period, and returns the transaction."""
        return self.perform("refund", transaction=transaction)["transaction"]

    def advance(self, duration):
        """Moves the store's clock, by a duration such as `1y` or `3d12h`, and returns what fell due."""
        return self.perform("advance", duration=duration)["events"]

    def signed(self, transaction):
        """Returns a transaction as an app gets it: a JWS."""
        return self.request("GET", f"transactions/{transaction}")["jws"]

    def close(self):
        """Drops the store."""
        self._server.request("DELETE", f"stores/{self.store}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class AppStoreServer(Control):
    """A process of `sandbox-store serve`, or one that runs already: APP_STORE_CONTROL is its URL, APP_STORE_TOKEN its token."""

    def __init__(self, program=None, *options):
        self._process = None
        if program is None and "APP_STORE_CONTROL" in os.environ:
            return super().__init__(os.environ["APP_STORE_CONTROL"], os.environ["APP_STORE_TOKEN"])
        command = ["sh", "-c", LEASH, "sh", program or default_program(), "serve", "--json", "--quiet", *options]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        atexit.register(self.close)
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"{command[4]} has not started: it ended with status {self._process.wait()}")
        facts = json.loads(line)
        super().__init__(facts["control"], pathlib.Path(facts["token"]).read_text().strip())

    def store(self, **options):
        """Makes a store; the options are those of `POST /control/v1/stores`, such as `products` and `notificationURL`."""
        return AppStore(self, self.request("POST", "stores", options))

    def close(self):
        """Ends the process, if it is this object's."""
        process, self._process = self._process, None
        if process is not None:
            atexit.unregister(self.close)
            process.stdin.close()
            process.wait()
            process.stdout.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def default_program():
    """Returns the program in SANDBOX_STORE, the one beside this file, or the one on the PATH."""
    beside = pathlib.Path(__file__).parent / "bin" / "sandbox-store"
    return os.environ.get("SANDBOX_STORE") or (str(beside) if beside.exists() else "sandbox-store")
