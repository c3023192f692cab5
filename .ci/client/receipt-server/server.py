"""A server of an app that keeps what its users may use, by what the App Store's servers say.

    python server.py --store URL --keys FOLDER --database FILE [--port N]

An app posts the receipt or a transaction that it has to /purchases, and is told what its user may use. The App Store posts its
notifications to /notifications. Both end in the same table, whose rows only become newer: a notification that comes twice, late
or after a crash changes nothing.
"""

import argparse
import http.server
import json
import pathlib
import sqlite3
import ssl
import threading
import time
import urllib.request

from appstoreserverlibrary.api_client import APIException, AppStoreServerAPIClient, GetTransactionHistoryVersion
from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.models.Status import Status
from appstoreserverlibrary.models.TransactionHistoryRequest import TransactionHistoryRequest
from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier, VerificationException


class Refusal(Exception):
    """What an app has sent is no purchase."""


class Unavailable(Exception):
    """The App Store cannot say now; the app asks again later."""


class AppStore:
    """The App Store's servers: what they say, verified."""

    def __init__(self, url, key, key_identifier, issuer, root, bundle, password=None):
        self.url, self.password = url.rstrip("/"), password
        # Without questions to Apple's servers about revoked certificates: the root is a store's own.
        self.verifier = SignedDataVerifier([root], False, Environment.SANDBOX, bundle)
        self.client = AppStoreServerAPIClient(key, key_identifier, issuer, bundle, Environment.SANDBOX)
        # The one line that a server in production does not have.
        self.client._base_url = self.url

    def transaction_of(self, receipt):
        """Returns a transaction of a receipt, which the production servers are asked about first, as App Review wants it."""
        answer = self.verify("production", receipt)
        if answer["status"] == 21007:
            answer = self.verify("sandbox", receipt)
        status = answer["status"]
        if status in (21005, 21009) or answer.get("is-retryable"):
            raise Unavailable(f"verifyReceipt has status {status}")
        if status not in (0, 21006):
            raise Refusal(f"verifyReceipt has status {status}")
        receipt = answer["receipt"]
        # An old receipt is a transaction's.
        purchases = [receipt] if "transaction_id" in receipt else receipt["in_app"]
        return purchases[0]["transaction_id"] if purchases else None

    def verify(self, environment, receipt):
        body = {"receipt-data": receipt, "password": self.password} if self.password else {"receipt-data": receipt}
        request = urllib.request.Request(f"{self.url}/{environment}/verifyReceipt", json.dumps(body).encode())
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)

    def history(self, transaction):
        """Returns all transactions of a transaction's account."""
        transactions, revision, has_more = [], None, True
        while has_more:
            page = self.ask(lambda: self.client.get_transaction_history(
                transaction, revision, TransactionHistoryRequest(), GetTransactionHistoryVersion.V2
            ))
            transactions += map(self.verifier.verify_and_decode_signed_transaction, page.signedTransactions)
            revision, has_more = page.revision, page.hasMore
        return transactions

    def grace(self, transaction):
        """Returns until when subscriptions whose renewal is not paid for are granted, by their first transactions."""
        statuses = self.ask(lambda: self.client.get_all_subscription_statuses(transaction, [Status.BILLING_GRACE_PERIOD]))
        renewals = [
            self.verifier.verify_and_decode_renewal_info(item.signedRenewalInfo)
            for group in statuses.data for item in group.lastTransactions
        ]
        return {renewal.originalTransactionId: renewal.gracePeriodExpiresDate for renewal in renewals}

    def ask(self, question):
        """Asks the API, and tells what will not change from what may."""
        try:
            return question()
        except APIException as exception:
            reason = f"the API answers {exception.raw_api_error or exception.http_status_code}"
            if exception.http_status_code == 429 or exception.http_status_code >= 500:
                raise Unavailable(reason) from exception
            raise Refusal(reason) from exception


class Entitlements:
    """What accounts may use, in a SQLite file."""

    def __init__(self, file):
        self.lock = threading.Lock()
        self.database = sqlite3.connect(file, check_same_thread=False, isolation_level=None)
        self.database.executescript(
            """
            PRAGMA journal_mode = WAL;
            CREATE TABLE IF NOT EXISTS purchase (
                transaction_id TEXT PRIMARY KEY, original_id TEXT NOT NULL, account TEXT NOT NULL, product TEXT NOT NULL,
                type TEXT NOT NULL, quantity INTEGER NOT NULL, expires INTEGER, revoked INTEGER, upgraded INTEGER NOT NULL,
                signed INTEGER NOT NULL
            ) STRICT;
            CREATE TABLE IF NOT EXISTS grace (original_id TEXT PRIMARY KEY, until INTEGER, signed INTEGER NOT NULL) STRICT;
            CREATE TABLE IF NOT EXISTS notification (uuid TEXT PRIMARY KEY, type TEXT NOT NULL) STRICT;
            """
        )

    def take(self, transactions, grace=(), notification=None):
        """Takes verified values in, in one step; returns false for a notification that was taken before."""
        # The connection commits at the end, or rolls back what has failed.
        with self.lock, self.database:
            self.database.execute("BEGIN IMMEDIATE")
            if notification is not None:
                new = self.database.execute(
                    "INSERT OR IGNORE INTO notification VALUES (?, ?)",
                    (notification.notificationUUID, notification.rawNotificationType),
                )
                if new.rowcount == 0:
                    return False
            self.database.executemany(
                """
                INSERT INTO purchase VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET expires = excluded.expires, revoked = excluded.revoked,
                    upgraded = excluded.upgraded, signed = excluded.signed
                WHERE excluded.signed >= signed
                """,
                [
                    (
                        t.transactionId, t.originalTransactionId, t.appTransactionId, t.productId, t.rawType, t.quantity,
                        t.expiresDate, t.revocationDate, bool(t.isUpgraded), t.signedDate,
                    )
                    for t in transactions
                ],
            )
            self.database.executemany(
                """
                INSERT INTO grace VALUES (?, ?, ?)
                ON CONFLICT DO UPDATE SET until = excluded.until, signed = excluded.signed
                WHERE excluded.signed >= signed
                """,
                grace,
            )
            return True

    def close(self):
        self.database.close()

    def of(self, account, now):
        """Returns what an account may use at a date, and how many of each consumable it has bought."""
        with self.lock:
            products = self.database.execute(
                """
                SELECT DISTINCT product FROM purchase LEFT JOIN grace USING (original_id)
                WHERE account = ? AND type <> 'Consumable' AND revoked IS NULL AND NOT upgraded
                    AND (expires IS NULL OR max(expires, ifnull(until, 0)) > ?)
                ORDER BY product
                """,
                (account, now),
            ).fetchall()
            counts = self.database.execute(
                """
                SELECT product, sum(quantity) FROM purchase
                WHERE account = ? AND type = 'Consumable' AND revoked IS NULL GROUP BY product
                """,
                (account,),
            ).fetchall()
        return {"products": [product for product, in products], "consumables": dict(counts)}


class Service:
    """What the server answers."""

    def __init__(self, app_store, entitlements, now=lambda: int(time.time() * 1000)):
        self.app_store, self.entitlements, self.now = app_store, entitlements, now

    def purchases(self, body):
        """Takes in what an app has bought, and returns what its user may use."""
        transaction = body.get("transactionId")
        if transaction is None:
            transaction = self.app_store.transaction_of(body.get("receipt"))
        if transaction is None:
            return {"products": [], "consumables": {}}
        history = self.app_store.history(str(transaction))
        now = max(t.signedDate for t in history)
        grace = self.app_store.grace(str(transaction))
        subscriptions = {t.originalTransactionId for t in history if t.expiresDate is not None}
        self.entitlements.take(history, [(original, grace.get(original), now) for original in subscriptions])
        return {"account": history[0].appTransactionId} | self.entitlements.of(history[0].appTransactionId, self.now())

    def notification(self, body):
        """Takes in a notification; returns false for one that was taken before."""
        verifier = self.app_store.verifier
        notification = verifier.verify_and_decode_notification(body["signedPayload"])
        data, transactions, grace = notification.data, [], []
        if data is not None and data.signedTransactionInfo is not None:
            transactions.append(verifier.verify_and_decode_signed_transaction(data.signedTransactionInfo))
        if data is not None and data.signedRenewalInfo is not None:
            renewal = verifier.verify_and_decode_renewal_info(data.signedRenewalInfo)
            grace.append((renewal.originalTransactionId, renewal.gracePeriodExpiresDate, renewal.signedDate))
        return self.entitlements.take(transactions, grace, notification)


class Handler(http.server.BaseHTTPRequestHandler):
    """The requests of apps and of the App Store."""

    LARGEST = 1 << 20

    def do_POST(self):
        try:
            length = int(self.headers["Content-Length"])
            if not 0 <= length <= self.LARGEST:
                return self.answer(413, {})
            body = json.loads(self.rfile.read(length))
            if self.path == "/purchases":
                return self.answer(200, self.server.service.purchases(body))
            if self.path == "/notifications":
                return self.answer(200, {"isNew": self.server.service.notification(body)})
            self.answer(404, {})
        except Unavailable as reason:
            self.answer(503, {"reason": str(reason)})
        except (Refusal, VerificationException, ValueError, KeyError, TypeError, AttributeError) as reason:
            # Without what was sent: a receipt belongs in no log.
            self.answer(400, {"reason": str(reason) if isinstance(reason, Refusal) else "the request is malformed"})

    def answer(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


class Server(http.server.ThreadingHTTPServer):
    """Listens on this machine; it answers once it has its service and `serve_forever` is called."""

    daemon_threads = True

    def __init__(self, port=0):
        super().__init__(("127.0.0.1", port), Handler)
        self.service = None

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--store", required=True, help="the URL that sandbox-store serve prints")
    parser.add_argument("--keys", required=True, type=pathlib.Path, help="the folder of its --ca")
    parser.add_argument("--database", required=True)
    parser.add_argument("--bundle", default="com.example.app")
    parser.add_argument("--port", type=int, default=8081)
    options = parser.parse_args()
    [key] = options.keys.glob("AuthKey_*.p8")
    app_store = AppStore(
        options.store, key.read_bytes(), key.stem.removeprefix("AuthKey_"), (options.keys / "issuer.txt").read_text().strip(),
        ssl.PEM_cert_to_DER_cert((options.keys / "root.pem").read_text()), options.bundle,
    )
    server = Server(options.port)
    server.service = Service(app_store, Entitlements(options.database))
    print(f"listening at {server.url}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
