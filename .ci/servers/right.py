"""A server of an app that keeps what its customers may use, by what the App Store says: Python's HTTP server and SQLite.

The simulation starts it, and tells it by its environment where the store and its keys are. The package cryptography verifies what
the store has signed. A server with a defect is a subclass that changes one method.

A notification says what it is about, and how that was when it was signed. It may come twice, late, after later ones, or never.
So what it says is only taken if nothing newer is known, and its subject is asked about at the App Store Server API, whose answer
is as of now. What could not be asked about, since the API has failed, is asked about at the next request.
"""

import base64
import http.client
import json
import os
import socketserver
import sqlite3
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler
from urllib.parse import parse_qs, unquote, urlsplit

DAY = 86_400_000
LEAF, INTERMEDIATE = "1.2.840.113635.100.6.11.1", "1.2.840.113635.100.6.2.1"


class Refusal(Exception):
    """What somebody sent is not by the App Store, or not for this app."""


class Unavailable(Exception):
    """The App Store Server API gives no answer now."""


class Verifier:
    """Verifies what the App Store signs: the chain below its root, the signature, the app and the environment."""

    def __init__(self, root, bundle, environment):
        self.root_file, self.bundle, self.environment = root, bundle, environment
        self.chains = {}

    def verify(self, jws):
        """Returns the payload of a notification, a transaction or a renewal."""
        payload = self.payload(jws)
        # Notifications name the app and the environment in an object that depends on their kind.
        about = next((payload[name] for name in ("data", "summary", "appData") if name in payload), payload)
        if not self.is_here(about.get("environment")):
            raise Refusal("it is of another environment")
        # A renewal does not name the app.
        if about.get("bundleId", self.bundle) != self.bundle:
            raise Refusal("it is of another app")
        return payload

    def is_here(self, environment):
        """Whether an environment is the one that this server serves."""
        return environment == self.environment

    def payload(self, jws):
        """Returns a payload whose signature is right."""
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ec import ECDSA
        from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
        from cryptography.hazmat.primitives.hashes import SHA256

        try:
            header, body, signature = jws.split(".")
            head, payload, raw = json.loads(decoded(header)), json.loads(decoded(body)), decoded(signature)
            if head["alg"] != "ES256" or len(raw) != 64:
                raise Refusal("it is not signed by ES256")
            key = self.key(tuple(head["x5c"]), payload["signedDate"])
            halves = int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big")
            key.verify(encode_dss_signature(*halves), f"{header}.{body}".encode(), ECDSA(SHA256()))
            return payload
        except (AttributeError, InvalidSignature, KeyError, TypeError, ValueError) as error:
            raise Refusal("it is not signed by the App Store") from error

    def key(self, chain, date):
        """Returns the key of a chain of certificates that were valid at a date."""
        if chain not in self.chains:
            self.chains[chain] = self.checked(chain)
        key, begin, end = self.chains[chain]
        if not begin <= date <= end:
            raise Refusal("its certificate is not valid at its date")
        return key

    def checked(self, chain):
        """Returns the key of a chain, and from when to when all its certificates are valid."""
        from cryptography.x509 import BasicConstraints, ObjectIdentifier, load_der_x509_certificate
        from cryptography.x509.extensions import ExtensionNotFound

        try:
            leaf, intermediate, _ = [load_der_x509_certificate(base64.b64decode(part, validate=True)) for part in chain]
            # Not the root that came with it: whoever forges one has a root as well.
            with open(self.root_file, "rb") as file:
                root = load_der_x509_certificate(file.read())
            leaf.verify_directly_issued_by(intermediate)
            intermediate.verify_directly_issued_by(root)
            leaf.extensions.get_extension_for_oid(ObjectIdentifier(LEAF))
            intermediate.extensions.get_extension_for_oid(ObjectIdentifier(INTERMEDIATE))
            if not intermediate.extensions.get_extension_for_class(BasicConstraints).value.ca:
                raise Refusal("its intermediate certificate issues none")
        except Refusal:
            raise
        except ExtensionNotFound as error:
            raise Refusal("its certificates are not those of the App Store") from error
        except Exception as error:  # the package has many for what it cannot read or verify
            raise Refusal("its certificates do not lead to the root") from error
        certificates = leaf, intermediate, root
        begin = max(certificate.not_valid_before_utc.timestamp() for certificate in certificates)
        end = min(certificate.not_valid_after_utc.timestamp() for certificate in certificates)
        return leaf.public_key(), begin * 1000, end * 1000


class AppStore:
    """The App Store Server API."""

    def __init__(self, url, key_file, key_identifier, issuer, bundle):
        self.url, self.key_file = urlsplit(url), key_file
        self.key_identifier, self.issuer, self.bundle = key_identifier, issuer, bundle
        self.connection = self.token = None
        self.expiry = 0

    def ask(self, method, path, body=None):
        """Returns an answer, or nothing for what the store does not know."""
        headers = {"Authorization": f"Bearer {self.current_token()}", "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body)
        while True:
            # The connection stays open for the next question, unless the other end closes it meanwhile.
            is_new = self.connection is None
            self.connection = self.connection or http.client.HTTPConnection(self.url.hostname, self.url.port, timeout=3)
            try:
                self.connection.request(method, f"{self.url.path}/inApps/{path}", data, headers)
                answer = self.connection.getresponse()
                status, content = answer.status, answer.read()
                break
            except (OSError, http.client.HTTPException) as error:
                self.connection.close()
                self.connection = None
                if is_new or isinstance(error, TimeoutError):
                    raise Unavailable(str(error)) from error
        if status == 404:
            return None
        if status != 200:
            raise Unavailable(f"it answers {status}")
        return json.loads(content)

    def current_token(self):
        """Returns the token for requests, by the clock of this machine."""
        from cryptography.hazmat.primitives.asymmetric.ec import ECDSA
        from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
        from cryptography.hazmat.primitives.hashes import SHA256
        from cryptography.hazmat.primitives.serialization import load_pem_private_key

        now = int(time.time())
        if now > self.expiry - 300:
            self.expiry = now + 1800
            header = {"alg": "ES256", "kid": self.key_identifier, "typ": "JWT"}
            claims = {
                "iss": self.issuer, "iat": now, "exp": self.expiry, "aud": "appstoreconnect-v1", "bid": self.bundle,
            }
            message = f"{encoded(json.dumps(header).encode())}.{encoded(json.dumps(claims).encode())}"
            with open(self.key_file, "rb") as file:
                key = load_pem_private_key(file.read(), None)
            r, s = decode_dss_signature(key.sign(message.encode(), ECDSA(SHA256())))
            signature = r.to_bytes(32, "big") + s.to_bytes(32, "big")
            self.token = f"{message}.{encoded(signature)}"
        return self.token


class RightServer:
    """Keeps purchases, and says who may use what by them."""

    verifier_class = Verifier
    history_filter = {}

    def __init__(self, environment):
        self.verifier = self.verifier_class(
            environment["STORE_ROOT"], environment["STORE_BUNDLE_ID"], environment["STORE_ENVIRONMENT"]
        )
        self.app_store = AppStore(
            environment["STORE_URL"], environment["STORE_KEY"], environment["STORE_KEY_ID"],
            environment["STORE_ISSUER_ID"], environment["STORE_BUNDLE_ID"],
        )
        # One request at a time, so that an older answer of the API is never written behind a newer one.
        self.lock = threading.Lock()
        self.has_recovered = False
        # A process that is killed loses nothing that it has written. A machine that loses its power does, unless this is FULL.
        self.database = sqlite3.connect(
            os.path.join(environment["DATA"], "server.sqlite"), isolation_level=None, check_same_thread=False
        )
        self.database.executescript("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;" + self.schema())

    def schema(self):
        return """
            CREATE TABLE IF NOT EXISTS purchase (
                id TEXT PRIMARY KEY, original TEXT, account TEXT, customer TEXT, product TEXT, type TEXT, quantity INTEGER,
                bought INTEGER, expires INTEGER, revoked INTEGER, signed INTEGER
            ) WITHOUT ROWID;
            CREATE TABLE IF NOT EXISTS renewal (original TEXT PRIMARY KEY, grace INTEGER, signed INTEGER) WITHOUT ROWID;
            CREATE TABLE IF NOT EXISTS account (id TEXT PRIMARY KEY, customer TEXT) WITHOUT ROWID;
            CREATE TABLE IF NOT EXISTS notification (uuid TEXT PRIMARY KEY) WITHOUT ROWID;
            CREATE TABLE IF NOT EXISTS doubt (id TEXT PRIMARY KEY, is_subscription INTEGER) WITHOUT ROWID;
        """

    # What is asked of it

    def notify(self, signed_payload):
        """Takes a notification of the App Store."""
        self.receive(signed_payload)

    def receive(self, signed_payload):
        """Takes a notification, new or from the history, once."""
        notification = self.verifier.verify(signed_payload)
        with self.database:
            self.database.execute("BEGIN IMMEDIATE")
            if not self.is_known(notification):
                self.apply(notification)

    def upload(self, customer, jws):
        """Takes a transaction that the app has."""
        transaction = self.verifier.verify(jws)
        with self.database:
            self.database.execute("BEGIN IMMEDIATE")
            self.take(transaction, customer)
            self.doubt(transaction)

    def access(self, customer, now):
        """Returns what a customer may use, and how many coins there are."""
        return {"products": self.products(customer, now), "coins": self.coins(customer)}

    def reset(self):
        """Forgets everything."""
        with self.database:
            self.database.execute("BEGIN IMMEDIATE")
            for name, in self.database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall():
                self.database.execute(f"DELETE FROM {name}")
        self.has_recovered = True

    # What it does with it

    def is_known(self, notification):
        """Whether a notification was taken before; it is from now on."""
        row = "INSERT OR IGNORE INTO notification VALUES (?)"
        return self.database.execute(row, (notification["notificationUUID"],)).rowcount == 0

    def apply(self, notification):
        """Takes what a notification says, whatever its type: the transaction has the revocation, the expiry and all else."""
        data = notification.get("data", {})
        if "signedTransactionInfo" in data:
            transaction = self.verifier.verify(data["signedTransactionInfo"])
            self.take(transaction)
            self.doubt(transaction)
        if "signedRenewalInfo" in data:
            self.take_renewal(self.verifier.verify(data["signedRenewalInfo"]))

    def take(self, transaction, customer=None):
        """Takes a transaction, unless something newer is known of it."""
        account, token = transaction.get("appTransactionId"), transaction.get("appAccountToken")
        # A member of a family has no token: only the app says whose the transaction is.
        owner = token.lower() if token else customer
        if owner and account:
            self.database.execute("INSERT OR IGNORE INTO account VALUES (?, ?)", (account, owner))
        self.database.execute(
            """
            INSERT INTO purchase VALUES (?, ?, ?, ?, ?, ?, ?, ?, NULL, NULL, 0)
            ON CONFLICT DO UPDATE SET customer = ifnull(customer, excluded.customer)
            """,
            (
                transaction["transactionId"], transaction["originalTransactionId"], account, owner,
                transaction["productId"], transaction["type"], transaction.get("quantity", 1),
                transaction["purchaseDate"],
            ),
        )
        if self.is_newer("purchase", "id", transaction["transactionId"], transaction):
            self.database.execute(
                "UPDATE purchase SET expires = ?, revoked = ?, signed = ? WHERE id = ?",
                (
                    transaction.get("expiresDate"), self.revocation(transaction), transaction["signedDate"],
                    transaction["transactionId"],
                ),
            )

    def take_renewal(self, renewal):
        """Takes the renewal of a subscription, of which the grace period is part of what it allows."""
        original = renewal["originalTransactionId"]
        self.database.execute("INSERT OR IGNORE INTO renewal VALUES (?, NULL, 0)", (original,))
        if self.is_newer("renewal", "original", original, renewal):
            self.database.execute(
                "UPDATE renewal SET grace = ?, signed = ? WHERE original = ?",
                (renewal.get("gracePeriodExpiresDate"), renewal["signedDate"], original),
            )

    def is_newer(self, table, column, identifier, payload):
        """Whether a payload was not signed before what is known."""
        [(signed,)] = self.database.execute(f"SELECT signed FROM {table} WHERE {column} = ?", (identifier,))
        return payload["signedDate"] >= signed

    def revocation(self, transaction):
        """Returns when a transaction was revoked: it was refunded, or somebody has left the family."""
        return transaction.get("revocationDate")

    def products(self, customer, now):
        """Returns the products that a customer may use."""
        # Of a subscription, the last transaction counts: the plan before an upgrade is over, whatever its expiry.
        rows = self.database.execute(
            """
            SELECT original, product, expires, revoked, grace
            FROM purchase LEFT JOIN renewal USING (original) LEFT JOIN account ON account.id = purchase.account
            WHERE ifnull(purchase.customer, account.customer) = ? AND type <> 'Consumable'
            ORDER BY bought, length(purchase.id), purchase.id
            """,
            (customer,),
        )
        return sorted({
            product for product, expires, revoked, grace in self.current(rows)
            if revoked is None and (expires is None or max(expires, self.grace(grace)) > now)
        })

    def current(self, rows):
        """Returns the last of the rows of each purchase and subscription."""
        return {original: row for original, *row in rows}.values()

    def grace(self, date):
        """Returns until when a subscription that could not be renewed is allowed."""
        return date or 0

    def coins(self, customer):
        """Returns the coins that a customer has bought, each transaction once, without those that were refunded."""
        [(coins,)] = self.database.execute(
            """
            SELECT ifnull(sum(quantity), 0) FROM purchase LEFT JOIN account ON account.id = purchase.account
            WHERE ifnull(purchase.customer, account.customer) = ? AND product = 'coins' AND revoked IS NULL
            """,
            (customer,),
        )
        return coins

    # What the App Store is asked

    def doubt(self, transaction):
        """Has the App Store asked about a transaction, once what was sent is kept."""
        self.database.execute(
            "INSERT OR IGNORE INTO doubt VALUES (?, ?)", (transaction["transactionId"], "expiresDate" in transaction)
        )

    def settle(self, now):
        """Asks the App Store about all that is in doubt, and after a start about what was missed."""
        try:
            if not self.has_recovered:
                self.recover(now)
                self.has_recovered = True
            for identifier, is_subscription in self.database.execute("SELECT * FROM doubt").fetchall():
                self.ask(identifier, is_subscription)
                self.database.execute("DELETE FROM doubt WHERE id = ?", (identifier,))
        except (Refusal, Unavailable) as reason:
            print(f"asked again later: {reason}", file=sys.stderr)

    def ask(self, identifier, is_subscription):
        """Asks about a transaction, or about all subscriptions of its account if it is of one."""
        if not is_subscription:
            answer = self.app_store.ask("GET", f"v1/transactions/{identifier}")
            self.take_all([answer["signedTransactionInfo"]] if answer else [])
        else:
            answer = self.app_store.ask("GET", f"v1/subscriptions/{identifier}") or {"data": []}
            last = [item for group in answer["data"] for item in group["lastTransactions"]]
            self.take_all(
                [item["signedTransactionInfo"] for item in last], [item["signedRenewalInfo"] for item in last]
            )

    def take_all(self, transactions, renewals=()):
        """Takes answers of the App Store."""
        transactions, renewals = [list(map(self.verifier.verify, group)) for group in (transactions, renewals)]
        with self.database:
            self.database.execute("BEGIN IMMEDIATE")
            for transaction in transactions:
                self.take(transaction)
            for renewal in renewals:
                self.take_renewal(renewal)

    def recover(self, now):
        """Asks for what was missed: notifications, and since those end after 30 days, transactions."""
        for jws in self.missed_notifications(now):
            self.receive(jws)
        self.recover_transactions()

    def recover_transactions(self):
        """Asks for all transactions of the accounts that are known."""
        accounts = "SELECT max(id), max(expires IS NOT NULL) FROM purchase GROUP BY account"
        for identifier, has_subscription in self.database.execute(accounts).fetchall():
            page, revision = {"hasMore": True}, ""
            while page["hasMore"]:
                page = self.app_store.ask("GET", f"v2/history/{identifier}{revision}") or {"hasMore": False}
                self.take_all(page.get("signedTransactions", []))
                revision = f"?revision={page.get('revision')}"
            if has_subscription:
                self.ask(identifier, True)

    def missed_notifications(self, now):
        """Returns the notifications of the history that were not taken."""
        # The sandbox keeps them for 30 days, and the store's clock may have gone on meanwhile.
        body = {"startDate": max(now - 29 * DAY, 0), "endDate": now + DAY} | self.history_filter
        page, token, missed = {"hasMore": True}, "", []
        while page["hasMore"]:
            page = self.app_store.ask("POST", f"v1/notifications/history{token}", body) or {"hasMore": False}
            for item in page.get("notificationHistory", []):
                # What was taken need not be verified again.
                uuid = json.loads(decoded(item["signedPayload"].split(".")[1]))["notificationUUID"]
                if not self.database.execute("SELECT 1 FROM notification WHERE uuid = ?", (uuid,)).fetchone():
                    missed.append(item["signedPayload"])
            token = f"?paginationToken={page.get('paginationToken')}"
        return missed

    # What it answers

    def respond(self, method, target, headers, content):
        """Returns the status and the answer to a request."""
        url = urlsplit(target)
        query = {name: values[-1] for name, values in parse_qs(url.query).items()}
        now = int(query.get("now") or headers.get("Store-Time") or time.time() * 1000)
        with self.lock:
            try:
                match method, *map(unquote, url.path.split("/")[1:]):
                    case "POST", "notifications":
                        self.notify(json.loads(content)["signedPayload"])
                        self.settle(now)
                    case "POST", "customers", customer, "transactions":
                        self.upload(customer.lower(), json.loads(content)["signedTransaction"])
                        self.settle(now)
                    case "GET", "customers", customer, "access":
                        self.settle(now)
                        return 200, self.access(customer.lower(), now)
                    case "GET", "health":
                        pass
                    case "POST", "reset":
                        self.reset()
                    case _:
                        return 404, {}
                return 200, {}
            except Refusal as reason:
                return 403, {"reason": str(reason)}
            except (AttributeError, json.JSONDecodeError, KeyError, TypeError) as reason:
                return 400, {"reason": f"the request is malformed: {reason!r}"}


class Handler(BaseHTTPRequestHandler):
    """A connection, which is kept."""

    protocol_version = "HTTP/1.1"
    wbufsize = -1  # so that a response is one packet

    def do_GET(self):
        content = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        status, answer = self.server.responder.respond(self.command, self.path, self.headers, content)
        body = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_GET

    def log_message(self, *_):
        pass


class Listener(socketserver.ThreadingTCPServer):
    """Listens on this machine. HTTPServer would ask for the host's name first, which may take seconds."""

    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 64


def decoded(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def encoded(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def serve(server):
    """Answers requests until the process ends."""
    responder = server(os.environ)
    with Listener(("127.0.0.1", int(os.environ["PORT"])), Handler) as listener:
        listener.responder = responder
        listener.serve_forever(poll_interval=3600)


if __name__ == "__main__":
    serve(RightServer)
