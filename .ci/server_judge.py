"""Judges a store's server by Apple's own client library: server_judge.py SERVER-SAMPLES FOLDER

Starts the program SERVER-SAMPLES, which sells in a store of its own, serves it on this machine and takes acts on standard
input. Apple's client has to get its own types back from every method, and Apple's verifier has to accept all that they carry
and each notification. What Apple's library has no method for is left out: POST /verifyReceipt is asked by urllib.
"""

import http.server
import inspect
import json
import pathlib
import subprocess
import sys
import threading
import time
import urllib.request
import uuid
import warnings

from appstoreserverlibrary.api_client import APIError, APIException, AppStoreServerAPIClient, GetTransactionHistoryVersion
from appstoreserverlibrary.models.AccountTenure import AccountTenure
from appstoreserverlibrary.models.ConsumptionRequest import ConsumptionRequest
from appstoreserverlibrary.models.ConsumptionRequestV1 import ConsumptionRequestV1
from appstoreserverlibrary.models.ConsumptionStatus import ConsumptionStatus
from appstoreserverlibrary.models.DeliveryStatus import DeliveryStatus
from appstoreserverlibrary.models.DeliveryStatusV1 import DeliveryStatusV1
from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.models.ExtendReasonCode import ExtendReasonCode
from appstoreserverlibrary.models.ExtendRenewalDateRequest import ExtendRenewalDateRequest
from appstoreserverlibrary.models.InAppOwnershipType import InAppOwnershipType
from appstoreserverlibrary.models.LifetimeDollarsPurchased import LifetimeDollarsPurchased
from appstoreserverlibrary.models.LifetimeDollarsRefunded import LifetimeDollarsRefunded
from appstoreserverlibrary.models.MassExtendRenewalDateRequest import MassExtendRenewalDateRequest
from appstoreserverlibrary.models.NotificationHistoryRequest import NotificationHistoryRequest
from appstoreserverlibrary.models.NotificationTypeV2 import NotificationTypeV2
from appstoreserverlibrary.models.OrderLookupStatus import OrderLookupStatus
from appstoreserverlibrary.models.Platform import Platform
from appstoreserverlibrary.models.PlayTime import PlayTime
from appstoreserverlibrary.models.SendAttemptResult import SendAttemptResult
from appstoreserverlibrary.models.Status import Status
from appstoreserverlibrary.models.TransactionHistoryRequest import Order, ProductType, TransactionHistoryRequest
from appstoreserverlibrary.models.UpdateAppAccountTokenRequest import UpdateAppAccountTokenRequest
from appstoreserverlibrary.models.UserStatus import UserStatus
from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier

# The methods of retention messaging, which our servers do not have.
OUT_OF_SCOPE = {
    "configure_default_message", "configure_realtime_url", "delete_default_message", "delete_image", "delete_message",
    "delete_realtime_url", "get_default_message", "get_image_list", "get_message_list", "get_performance_test_results",
    "get_realtime_url", "initiate_performance_test", "upload_image", "upload_message",
}
# What the store of the samples does not bring about by the acts below, with the reason.
UNSENT = {
    "EXTERNAL_PURCHASE_TOKEN": "the app of the samples does not sell outside of the store",
    "METADATA_UPDATE": "the store of the samples sells nothing by Advanced Commerce",
    "MIGRATION": "the store of the samples sells nothing by Advanced Commerce",
    "PRICE_CHANGE": "the store of the samples sells nothing by Advanced Commerce",
}
PATIENCE = 60
DAY = 86_400_000

warnings.simplefilter("ignore")
checks = 0
failures = []


def expect(is_right, what):
    global checks
    checks += 1
    if not is_right:
        failures.append(what)
        print(f"FAILED: {what}")


class Inbox:
    """A user's server: keeps each notification that Apple's verifier accepts."""

    def __init__(self):
        self.verifier = None
        self.heard = []
        self.changed = threading.Condition()
        inbox = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                try:
                    notification = inbox.verifier.verify_and_decode_notification(body["signedPayload"])
                    status = 200
                except Exception as error:
                    expect(False, f"Apple's verifier refuses a notification: {error!r}")
                    notification, status = None, 500
                self.send_response(status)
                self.send_header("Content-Length", "0")
                self.end_headers()
                with inbox.changed:
                    inbox.heard.append(notification)
                    inbox.changed.notify_all()

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server.server_port}/notifications"

    def wait(self, what, condition):
        """Waits for a notification that meets a condition."""
        with self.changed:
            found = self.changed.wait_for(lambda: [n for n in self.heard if n and condition(n)], PATIENCE)
        expect(bool(found), f"no notification: {what}")
        return found[-1] if found else None


class Shop:
    """The program that sells and serves."""

    def __init__(self, program, folder, url):
        self.process = subprocess.Popen(
            [program, folder, url], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        self.facts = json.loads(self.process.stdout.readline())

    def act(self, *words):
        """Performs an act; returns what the program says of it."""
        self.process.stdin.write(" ".join(words) + "\n")
        answer = self.process.stdout.readline().strip()
        expect(answer.startswith("ok"), f"{' '.join(words)}: {answer}")
        return answer[3:]

    def stop(self):
        self.process.stdin.close()
        expect(self.process.wait(PATIENCE) == 0, "the program does not end well")


program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
inbox = Inbox()
shop = Shop(program, str(folder), inbox.url)
facts = shop.facts
root = (folder / "root.der").read_bytes()
verifier = SignedDataVerifier([root], False, Environment.SANDBOX, facts["bundleIdentifier"])
inbox.verifier = verifier
called = set()


class Client(AppStoreServerAPIClient):
    """Apple's client, told where the server is."""

    def __getattribute__(self, name):
        if not name.startswith("_"):
            called.add(name)
        return super().__getattribute__(name)


def client(key=None, issuer=None, bundle=None, identifier=None):
    made = Client(
        key or (folder / "key.p8").read_bytes(), identifier or facts["keyIdentifier"], issuer or facts["issuer"],
        bundle or facts["bundleIdentifier"], Environment.SANDBOX,
    )
    made._base_url = facts["url"].rstrip("/")
    return made


def refused(what, error, call, status=None):
    """A call has to fail with one of Apple's own errors."""
    try:
        call()
        expect(False, f"{what} is not refused")
    except APIException as exception:
        expect(exception.api_error == error, f"{what}: {exception.raw_api_error}, not {error}")
        expect(exception.http_status_code == (status or error.value // 10_000), f"{what}: HTTP {exception.http_status_code}")


def transactions(signed):
    return [verifier.verify_and_decode_signed_transaction(text) for text in signed]


api = client()

# Buying.
sword = shop.act("buy", "sword")
castle = shop.act("buy", "castle")
season = shop.act("buy", "season")
gold = shop.act("buy", "pro.gold")
for product, kind in [("sword", "Consumable"), ("castle", "Non-Consumable"), ("season", "Non-Renewing Subscription")]:
    bought = inbox.wait(f"ONE_TIME_CHARGE for {product}", lambda n: n.notificationType == NotificationTypeV2.ONE_TIME_CHARGE
        and verifier.verify_and_decode_signed_transaction(n.data.signedTransactionInfo).productId == product)
    if bought:
        told = verifier.verify_and_decode_signed_transaction(bought.data.signedTransactionInfo)
        expect(told.type.value == kind, f"{product} is told as {told.type}")
begun = inbox.wait("SUBSCRIBED", lambda n: n.notificationType == NotificationTypeV2.SUBSCRIBED)
if begun:
    expect(begun.subtype.value == "INITIAL_BUY", f"SUBSCRIBED {begun.subtype}")
    expect(begun.data.status == Status.ACTIVE, f"SUBSCRIBED with status {begun.data.status}")
    renewal = verifier.verify_and_decode_renewal_info(begun.data.signedRenewalInfo)
    expect(renewal.originalTransactionId == gold, "SUBSCRIBED is about another subscription")

# Reading.
info = api.get_transaction_info(sword)
told = verifier.verify_and_decode_signed_transaction(info.signedTransactionInfo)
expect((told.transactionId, told.productId) == (sword, "sword"), f"get_transaction_info: {told}")
for version in GetTransactionHistoryVersion:
    seen, revision, pages = [], None, 0
    while True:
        page = api.get_transaction_history(gold, revision, TransactionHistoryRequest(sort=Order.ASCENDING), version)
        expect(page.environment == Environment.SANDBOX, f"history of {page.environment}")
        seen += [t.transactionId for t in transactions(page.signedTransactions)]
        revision, pages = page.revision, pages + 1
        if not page.hasMore or pages > 100:
            break
    expect(seen == [sword, castle, season, gold], f"history {version}: {seen}")
filtered = api.get_transaction_history(sword, None, TransactionHistoryRequest(
    productTypes=[ProductType.CONSUMABLE, ProductType.NON_CONSUMABLE], productIds=["castle"], sort=Order.DESCENDING,
    inAppOwnershipType=InAppOwnershipType.PURCHASED, revoked=False,
    startDate=0, endDate=int(4e12)), GetTransactionHistoryVersion.V2)
expect([t.transactionId for t in transactions(filtered.signedTransactions)] == [castle], "a filtered history")
none = api.get_transaction_history(sword, None, TransactionHistoryRequest(revoked=True), GetTransactionHistoryVersion.V2)
expect(none.signedTransactions == [], "nothing is revoked yet")
statuses = api.get_all_subscription_statuses(sword)
items = [item for group in statuses.data for item in group.lastTransactions]
expect([(i.status, i.originalTransactionId) for i in items] == [(Status.ACTIVE, gold)], f"statuses: {items}")
verifier.verify_and_decode_signed_transaction(items[0].signedTransactionInfo)
verifier.verify_and_decode_renewal_info(items[0].signedRenewalInfo)
expect(api.get_all_subscription_statuses(sword, [Status.EXPIRED]).data == [], "no subscription has expired")
order = shop.act("order", castle)
found = api.look_up_order_id(order)
expect(found.status == OrderLookupStatus.VALID, f"look-up of an order: {found.status}")
expect([t.transactionId for t in transactions(found.signedTransactions)] == [castle], "an order's transactions")
expect(api.look_up_order_id("M0000000000").status == OrderLookupStatus.INVALID, "an order that is none")
app = api.get_app_transaction_info(sword)
expect(
    verifier.verify_and_decode_app_transaction(app.signedAppTransactionInfo).bundleId == facts["bundleIdentifier"],
    "the app's transaction",
)

# By the app's transaction, as by any other.
account = verifier.verify_and_decode_app_transaction(app.signedAppTransactionInfo).appTransactionId
page = api.get_transaction_history(account, None, TransactionHistoryRequest(), GetTransactionHistoryVersion.V2)
expect([t.transactionId for t in transactions(page.signedTransactions)] == seen, "the history of an app transaction")
expect(len(api.get_all_subscription_statuses(account).data) == 1, "the subscriptions of an app transaction")
expect(api.get_refund_history(account, None).signedTransactions == [], "the refunds of an app transaction")
expect(api.get_app_transaction_info(account).signedAppTransactionInfo != "", "an app transaction by its own identifier")

# Changing.
token = str(uuid.uuid4())
api.set_app_account_token(castle, UpdateAppAccountTokenRequest(appAccountToken=token))
told = verifier.verify_and_decode_signed_transaction(api.get_transaction_info(castle).signedTransactionInfo)
expect(str(told.appAccountToken) == token, f"app account token {told.appAccountToken}")
before = verifier.verify_and_decode_signed_transaction(api.get_transaction_info(gold).signedTransactionInfo).expiresDate
extended = api.extend_subscription_renewal_date(gold, ExtendRenewalDateRequest(
    extendByDays=10, extendReasonCode=ExtendReasonCode.SERVICE_ISSUE_OR_OUTAGE, requestIdentifier="request-1"))
expect(extended.success and extended.effectiveDate == before + 10 * DAY, f"extension: {extended}")
after = verifier.verify_and_decode_signed_transaction(api.get_transaction_info(gold).signedTransactionInfo).expiresDate
expect(after == extended.effectiveDate, "the extended subscription's end")
inbox.wait("RENEWAL_EXTENDED", lambda n: n.notificationType == NotificationTypeV2.RENEWAL_EXTENDED)
request = str(uuid.uuid4())
mass = api.extend_renewal_date_for_all_active_subscribers(MassExtendRenewalDateRequest(
    extendByDays=5, extendReasonCode=ExtendReasonCode.CUSTOMER_SATISFACTION, requestIdentifier=request,
    storefrontCountryCodes=["USA"], productId="pro.gold"))
expect(mass.requestIdentifier == request, "a mass extension")
state = api.get_status_of_subscription_renewal_date_extensions(request, "pro.gold")
expect(state.complete and state.succeededCount == 1 and state.failedCount == 0, f"a mass extension's status: {state}")
summary = inbox.wait("RENEWAL_EXTENSION", lambda n: n.notificationType == NotificationTypeV2.RENEWAL_EXTENSION)
if summary:
    expect((summary.summary.requestIdentifier, summary.summary.succeededCount) == (request, 1), f"summary: {summary}")

api.finish_transaction(season)

# Refunds.
shop.act("requestRefund", sword)
asked = inbox.wait("CONSUMPTION_REQUEST", lambda n: n.notificationType == NotificationTypeV2.CONSUMPTION_REQUEST)
api.send_consumption_information(sword, ConsumptionRequest(
    customerConsented=True, sampleContentProvided=False, deliveryStatus=DeliveryStatus.DELIVERED))
api.send_consumption_data(sword, ConsumptionRequestV1(
    customerConsented=True, consumptionStatus=ConsumptionStatus.FULLY_CONSUMED, platform=Platform.APPLE,
    sampleContentProvided=False, deliveryStatus=DeliveryStatusV1.DELIVERED_AND_WORKING_PROPERLY,
    appAccountToken=str(uuid.uuid4()), accountTenure=AccountTenure.UNDECLARED, playTime=PlayTime.UNDECLARED,
    lifetimeDollarsRefunded=LifetimeDollarsRefunded.UNDECLARED,
    lifetimeDollarsPurchased=LifetimeDollarsPurchased.UNDECLARED, userStatus=UserStatus.ACTIVE))
shop.act("declineRefund", sword)
inbox.wait("REFUND_DECLINED", lambda n: n.notificationType == NotificationTypeV2.REFUND_DECLINED)
shop.act("refund", castle)
back = inbox.wait("REFUND", lambda n: n.notificationType == NotificationTypeV2.REFUND)
if back:
    told = verifier.verify_and_decode_signed_transaction(back.data.signedTransactionInfo)
    expect(told.transactionId == castle and told.revocationDate is not None, f"REFUND of {told}")
inbox.wait("REVOKE", lambda n: n.notificationType == NotificationTypeV2.REVOKE)
refunds = api.get_refund_history(sword, None)
expect([t.transactionId for t in transactions(refunds.signedTransactions)] == [castle], "the refund history")
shop.act("reverseRefund", castle)
inbox.wait("REFUND_REVERSED", lambda n: n.notificationType == NotificationTypeV2.REFUND_REVERSED)

# A subscription's course.
for acts, kind, subtype in [
    (["autoRenew", "off"], "DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_DISABLED"),
    (["autoRenew", "on"], "DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_ENABLED"),
    (["buy", "pro.silver"], "DID_CHANGE_RENEWAL_PREF", "DOWNGRADE"),
    (["buy", "pro.gold"], "DID_CHANGE_RENEWAL_PREF", None),
    (["advance", "46"], "DID_RENEW", None),
    (["grace", "on"], None, None),
    (["billing", "fails"], None, None),
    (["advance", "31"], "DID_FAIL_TO_RENEW", "GRACE_PERIOD"),
    (["advance", "17"], "GRACE_PERIOD_EXPIRED", None),
    (["billing", "works"], "DID_RENEW", "BILLING_RECOVERY"),
    (["redeem", "FRIENDS"], "OFFER_REDEEMED", None),
    (["grace", "off"], None, None),
    (["billing", "fails"], None, None),
    (["advance", "62"], "DID_FAIL_TO_RENEW", None),
    (["billing", "works"], "DID_RENEW", "BILLING_RECOVERY"),
    (["raisePrice", "pro.gold", "19.99"], "PRICE_INCREASE", "PENDING"),
    (["agree"], "PRICE_INCREASE", "ACCEPTED"),
    (["autoRenew", "off"], None, None),
    (["advance", "40"], "EXPIRED", "VOLUNTARY"),
    (["buy", "pro.gold"], "SUBSCRIBED", "RESUBSCRIBE"),
    (["rescindConsent"], "RESCIND_CONSENT", None),
]:
    shop.act(*acts)
    if kind:
        inbox.wait(f"{kind} {subtype}", lambda n: n.notificationType and n.notificationType.value == kind
            and (n.subtype.value if n.subtype else None) == subtype)

# Notifications by the API.
test = api.request_test_notification()
heard = inbox.wait("TEST", lambda n: n.notificationType == NotificationTypeV2.TEST)
deadline = time.monotonic() + PATIENCE
while True:
    status = api.get_test_notification_status(test.testNotificationToken)
    if status.sendAttempts or time.monotonic() > deadline:
        break
verifier.verify_and_decode_notification(status.signedPayload)
expect([a.sendAttemptResult for a in status.sendAttempts] == [SendAttemptResult.SUCCESS], f"attempts: {status}")
# What is older than 30 days is not told in the sandbox.
start = heard.signedDate - 29 * DAY
refused("a start 31 days ago", APIError.START_DATE_TOO_FAR_IN_PAST, lambda: api.get_notification_history(
    None, NotificationHistoryRequest(startDate=start - 2 * DAY, endDate=start)))
told, pagination, pages = [], None, 0
while pages < 100:
    page = api.get_notification_history(pagination, NotificationHistoryRequest(startDate=start, endDate=start + 30 * DAY))
    told += [verifier.verify_and_decode_notification(item.signedPayload) for item in page.notificationHistory]
    pagination, pages = page.paginationToken, pages + 1
    if not page.hasMore:
        break
heard = {n.notificationUUID for n in inbox.heard if n and n.signedDate >= start}
expect({n.notificationUUID for n in told} == heard, "the notification history")
expect(len(told) == len({n.notificationUUID for n in told}), "a notification is in the history twice")
unsent = {item.value for item in NotificationTypeV2} - {n.rawNotificationType for n in inbox.heard if n}
expect(unsent == set(UNSENT), f"types that were not sent: {unsent}")

# Refusals.
refused("an unknown transaction", APIError.TRANSACTION_ID_NOT_FOUND, lambda: api.get_transaction_info("987654"))
refused("no transaction's identifier", APIError.INVALID_TRANSACTION_ID, lambda: api.get_transaction_info("sword"))
refused("a wrong revision", APIError.INVALID_REQUEST_REVISION, lambda: api.get_refund_history(sword, "never"))
refused("an extension by 91 days", APIError.INVALID_EXTEND_BY_DAYS, lambda: api.extend_subscription_renewal_date(
    gold, ExtendRenewalDateRequest(extendByDays=91, extendReasonCode=ExtendReasonCode.OTHER, requestIdentifier="r")))
refused("an unknown test notification", APIError.TEST_NOTIFICATION_NOT_FOUND,
    lambda: api.get_test_notification_status(f"{uuid.uuid4()}_1"))
other = facts["otherKey"].encode()
for what, wrong in [
    ("another key", client(key=other)), ("another issuer", client(issuer=str(uuid.uuid4()))),
    ("another app", client(bundle="com.example.other")), ("another key's identifier", client(identifier="ABCDEF1234")),
]:
    try:
        wrong.get_transaction_info(sword)
        expect(False, f"a token of {what} is taken")
    except APIException as exception:
        expect(exception.http_status_code == 401, f"{what}: HTTP {exception.http_status_code}")


def verify_receipt(**fields):
    """What POST /verifyReceipt answers."""
    request = urllib.request.Request(facts["url"].rstrip("/") + "/verifyReceipt", json.dumps(fields).encode())
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


receipt = shop.act("receipt")
answer = verify_receipt(**{"receipt-data": receipt, "password": facts["sharedSecret"]})
expect(answer["status"] == 0 and answer["environment"] == "Sandbox", f"verifyReceipt: {answer.get('status')}")
expect({"castle", "season", "pro.gold"} <= {p["product_id"] for p in answer["receipt"]["in_app"]}, "the receipt's purchases")
expect(all(isinstance(v, str) for p in answer["receipt"]["in_app"] for v in p.values()), "a value that is no text")
expect(answer["pending_renewal_info"][0]["original_transaction_id"] == gold, "pending_renewal_info")
expect(len(answer["latest_receipt_info"]) > len(verify_receipt(**{
    "receipt-data": receipt, "password": facts["sharedSecret"], "exclude-old-transactions": True})["latest_receipt_info"]),
    "old transactions are not excluded")
expect(verify_receipt(**{"receipt-data": receipt, "password": "wrong"})["status"] == 21004, "a wrong shared secret")
expect(verify_receipt(**{"receipt-data": receipt[:-8] + "AAAAAAA="})["status"] in (21002, 21003), "a receipt cut short")

methods = {name for name, _ in inspect.getmembers(AppStoreServerAPIClient, inspect.isfunction) if not name.startswith("_")}
expect(OUT_OF_SCOPE <= methods, "Apple's library has other methods of retention messaging")
expect(methods - OUT_OF_SCOPE <= called, f"methods that were not called: {methods - OUT_OF_SCOPE - called}")
shop.stop()
for kind, reason in UNSENT.items():
    print(f"server judge: not sent: {kind}: {reason}")
print(f"server judge: {len(methods - OUT_OF_SCOPE)} methods of Apple's client called; left out: retention messaging")
print(f"server judge: {checks} checks, {len(failures)} failed")
sys.exit(1 if failures else 0)
