"""The server against a store of its own: SERVER_SAMPLES names the program that sells, and serves what it has sold."""

import base64
import json
import os
import pathlib
import queue
import subprocess
import tempfile
import threading
import unittest
import urllib.error
import urllib.request

from server import AppStore, Entitlements, Server, Service

DAY = 86_400_000


class Shop:
    """A store, its servers, and whoever acts on it."""

    def __init__(self, folder, notification_url):
        self.process = subprocess.Popen(
            [os.environ["SERVER_SAMPLES"], folder, notification_url], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.facts = json.loads(self.process.stdout.readline())

    def act(self, *words):
        """Does something to the store, and returns what came of it."""
        self.process.stdin.write(" ".join(words) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().strip()
        if not answer.startswith("ok"):
            raise AssertionError(f"{' '.join(words)}: {answer}")
        return answer[3:]

    def stop(self):
        self.process.stdin.close()
        self.process.wait(60)
        self.process.stdout.close()


class RecordingService(Service):
    """A service that remembers what the App Store has posted."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.heard = queue.Queue()
        self.bodies = []

    def notification(self, body):
        is_new = super().notification(body)
        self.bodies.append(body)
        payload = body["signedPayload"].split(".")[1]
        decoded = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
        self.heard.put(decoded["notificationType"])
        return is_new


class ServerTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        # It listens before the store sells, and answers once it knows the store.
        self.server = Server()
        self.addCleanup(self.server.server_close)
        self.shop = Shop(folder.name, f"{self.server.url}/notifications")
        self.addCleanup(self.shop.stop)
        self.now = int(self.shop.facts["begin"])
        self.service = self.open_service()
        self.server.service = self.service
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.addCleanup(self.server.shutdown)

    def open_service(self):
        facts = self.shop.facts
        app_store = AppStore(
            facts["url"], (self.folder / "key.p8").read_bytes(), facts["keyIdentifier"], facts["issuer"],
            (self.folder / "root.der").read_bytes(), facts["bundleIdentifier"], facts["sharedSecret"],
        )
        entitlements = Entitlements(self.folder / "entitlements.sqlite")
        self.addCleanup(entitlements.close)
        return RecordingService(app_store, entitlements, lambda: self.now)

    def post(self, path, body):
        """Posts something, and returns the status and the answer."""
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        try:
            with urllib.request.urlopen(urllib.request.Request(self.server.url + path, data), timeout=60) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.load(error)

    def purchases(self, **body):
        status, answer = self.post("/purchases", body)
        self.assertEqual(status, 200, answer)
        return answer

    def wait(self, kind):
        """Waits until a notification has been taken."""
        while self.service.heard.get(timeout=60) != kind:
            pass

    def advance(self, days):
        self.shop.act("advance", str(days))
        self.now += days * DAY

    def granted(self, account):
        return self.service.entitlements.of(account, self.now)

    def test_a_transaction_grants_what_its_account_has_bought(self):
        self.shop.act("buy", "castle")
        self.shop.act("buy", "sword")
        gold = self.shop.act("buy", "pro.gold")
        answer = self.purchases(transactionId=gold)
        self.assertEqual(answer["products"], ["castle", "pro.gold"])
        self.assertEqual(answer["consumables"], {"sword": 1})
        # Asked again, it is the same.
        self.assertEqual(self.purchases(transactionId=gold), answer)

    def test_a_history_of_many_pages_is_read_to_its_end(self):
        swords = [self.shop.act("buy", "sword") for _ in range(45)]
        self.assertEqual(self.purchases(transactionId=swords[0])["consumables"], {"sword": 45})

    def test_a_receipt_of_the_sandbox_is_asked_about_where_it_belongs(self):
        castle = self.shop.act("buy", "castle")
        receipt = self.shop.act("receipt")
        self.assertEqual(self.service.app_store.verify("production", receipt)["status"], 21007)
        self.assertEqual(self.purchases(receipt=receipt), self.purchases(transactionId=castle))

    def test_what_is_no_purchase_grants_nothing(self):
        self.shop.act("buy", "castle")
        receipt = self.shop.act("receipt")
        for body in [
            {"transactionId": "987654"}, {"transactionId": "castle"}, {"receipt": receipt[:-8] + "AAAAAAA="},
            {"receipt": "no receipt"}, {}, [], b"no JSON",
        ]:
            self.assertEqual(self.post("/purchases", body)[0], 400, body)
        self.assertEqual(self.post("/elsewhere", {})[0], 404)

    def test_notifications_alone_keep_the_table(self):
        gold = self.shop.act("buy", "pro.gold")
        self.wait("SUBSCRIBED")
        account = self.service.app_store.history(gold)[0].appTransactionId
        self.assertEqual(self.granted(account)["products"], ["pro.gold"])
        self.advance(40)
        self.wait("DID_RENEW")
        self.assertEqual(self.granted(account)["products"], ["pro.gold"])
        self.shop.act("autoRenew", "off")
        self.advance(40)
        self.wait("EXPIRED")
        self.assertEqual(self.granted(account)["products"], [])

    def test_access_goes_on_in_a_grace_period(self):
        self.shop.act("grace", "on")
        gold = self.shop.act("buy", "pro.gold")
        self.shop.act("billing", "fails")
        self.advance(32)
        self.wait("DID_FAIL_TO_RENEW")
        account = self.service.app_store.history(gold)[0].appTransactionId
        self.assertEqual(self.granted(account)["products"], ["pro.gold"])
        # The API says the same.
        self.assertEqual(self.purchases(transactionId=gold)["products"], ["pro.gold"])
        self.advance(20)
        self.wait("GRACE_PERIOD_EXPIRED")
        self.assertEqual(self.granted(account)["products"], [])

    def test_a_refund_takes_away_and_its_reversal_gives_back(self):
        castle = self.shop.act("buy", "castle")
        account = self.purchases(transactionId=castle)["account"]
        self.advance(1)
        self.shop.act("refund", castle)
        self.wait("REFUND")
        self.assertEqual(self.granted(account)["products"], [])
        self.advance(1)
        self.shop.act("reverseRefund", castle)
        self.wait("REFUND_REVERSED")
        self.assertEqual(self.granted(account)["products"], ["castle"])

    def test_a_notification_that_comes_twice_late_or_after_a_restart_changes_nothing(self):
        sword = self.shop.act("buy", "sword")
        self.wait("ONE_TIME_CHARGE")
        account = self.service.app_store.history(sword)[0].appTransactionId
        self.advance(1)
        self.shop.act("refund", sword)
        self.wait("REFUND")
        self.assertEqual(self.granted(account)["consumables"], {})
        charge, refund = self.service.bodies
        self.assertEqual(self.post("/notifications", charge), (200, {"isNew": False}))
        self.assertEqual(self.granted(account)["consumables"], {})
        self.server.service = self.service = self.open_service()
        self.assertEqual(self.post("/notifications", refund), (200, {"isNew": False}))
        self.assertEqual(self.granted(account)["consumables"], {})
        # In a table that has not seen them, the older one comes last, and loses.
        self.service.entitlements.close()
        (self.folder / "entitlements.sqlite").unlink()
        self.server.service = self.service = self.open_service()
        for body in [refund, charge]:
            self.assertEqual(self.post("/notifications", body), (200, {"isNew": True}))
        self.assertEqual(self.granted(account)["consumables"], {})

    def test_a_forged_notification_is_refused(self):
        castle = self.shop.act("buy", "castle")
        self.wait("ONE_TIME_CHARGE")
        [body] = self.service.bodies
        header, payload, signature = body["signedPayload"].split(".")
        decoded = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
        decoded["notificationUUID"] = "00000000-0000-4000-8000-000000000000"
        forged = base64.urlsafe_b64encode(json.dumps(decoded).encode()).decode().rstrip("=")
        for payload in [f"{header}.{forged}.{signature}", "no JWS", None]:
            self.assertEqual(self.post("/notifications", {"signedPayload": payload})[0], 400)
        self.assertEqual(self.purchases(transactionId=castle)["products"], ["castle"])


if __name__ == "__main__":
    unittest.main()
