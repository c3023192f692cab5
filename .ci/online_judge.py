"""Judges the online checks of what a store signs: online_judge.py SANDBOX-STORE FOLDER

Fills a store in a file on the command line, and serves it with `sandbox-store serve`. Apple's verifier with online checks and
`openssl ocsp` have to get their answers from the server's OCSP responder: good for what the store signs, revoked for a revoked
leaf. What the command line printed before has to be accepted by the server and by Apple's verifier. The command of the article
on servers is tried as well.
"""

import base64
import json
import pathlib
import re
import ssl
import subprocess
import sys
import urllib.request
from datetime import datetime, timezone

from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier, VerificationException, VerificationStatus
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding

program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
article = pathlib.Path("Sources/StoreCore/StoreCore.docc/Articles/TestingYourServer.md").read_text()
products = pathlib.Path("Sources/sandbox-store/Resources/flutter__packages__Configuration_2.storekit").resolve()
checks = 0
failures = []


def expect(is_right, what):
    global checks
    checks += 1
    if not is_right:
        failures.append(what)
        print(f"FAILED: {what}")


def on_file(*words):
    """Performs a command on the store's file; returns what it printed."""
    command = [program, "--store", "shop.db", *words]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout.strip()


class Service:
    """A `sandbox-store serve` of the file, at a port of its own."""

    def __enter__(self):
        command = [program, "serve", "--store", "shop.db", "--json"]
        self.process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True)
        self.facts = json.loads(self.process.stdout.readline())
        self.url = self.facts["url"].rstrip("/")
        return self

    def __exit__(self, *_):
        self.process.terminate()
        expect(self.process.wait(60) == 0, "serve does not end well")

    def post(self, path, body, **headers):
        request = urllib.request.Request(f"{self.url}/{path}", json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)

    def perform(self, line):
        token = pathlib.Path(self.facts["token"]).read_text()
        return self.post("control/v1/commands", {"line": line}, Authorization=f"Bearer {token}")


def verifier(is_online):
    root = ssl.PEM_cert_to_DER_cert((folder / "shop.db.keys/root.pem").read_text())
    return SignedDataVerifier([root], is_online, Environment.SANDBOX, "com.example.app")


def status(jws, is_online=True):
    """What Apple's verifier says of an app's transaction; each verifier is new, as it keeps what it has asked."""
    try:
        verifier(is_online).verify_and_decode_app_transaction(jws)
        return VerificationStatus.OK
    except VerificationException as exception:
        return exception.status


def chain(jws):
    header = json.loads(base64.urlsafe_b64decode(jws.split(".")[0] + "=="))
    return [x509.load_der_x509_certificate(base64.b64decode(one)) for one in header["x5c"]]


def responder(certificate):
    [access] = certificate.extensions.get_extension_for_class(x509.AuthorityInformationAccess).value
    return access.access_location.value


def openssl(certificate, issuer, *options):
    """What `openssl ocsp` says of a certificate, once it has verified the response."""
    for name, one in [("leaf.pem", certificate), ("issuer.pem", issuer)]:
        (folder / name).write_bytes(one.public_bytes(Encoding.PEM))
    result = subprocess.run(
        ["openssl", "ocsp", *options, "-issuer", "issuer.pem", "-cert", "leaf.pem", "-url", responder(certificate),
         "-CAfile", "shop.db.keys/root.pem"], cwd=folder, capture_output=True, text=True,
    )
    expect("Response verify OK" in result.stderr, f"openssl ocsp does not verify the response: {result.stderr}")
    expect("WARNING" not in result.stderr, f"openssl ocsp warns: {result.stderr}")
    return re.search(r"^leaf.pem: (\w+)$", result.stdout, re.MULTILINE)[1]


on_file("init", str(products))
on_file("buy", "consumable")
receipt, early = on_file("receipt"), on_file("receipt", "--jws")
expect(status(early, is_online=False) == VerificationStatus.OK, "the command line's JWS is refused")

with Service() as service:
    answer = service.post("verifyReceipt", {"receipt-data": receipt})
    expect(answer["status"] == 0, f"the command line's receipt is refused: {answer['status']}")
    good = service.perform("receipt --jws")["jws"]
    leaf, intermediate, root = chain(good)
    for certificate in (leaf, intermediate):
        expect(responder(certificate) == f"{service.url}/ocsp", f"a certificate names {responder(certificate)}")
    expect(leaf.public_key() == chain(early)[0].public_key(), "a leaf that names the responder has another key")
    expect(status(good) == VerificationStatus.OK, f"Apple's verifier says {status(good)} with online checks")
    for options in ([], ["-sha256"], ["-no_nonce"]):
        expect(openssl(leaf, intermediate, *options) == "good", f"openssl ocsp refuses the leaf {options}")
        expect(openssl(intermediate, root, *options) == "good", f"openssl ocsp refuses the intermediate {options}")
    [shown] = re.findall(r"^openssl ocsp .*$", article, re.MULTILINE)
    shown = shown.replace("keys/", "shop.db.keys/").replace("http://127.0.0.1:8080", service.url)
    result = subprocess.run(shown, shell=True, cwd=folder, capture_output=True, text=True)
    expect("Response verify OK" in result.stderr and "jws.pem: good" in result.stdout, f"{shown}: {result}")
    # Of a revoked leaf, everything else is right, at present and when the store's clock is a year ahead.
    for time in ("now", "1y"):
        if time != "now":
            service.perform(f"advance {time}")
        service.perform("signature revokedCertificate")
        revoked = service.perform("receipt --jws")["jws"]
        service.perform("signature sound")
        sound = service.perform("receipt --jws")["jws"]
        expect(status(sound) == VerificationStatus.OK, f"{time}: Apple's verifier says {status(sound)}")
        expect(status(revoked, is_online=False) == VerificationStatus.OK, f"{time}: a revoked leaf is refused without online checks")
        expect(status(revoked) == VerificationStatus.VERIFICATION_FAILURE, f"{time}: a revoked leaf is {status(revoked)}")
        for certificate in chain(revoked):
            expect(certificate.not_valid_before_utc < datetime.now(timezone.utc) < certificate.not_valid_after_utc, f"{time}: the revoked leaf's dates")
        expect(openssl(chain(revoked)[0], chain(revoked)[1]) == "revoked", f"{time}: openssl ocsp accepts the revoked leaf")

expect(status(good) == VerificationStatus.RETRYABLE_VERIFICATION_FAILURE, f"Apple's verifier says {status(good)} of no responder")

# The next server has another port.
with Service() as service:
    moved = service.perform("receipt --jws")["jws"]
    expect(responder(chain(moved)[0]) == f"{service.url}/ocsp", "a certificate names an earlier server")
    expect(status(moved) == VerificationStatus.OK, f"Apple's verifier says {status(moved)} of the next server")

print(f"online judge: {checks} checks, {len(failures)} failed")
sys.exit(1 if failures else 0)
