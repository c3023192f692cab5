"""A server that keeps what customers bought, for the tests of ServerSimulation.

FAULT in its environment names one mistake, which it then makes.
It compares the root of a certificate chain with the store's, and does not verify the chain itself: enough for a test.
"""
import base64, hashlib, json, os, sqlite3, sys, time, urllib.error, urllib.parse, urllib.request
from http.server import BaseHTTPRequestHandler, HTTPServer

FAULT = os.environ.get("FAULT", "")
# The message for subscribers who are about to cancel; empty if there is none.
MESSAGE = os.environ.get("MESSAGE", "")
P = 2**256 - 2**224 + 2**192 + 2**96 - 1
N = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
G = (0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
     0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5)


def add(a, b):
    """Adds two points of P-256 in Jacobian coordinates; a point at infinity has z = 0."""
    (x1, y1, z1), (x2, y2, z2) = a, b
    if not z1 or not z2:
        return b if not z1 else a
    u1, u2 = x1 * z2 * z2 % P, x2 * z1 * z1 % P
    s1, s2 = y1 * z2 * z2 * z2 % P, y2 * z1 * z1 * z1 % P
    h, r = u2 - u1, s2 - s1
    if not h:
        return double(a) if not r else (1, 1, 0)
    h2 = h * h % P
    h3 = h2 * h % P
    x = (r * r - h3 - 2 * u1 * h2) % P
    return x, (r * (u1 * h2 - x) - s1 * h3) % P, h * z1 * z2 % P


def double(a):
    x, y, z = a
    y2, z2 = y * y % P, z * z % P
    s, m = 4 * x * y2 % P, 3 * (x - z2) * (x + z2) % P
    x = (m * m - 2 * s) % P
    return x, (m * (s - x) - 8 * y2 * y2) % P, 2 * y * z % P


def sum_x(u, a, v, b):
    """Returns the x coordinate of u * a + v * b."""
    a, b = (*a, 1), (*b, 1)
    both, total = add(a, b), (1, 1, 0)
    for bit in range(255, -1, -1):
        total = double(total)
        which = (u >> bit & 1, v >> bit & 1)
        if which != (0, 0):
            total = add(total, {(1, 0): a, (0, 1): b, (1, 1): both}[which])
    return total[0] * pow(total[2], -2, P) % P if total[2] else 0


def number(data):
    return int.from_bytes(data, "big")


def decode(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def encode(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


ROOT = open(os.environ["STORE_ROOT"], "rb").read()


def payload(jws):
    """Returns the payload of a JWS of the store; raises ValueError for a forged one."""
    header, body, signature = jws.split(".")
    if FAULT != "trusts":
        chain = [base64.b64decode(part) for part in json.loads(decode(header))["x5c"]]
        place = chain[0].index(b"\x03\x42\x00\x04") + 4
        key = number(chain[0][place:place + 32]), number(chain[0][place + 32:place + 64])
        digest = number(hashlib.sha256(f"{header}.{body}".encode()).digest())
        r, s = number(decode(signature)[:32]), pow(number(decode(signature)[32:]), -1, N)
        if chain[-1] != ROOT or sum_x(digest * s % N, G, r * s % N, key) % N != r:
            raise ValueError("forged")
    return json.loads(decode(body))


def token():
    """Returns a token for the App Store Server API."""
    pem = "".join(open(os.environ["STORE_KEY"]).read().split("\n")[1:-2])
    der = base64.b64decode(pem)
    secret = number(der[der.index(b"\x02\x01\x01\x04\x20") + 5:][:32])
    claims = {"iss": os.environ["STORE_ISSUER_ID"], "aud": "appstoreconnect-v1", "iat": int(time.time()),
              "exp": int(time.time()) + 600, "bid": os.environ["STORE_BUNDLE_ID"]}
    head = {"alg": "ES256", "kid": os.environ["STORE_KEY_ID"], "typ": "JWT"}
    text = ".".join(encode(json.dumps(part).encode()) for part in (head, claims))
    nonce = number(os.urandom(31)) + 1
    r = sum_x(nonce, G, 0, G) % N
    s = pow(nonce, -1, N) * (number(hashlib.sha256(text.encode()).digest()) + r * secret) % N
    return text + "." + encode(r.to_bytes(32, "big") + s.to_bytes(32, "big"))


base = sqlite3.connect(os.path.join(os.environ["DATA"], "server.db"))
base.executescript("""
    pragma journal_mode = wal;
    pragma synchronous = off;
    create table if not exists sales (id text primary key, original text, signed int, content text);
    create table if not exists owners (original text primary key, customer text);
    create table if not exists graces (original text primary key, signed int, ends int);
    create table if not exists seen (uuid text primary key);
    create table if not exists credits (customer text, product text, count int);
""")


pending = []


def upload(body, customer):
    """Takes what an app uploads: a signed transaction, or only its identifier."""
    if "transactionId" in body:
        info = call("GET", "/inApps/v1/transactions/" + body["transactionId"])["signedTransactionInfo"]
    else:
        info = body["signedTransaction"]
    sale = payload(info)
    if FAULT != "early" or sale["type"] != "Consumable":
        return take(sale, customer)
    # Answers, and writes at the next upload.
    while pending:
        take(*pending.pop())
    pending.append((sale, customer))


def take(sale, customer=None):
    """Keeps a transaction, unless a newer state of it is known."""
    customer = customer or sale.get("appAccountToken")
    if customer:
        base.execute("insert or ignore into owners values (?, ?)", (sale["originalTransactionId"], customer))
    if FAULT == "credits twice" and sale["type"] == "Consumable":
        base.execute("insert into credits values (?, ?, ?)", (customer, sale["productId"], sale["quantity"]))
    base.execute(
        "insert into sales values (?, ?, ?, ?) on conflict (id) do update set signed = excluded.signed,"
        " content = excluded.content where excluded.signed >= sales.signed" + {
            "order": " or true", "trusts": " and excluded.signed > sales.signed"}.get(FAULT, ""),
        (sale["transactionId"], sale["originalTransactionId"], sale["signedDate"], json.dumps(sale)))


def notify(jws):
    """Takes a notification."""
    event = payload(jws)
    data = event.get("data", {})
    if data.get("environment") != "Sandbox" or data.get("bundleId") != os.environ["STORE_BUNDLE_ID"]:
        return
    if FAULT == "refunds" and event["notificationType"] == "REFUND":
        return
    if FAULT == "tests":
        ask("test")
    if FAULT in ("asks", "notes, then asks"):
        is_new = base.execute("insert or ignore into seen values (?)", (event["notificationUUID"],)).rowcount
        if FAULT == "notes, then asks":
            base.commit()
            if not is_new:
                return
        ask("history", {"startDate": event["signedDate"] - 86400000, "endDate": event["signedDate"] + 1000})
    if "signedTransactionInfo" in data:
        sale = json.loads(decode(data["signedTransactionInfo"].split(".")[1]))
        sale["signedDate"] = event["signedDate"]
        if FAULT == "trusts" and event["notificationType"] == "REFUND":
            sale["revocationDate"] = event["signedDate"]
        if FAULT != "early" or sale["type"] != "Consumable":
            take(sale)
    if "signedRenewalInfo" in data:
        renewal = json.loads(decode(data["signedRenewalInfo"].split(".")[1]))
        base.execute(
            "insert into graces values (?, ?, ?) on conflict (original) do update set signed = excluded.signed,"
            " ends = excluded.ends where excluded.signed >= graces.signed",
            (renewal["originalTransactionId"], event["signedDate"], renewal.get("gracePeriodExpiresDate", 0)))


def access(customer, now):
    """Returns what a customer may use."""
    products, coins = set(), 0
    for (content, ends) in base.execute(
            "select content, ifnull(ends, 0) from sales join owners using (original) left join graces"
            " using (original) where customer = ?", (customer,)):
        sale = json.loads(content)
        if sale.get("revocationDate"):
            continue
        if sale["type"] == "Consumable":
            coins += sale["quantity"]
        elif sale["type"] == "Non-Consumable":
            products.add(sale["productId"])
        else:
            # Only the last period of a subscription counts: an upgrade ends the one before.
            last = base.execute(
                "select id from sales where original = ? order by json_extract(content, '$.purchaseDate') desc,"
                " cast(id as int) desc", (sale["originalTransactionId"],)).fetchone()[0]
            newest = base.execute(
                "select original from sales join owners using (original) where customer = ?"
                " and json_extract(content, '$.productId') = ? order by cast(id as int) desc",
                (customer, sale["productId"])).fetchone()[0]
            if FAULT == "one subscription" and newest != sale["originalTransactionId"]:
                continue
            if last == sale["transactionId"] and max(sale["expiresDate"], ends) > now:
                products.add(sale["productId"])
    if FAULT == "credits twice":
        coins = base.execute("select ifnull(sum(count), 0) from credits where customer = ?", (customer,)).fetchone()[0]
    coins += sum(sale["quantity"] for sale, owner in pending if owner == customer)
    return {"products": sorted(products), "coins": coins}


def call(method, path, body=None):
    """Returns the API's answer."""
    return json.load(send(method, path, body))


def send(method, path, body=None):
    """Sends a request to the API, and returns the response."""
    request = urllib.request.Request(
        os.environ["STORE_URL"] + path, method=method, data=json.dumps(body).encode() if body is not None else None,
        headers={"Authorization": "Bearer " + token(), "Content-Type": "application/json"})
    return urllib.request.urlopen(request, timeout=60)


def ask(path, body={}):
    """Returns the API's answer to a question about notifications."""
    return call("POST", "/inApps/v1/notifications/" + path, body)


def catch_up():
    """Asks the store for the notifications of the last month, which is as far as the sandbox's history goes back."""
    now, page = int(os.environ["STORE_TIME"]), ""
    while page is not None:
        answer = ask("history" + page, {"startDate": now - 29 * 86400000, "endDate": now + 1000})
        for item in answer["notificationHistory"]:
            notify(item["signedPayload"])
        page = "?paginationToken=" + urllib.parse.quote(answer["paginationToken"]) if answer["hasMore"] else None
    base.commit()


class Handler(BaseHTTPRequestHandler):
    def answer(self, status, value=None):
        body = json.dumps(value if value is not None else {}).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        parts = self.path.split("?")[0].split("/")
        if parts[1] == "customers":
            return self.answer(200, access(parts[2], int(self.headers["Store-Time"])))
        self.answer(200)

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        try:
            if self.path == "/reset":
                for table in ("sales", "owners", "graces", "credits", "seen"):
                    base.execute("delete from " + table)
                pending.clear()
                if MESSAGE:
                    send("PUT", "/inApps/v1/messaging/message/" + MESSAGE, {"header": "Half price?", "body": "For a year."})
            elif self.path == "/retention":
                question = payload(body["signedPayload"])
                if FAULT == "chooses nothing":
                    return self.answer(200, {"message": {}})
                if FAULT == "never saw it" and not base.execute(
                        "select 1 from sales where original = ?", (question["originalTransactionId"],)).fetchone():
                    return self.answer(404)
                return self.answer(200, {"message": {"messageIdentifier": MESSAGE}})
            elif self.path == "/notifications" and FAULT == "refuses":
                raise ValueError("a notification")
            elif self.path == "/notifications":
                notify(body["signedPayload"])
            else:
                upload(body, self.path.split("/")[2])
            if FAULT == "dies" and body.get("signedPayload"):
                print("no room left", flush=True)
                sys.exit(3)
            if FAULT == "hangs" and body.get("signedTransaction"):
                time.sleep(3600)
            base.commit()
            if FAULT == "answers, then asks" and body.get("signedPayload"):
                # Without a length, the answer ends with the connection.
                self.send_response(200)
                self.end_headers()
                self.wfile.write(b"{}")
                return ask("history", {"startDate": 0, "endDate": 1})
            self.answer(200)
        except ValueError:
            base.rollback()
            self.answer(400)
        except urllib.error.HTTPError as error:
            base.rollback()
            self.answer(404 if error.code == 404 else 500)

    def log_message(self, *arguments):
        pass


if FAULT == "does not start":
    sys.exit("no database")
try:
    if FAULT != "history":
        catch_up()
except OSError:
    base.rollback()
HTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()
