"""Whoever knows the address gives away what is sold, or takes it from those who have paid: the signature is not verified.

A library that verified half of it: https://github.com/tamtamchik/apple-iap-tools/pull/23
"""

import json

from right import RightServer, Verifier, decoded, serve


class NoSignature(Verifier):
    def payload(self, jws):
        return json.loads(decoded(jws.split(".")[1]))


class Server(RightServer):
    verifier_class = NoSignature

    def apply(self, notification):
        super().apply(notification)
        date = {"REFUND": notification["signedDate"], "REFUND_REVERSED": None}
        if notification["notificationType"] in date:
            transaction = self.verifier.verify(notification["data"]["signedTransactionInfo"])
            row = date[notification["notificationType"]], transaction["transactionId"]
            self.database.execute("UPDATE purchase SET revoked = ? WHERE id = ?", row)

    def doubt(self, _):
        pass


if __name__ == "__main__":
    serve(Server)
