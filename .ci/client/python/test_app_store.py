"""A server's tests, each with an App Store of its own: `pytest`, or `pytest -n 2` with pytest-xdist."""

import base64
import http.server
import importlib
import json
import queue
import ssl
import threading
import urllib.request
import uuid

import pytest
from app_store_sandbox import AppStoreError

try:
    import appstoreserverlibrary.models as apples_models
    from appstoreserverlibrary.api_client import AppStoreServerAPIClient
    from appstoreserverlibrary.models.DefaultConfigurationRequest import DefaultConfigurationRequest
    from appstoreserverlibrary.models.Environment import Environment
    from appstoreserverlibrary.models.MessageState import MessageState
    from appstoreserverlibrary.models.PerformanceTestRequest import PerformanceTestRequest
    from appstoreserverlibrary.models.RealtimeUrlRequest import RealtimeUrlRequest
    from appstoreserverlibrary.models.UploadMessageRequestBody import UploadMessageRequestBody
    from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier, VerificationException
except ImportError:
    SignedDataVerifier = None
needs_apples_library = pytest.mark.skipif(SignedDataVerifier is None, reason="pip install app-store-server-library")

PRODUCTS = [
    {"id": "castle", "kind": "nonConsumable", "price": "9.99"},
    {"id": "pro.monthly", "kind": "autoRenewable", "price": "4.99", "group": "pro", "period": "P1M"},
    {"id": "com.example.castles.aca.generic.subscription", "kind": "autoRenewable", "price": "0.29"},
]


class Backend(http.server.ThreadingHTTPServer):
    """Takes the place of the server that is tested: it keeps the notifications that the App Store posts."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_port}/notifications"
        self.payloads = queue.Queue()
        self.choice = {}

    def next(self):
        """Waits for a notification, and returns its signed payload and what is in it."""
        signed = self.payloads.get(timeout=60)
        return signed, decoded(signed)


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.payloads.put(body["signedPayload"])
        answer = json.dumps(self.server.choice).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


def decoded(jws):
    """Returns what is in a JWS, unverified."""
    payload = jws.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))


@pytest.fixture
def backend():
    with Backend() as backend:
        threading.Thread(target=backend.serve_forever, daemon=True).start()
        yield backend
        backend.shutdown()


@pytest.fixture
def app_store_options(backend):
    return {"products": PRODUCTS, "notificationURL": backend.url, "bundleIdentifier": "com.example.castles"}


@pytest.fixture
def verifier(app_store):
    """Apple's own, below the store's root."""
    root = ssl.PEM_cert_to_DER_cert(app_store.root)
    return SignedDataVerifier([root], False, Environment.SANDBOX, app_store.bundleIdentifier)


def test_purchase(app_store):
    castle = app_store.buy("castle")
    assert (castle["product"], castle["state"]) == ("castle", "purchased")
    assert [row["product"] for row in app_store.rows("transactions")] == ["castle"]


def test_refusal(app_store):
    with pytest.raises(AppStoreError) as refusal:
        app_store.buy("castel")
    assert (refusal.value.status, refusal.value.suggestion) == (422, "castle")


@needs_apples_library
def test_apples_library_accepts_a_transaction(app_store, verifier):
    castle = app_store.buy("castle")
    key = app_store.privateKey.encode()
    client = AppStoreServerAPIClient(
        key, app_store.keyIdentifier, app_store.issuer, app_store.bundleIdentifier, Environment.SANDBOX
    )
    client._base_url = app_store.url.rstrip("/")
    signed = client.get_transaction_info(castle["transaction"]).signedTransactionInfo
    assert verifier.verify_and_decode_signed_transaction(signed).productId == "castle"
    forged = f"{signed[:-4]}AAAA"
    with pytest.raises(VerificationException):
        verifier.verify_and_decode_signed_transaction(forged)


def test_notification(app_store, backend):
    app_store.buy("pro.monthly")
    signed, notification = backend.next()
    assert (notification["notificationType"], notification["subtype"]) == ("SUBSCRIBED", "INITIAL_BUY")
    if SignedDataVerifier is not None:
        root = ssl.PEM_cert_to_DER_cert(app_store.root)
        verifier = SignedDataVerifier([root], False, Environment.SANDBOX, app_store.bundleIdentifier)
        assert verifier.verify_and_decode_notification(signed).rawNotificationType == "SUBSCRIBED"


@needs_apples_library
def test_retention_message(app_store, backend, verifier):
    key = app_store.privateKey.encode()
    client = AppStoreServerAPIClient(
        key, app_store.keyIdentifier, app_store.issuer, app_store.bundleIdentifier, Environment.SANDBOX
    )
    client._base_url = app_store.url.rstrip("/")
    subscription = app_store.buy("pro.monthly")["transaction"]
    backend.next()
    message = uuid.uuid4()
    client.upload_message(message, UploadMessageRequestBody(header="Stay", body="Your castles wait."))
    assert [row.messageState for row in client.get_message_list().messageIdentifiers] == [MessageState.APPROVED]
    client.configure_default_message("pro.monthly", "en-US", DefaultConfigurationRequest(messageIdentifier=message))
    assert client.get_default_message("pro.monthly", "en-US").messageIdentifier == message
    client.configure_realtime_url(RealtimeUrlRequest(realtimeURL=backend.url))
    assert client.get_realtime_url().realtimeURL == backend.url
    # Longer than the App Store waits, for a machine with much to do.
    app_store.request("PATCH", "server", {"retentionTimeout": 60})
    backend.choice = {"message": {"messageIdentifier": str(message)}}
    [page] = app_store.perform("view-cancellation")["pages"]
    assert (page["source"], page["header"], page["refusal"]) == ("server", "Stay", None)
    question = verifier.verify_and_decode_realtime_request(backend.next()[0])
    assert (question.originalTransactionId, question.productId) == (subscription, "pro.monthly")
    test = client.initiate_performance_test(PerformanceTestRequest(originalTransactionId=subscription))
    assert verifier.verify_and_decode_realtime_request(backend.next()[0]).productId == "pro.monthly"
    assert client.get_performance_test_results(test.requestId).target == backend.url


def model_type(name):
    """Returns a type of Apple's library for the Advanced Commerce API."""
    module = importlib.import_module(f"{apples_models.__name__}.AdvancedCommerce{name}")
    return getattr(module, f"AdvancedCommerce{name}")


def model(name, **values):
    """Makes a value of Apple's library for the Advanced Commerce API."""
    return model_type(name)(**values)


@needs_apples_library
def test_advanced_commerce(app_store, verifier):
    key = app_store.privateKey.encode()
    client = AppStoreServerAPIClient(
        key, app_store.keyIdentifier, app_store.issuer, app_store.bundleIdentifier, Environment.SANDBOX
    )
    client._base_url = app_store.url.rstrip("/")
    generic = "com.example.castles.aca.generic.subscription"

    def info():
        return model("RequestInfo", requestReferenceId=uuid.uuid4())

    # The library has the functions' bodies and answers; it does not send them yet.
    def call(path, transaction, request, response, **values):
        answer = client._make_request(
            f"/advancedCommerce/v1/{path}/{transaction}",
            "POST",
            {},
            model(request, requestInfo=info(), **values),
            model_type(response),
        )
        renewal = answer.signedRenewalInfo and verifier.verify_and_decode_renewal_info(answer.signedRenewalInfo)
        return verifier.verify_and_decode_signed_transaction(answer.signedTransactionInfo), renewal

    def subscribe(sku):
        request = model(
            "SubscriptionCreateRequest",
            requestInfo=info(),
            currency="USD",
            taxCode="C003-00-1",
            rawPeriod="P1M",
            descriptors=model("Descriptors", displayName="Pass", description="Channels"),
            items=[
                model("SubscriptionCreateItem", SKU=name, displayName="Item", description="All of it", price=price)
                for name, price in ((sku, 5000), (f"{sku}.more", 1000))
            ],
        )
        return app_store.buy(generic, request=json.dumps(client._get_request_json(request)))["transaction"]

    news = subscribe("news")
    texts = model("SubscriptionChangeMetadataDescriptors", displayName="New Pass", rawEffective="IMMEDIATELY")
    transaction, _ = call(
        "subscription/changeMetadata",
        news,
        "SubscriptionChangeMetadataRequest",
        "SubscriptionChangeMetadataResponse",
        descriptors=texts,
    )
    assert transaction.advancedCommerceInfo.descriptors.displayName == "New Pass"
    _, renewal = call(
        "subscription/changePrice",
        news,
        "SubscriptionPriceChangeRequest",
        "SubscriptionPriceChangeResponse",
        currency="USD",
        items=[model("SubscriptionPriceChangeItem", SKU="news", price=6000)],
    )
    assert renewal.advancedCommerceInfo.items[0].priceIncreaseInfo.price == 6000
    _, renewal = call("subscription/cancel", news, "SubscriptionCancelRequest", "SubscriptionCancelResponse")
    assert renewal.autoRenewStatus == 0
    item = model("RequestRefundItem", SKU="news.more", rawRefundType="FULL", rawRefundReason="OTHER", revoke=False)
    transaction, _ = call(
        "transaction/requestRefund",
        news,
        "RequestRefundRequest",
        "RequestRefundResponse",
        items=[item],
        refundRiskingPreference=False,
    )
    assert transaction.advancedCommerceInfo.items[1].refunds[0].refundAmount == 1000
    transaction, _ = call(
        "subscription/revoke",
        news,
        "SubscriptionRevokeRequest",
        "SubscriptionRevokeResponse",
        rawRefundType="FULL",
        rawRefundReason="LEGAL",
        refundRiskingPreference=False,
    )
    assert transaction.revocationDate is not None
    pro = app_store.buy("pro.monthly")["transaction"]
    _, renewal = call(
        "subscription/migrate",
        pro,
        "SubscriptionMigrateRequest",
        "SubscriptionMigrateResponse",
        targetProductId=generic,
        taxCode="C003-00-1",
        descriptors=model("SubscriptionMigrateDescriptors", displayName="Pro", description="All castles"),
        items=[model("SubscriptionMigrateItem", SKU="pro", displayName="Pro", description="All castles")],
    )
    assert (renewal.autoRenewProductId, renewal.advancedCommerceInfo.items[0].SKU) == (generic, "pro")


def test_renewal(app_store, backend):
    app_store.buy("pro.monthly")
    app_store.advance("1y")
    assert len(app_store.rows("transactions", product="pro.monthly")) == 13
    assert [backend.next()[1]["notificationType"] for _ in range(13)] == ["SUBSCRIBED"] + ["DID_RENEW"] * 12


def test_refund(app_store, backend):
    castle = app_store.buy("castle")
    assert app_store.refund(castle["transaction"])["refund"] == 9.99
    assert backend.next()[1]["notificationType"] == "ONE_TIME_CHARGE"
    notification = backend.next()[1]
    assert notification["notificationType"] == "REFUND"
    assert "revocationDate" in decoded(notification["data"]["signedTransactionInfo"])


def test_receipt(app_store):
    app_store.buy("castle")
    receipt = app_store.perform("receipt")["receipt"]
    body = json.dumps({"receipt-data": receipt}).encode()
    with urllib.request.urlopen(urllib.request.Request(f"{app_store.sandboxURL}/verifyReceipt", body), timeout=60) as response:
        answer = json.load(response)
    assert (answer["status"], answer["receipt"]["in_app"][0]["product_id"]) == (0, "castle")


@pytest.mark.parametrize("months", range(1, 9))
def test_stores_know_nothing_of_each_other(app_store, months):
    app_store.buy("pro.monthly")
    app_store.advance(f"{months}mo")
    assert len(app_store.rows("transactions")) == 1 + months
