"""Judges what our stores issue, by programs that share no code with them: judges.py FOLDER

FOLDER is one that `sign-samples` has written. Each judge has to accept what is right and to refuse each defect that it can
see; a defect that it cannot see is listed with the reason, and has to be accepted, so that the list stays true. That every
form was judged with every defect that it can have is a check as well: a folder with fewer samples fails.
"""

import base64
import json
import pathlib
import random
import re
import subprocess
import sys
import warnings

import jwt
from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.receipt_utility import ReceiptUtility
from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding
from cryptography.hazmat.primitives.serialization import Encoding, pkcs7

# Receipts have their certificates in the order of the chain, as the App Store's, not in that of DER; and some tampered
# certificates are odd.
warnings.simplefilter("ignore")

APPLE = "Apple's verifier"
CMS = "openssl cms"
SIGNATURE = "cryptography and openssl verify"
UNSEEN = {
    (APPLE, "revoked"): "it asks the OCSP responder, and only online, as online_judge.py does; openssl verify judges the list",
    (CMS, "missingLeafMarker"): "it does not know Apple's extensions",
    (CMS, "missingIntermediateMarker"): "it does not know Apple's extensions",
    (CMS, "chainOfFour"): "it takes a chain of any length",
    (CMS, "revoked"): "it is not given the list; openssl verify is",
    (SIGNATURE, "missingLeafMarker"): "they do not know Apple's extensions",
}
# What a chain of one certificate and one of three can have, listed here, since the samples' own list may lack something.
LEAF_DEFECTS = {"expiredLeaf", "missingLeafMarker", "foreignRoot", "wrongKey"}
DEFECTS = LEAF_DEFECTS | {"missingIntermediateMarker", "chainOfOne", "chainOfFour", "revoked"}
TYPES = {"Consumable", "Non-Consumable", "Non-Renewing Subscription", "Auto-Renewable Subscription"}
# What Apple's library has no name for.
UNREAD = {"requestDate"}
OTHERWISE_UNSEEN = [
    "Apple's verifier: signatures in Xcode's form, which it does not verify; PyJWT does",
    "Apple's library: the `requestDate` of Xcode's app transactions",
    "Apple's verifier: the unused bits of a signature's last character",
    "Apple's receipt utility: any signature, and all that a receipt says but one transaction's identifier",
    "openssl cms: a receipt's versions and its copies of the intermediate and the root, which it has or does not need",
    "cryptography's PKCS#7 parser: any signature, any defect of a chain, and all but the certificates; openssl cms judges those",
    "cryptography: the number of unused bits in a certificate's signature, if it is changed to 1 and the last bit is 0",
    "any of them: a transaction receipt's environment, pod and signing status, which no signature covers",
    "any of them: Xcode's own verification, and devices' (`deviceVerification`, the device's hash)",
]
TAMPERINGS = 200

folder = pathlib.Path(sys.argv[1])
manifest = json.loads((folder / "manifest.json").read_text())
root = x509.load_pem_x509_certificate((folder / "root.pem").read_bytes())
bits = random.Random(14)
checks = 0
failures = []
# What has had a verdict: samples by what they are, and judges with the defects that they were shown.
judged = set()
shown = set()


def expect(is_right, what):
    global checks
    checks += 1
    if not is_right:
        failures.append(what)
        print(f"FAILED: {what}")


def accepts(judge, *arguments):
    try:
        return judge(*arguments) is not False
    except Exception:
        return False


def kind(sample):
    """What a sample is, but for the purchase in it."""
    store = "xcode" if sample["isXcode"] else "production" if sample["isProduction"] else "sandbox"
    return sample["form"], sample.get("digest"), store, sample.get("defect")


def expected_kinds():
    """Each form with each defect that it can have; JWS and transaction receipts in the digests and the stores they know."""
    kinds = set()
    for form in ("transaction", "renewal", "appTransaction"):
        kinds |= {(form, None, "sandbox", defect) for defect in {None} | DEFECTS}
        kinds |= {(form, None, store, None) for store in ("production", "xcode")}
    for digest in ("sha1", "sha256"):
        kinds |= {("appReceipt", digest, "sandbox", defect) for defect in {None} | DEFECTS}
        kinds |= {("transactionReceipt", digest, "sandbox", defect) for defect in {None} | LEAF_DEFECTS}
    kinds |= {("appReceipt", "sha256", store, None) for store in ("production", "xcode")}
    kinds.add(("transactionReceipt", "sha256", "production", None))
    return kinds


def judge_samples(samples):
    """Whether nothing was left out: no form, no defect, no type of product, and nothing that a judge does not see."""
    for missing in sorted(map(str, expected_kinds() - judged)):
        expect(False, f"a sample of {missing} should have been judged")
    for unknown in sorted(map(str, judged - expected_kinds())):
        expect(False, f"{unknown} is a kind of sample that judges.py does not list")
    for key in UNSEEN:
        expect(key in shown, f"{key[0]} should have been shown {key[1]}")
    types = {}
    for sample in samples:
        if sample["form"] == "transaction":
            content = json.loads((folder / sample["content"]).read_bytes())
            types[content["transactionId"]] = content["type"]
    for form, digest, store, defect in expected_kinds():
        if form not in ("transaction", "transactionReceipt"):
            continue
        found = set()
        for sample in samples:
            if kind(sample) != (form, digest, store, defect):
                continue
            identifier = sample.get("transactionId")
            if identifier is None:
                identifier = json.loads((folder / sample["content"]).read_bytes())["transactionId"]
            found.add(types.get(identifier))
        expect(found == TYPES, f"{form} {digest} {store} {defect} should have a product of each type, not of {found}")


def judge_chain(name, sample, judge, data):
    """One judge's verdict about a sample's defect, or the lack of one."""
    defect = sample.get("defect")
    judged.add(kind(sample))
    shown.add((name, defect))
    is_expected = defect is None or (name, defect) in UNSEEN
    verb = "accept" if is_expected else "refuse"
    expect(accepts(judge, data) == is_expected, f"{name} should {verb} {sample['file']}")


def judge_tamperings(name, sample, judge, data, places):
    """Single bits, anywhere in some places, none of which may be another."""
    for _ in range(TAMPERINGS):
        place, bit = bits.choice(places), bits.randrange(8)
        tampered = bytearray(data)
        tampered[place] ^= 1 << bit
        expect(not accepts(judge, bytes(tampered)), f"{name} should refuse {sample['file']} with bit {bit} of {place}")


def openssl(*arguments, data=None):
    return subprocess.run(["openssl", *map(str, arguments)], input=data, cwd=folder, capture_output=True)


def write_pem(name, certificate):
    (folder / name).write_bytes(certificate.public_bytes(Encoding.PEM))


def judge_order(sample, chain):
    is_ordered = all(one.issuer == issuer.subject for one, issuer in zip(chain, chain[1:]))
    expect(is_ordered, f"the certificates of {sample['file']} should be in the order of the chain")


def judge_revocation(sample, chain):
    """openssl verify with the list of revoked certificates."""
    leaf, intermediate, _ = chain
    write_pem("leaf.pem", leaf)
    write_pem("intermediate.pem", intermediate)
    result = openssl(
        "verify", "-x509_strict", "-crl_check", "-CRLfile", manifest["revocationList"], "-attime", manifest["date"],
        "-CAfile", "root.pem", "-untrusted", "intermediate.pem", "leaf.pem",
    )
    is_good = sample.get("defect") is None
    expect((result.returncode == 0) == is_good, f"openssl verify should know whether {sample['file']} is revoked")


def judge_jws(sample):
    data = (folder / sample["file"]).read_bytes()
    header = jwt.get_unverified_header(data.decode())
    chain = [x509.load_der_x509_certificate(base64.b64decode(one)) for one in header["x5c"]]
    environment = Environment.SANDBOX
    if sample["isXcode"]:
        environment = Environment.XCODE
    if sample["isProduction"]:
        environment = Environment.PRODUCTION
    verifier = SignedDataVerifier(
        [root.public_bytes(Encoding.DER)], False, environment, manifest["bundleId"], manifest["appAppleId"]
    )
    verify = {
        "transaction": verifier.verify_and_decode_signed_transaction,
        "renewal": verifier.verify_and_decode_renewal_info,
        "appTransaction": verifier.verify_and_decode_app_transaction,
    }[sample["form"]]
    decode = lambda data: verify(data.decode("latin-1"))
    name, judge = APPLE, decode
    if sample["isXcode"]:
        key = chain[0].public_key()
        name, judge = "PyJWT", lambda data: jwt.decode(data.decode("latin-1"), key, algorithms=["ES256"])
    judge_chain(name, sample, judge, data)
    if sample.get("defect") in (None, "revoked") and not sample["isXcode"]:
        judge_order(sample, chain)
        judge_revocation(sample, chain)
    if sample.get("defect") is None:
        judge_tamperings(name, sample, judge, data, range(len(data) - 1))
        decoded = decode(data)
        for field, value in json.loads((folder / sample["content"]).read_bytes()).items():
            if field in UNREAD:
                continue
            read = getattr(decoded, field)
            expect(getattr(read, "value", read) == value, f"Apple's library should read {field} of {sample['file']}")


def judge_app_receipt(sample):
    data = (folder / sample["file"]).read_bytes()
    content = (folder / sample["content"]).read_bytes()
    chain = pkcs7.load_der_pkcs7_certificates(data)
    judge_order(sample, chain)
    trusted = root
    if sample["isXcode"]:
        [trusted] = chain
    write_pem("trusted.pem", trusted)
    identifier = ReceiptUtility().extract_transaction_id_from_app_receipt(base64.b64encode(data).decode())
    expect(identifier == sample["transactionId"], f"Apple's receipt utility should read {sample['file']}")

    # Xcode's certificate is for code, which openssl takes as unfit for mail.
    purposes = [["-purpose", "any"]] + ([] if sample["isXcode"] else [[]])
    for purpose in purposes:
        def judge(data):
            command = ["cms", "-verify", "-inform", "DER", "-CAfile", "trusted.pem", "-attime", manifest["date"], *purpose]
            result = openssl(*command, data=data)
            return result.returncode == 0 and result.stdout == content

        judge_chain(CMS, sample, judge, data)
    if sample.get("defect") is None:
        leaf = chain[0].public_bytes(Encoding.DER)
        # The signature comes last, but for the ends of Xcode's elements of indefinite length.
        end = len(data) - (6 if sample["isXcode"] else 0)
        places = [*span(data, content), *span(data, leaf), *range(end - 256, end)]
        judge_tamperings(CMS, sample, judge, data, places)
    if sample.get("defect") in (None, "revoked") and not sample["isXcode"]:
        judge_revocation(sample, chain)


def span(data, part):
    start = data.index(part)
    return range(start, start + len(part))


def judge_transaction_receipt(sample):
    receipt = (folder / sample["file"]).read_bytes()
    identifier = ReceiptUtility().extract_transaction_id_from_transaction_receipt(base64.b64encode(receipt).decode())
    expect(identifier == sample["transactionId"], f"Apple's receipt utility should read {sample['file']}")
    blob, information = (
        base64.b64decode(re.search(rb'"%s" = "([^"]*)"' % key, receipt)[1], validate=True)
        for key in (b"signature", b"purchase-info")
    )
    end = 1 + {2: 128, 3: 256}[blob[0]]
    certificate = x509.load_der_x509_certificate(blob[end + 4:])

    def is_signed(data):
        length = int.from_bytes(data[end:end + 4], "big")
        message = data[end + 4 + length:]
        if len(message) != len(information):
            return False
        leaf = x509.load_der_x509_certificate(data[end + 4:end + 4 + length])
        leaf.verify_directly_issued_by(root)
        leaf.public_key().verify(data[1:end], data[:1] + message, padding.PKCS1v15(), hashes.SHA1())

    def judge(data):
        is_signed(data)
        write_pem("leaf.pem", certificate)
        return openssl("verify", "-attime", manifest["date"], "-CAfile", "root.pem", "leaf.pem").returncode == 0

    judge_chain(SIGNATURE, sample, judge, blob + information)
    if sample.get("defect") is None:
        unused_bits = len(blob) - len(certificate.signature) - 1
        places = [place for place in range(len(blob + information)) if place != unused_bits]
        judge_tamperings(SIGNATURE, sample, is_signed, blob + information, places)


JUDGES = {
    "transaction": judge_jws, "renewal": judge_jws, "appTransaction": judge_jws,
    "appReceipt": judge_app_receipt, "transactionReceipt": judge_transaction_receipt,
}
for sample in manifest["samples"]:
    try:
        JUDGES[sample["form"]](sample)
    except Exception as error:
        expect(False, f"{sample['file']}: {error!r}")
judge_samples(manifest["samples"])
for (name, defect), reason in UNSEEN.items():
    print(f"not seen by {name}: {defect}, because {reason}")
for line in OTHERWISE_UNSEEN:
    print(f"not seen by {line}")
print(f"judges: {checks} checks, {len(failures)} failed; {len(UNSEEN) + len(OTHERWISE_UNSEEN)} lines name what they do not see")
sys.exit(1 if failures else 0)
