"""Customers who get one period back lose the subscription that they go on paying for.

Every transaction of the subscription is revoked, in place of the one that was refunded.
"""

from right import RightServer, serve


class Server(RightServer):
    def apply(self, notification):
        super().apply(notification)
        if notification["notificationType"] == "REFUND":
            transaction = self.verifier.verify(notification["data"]["signedTransactionInfo"])
            end = "UPDATE purchase SET revoked = ? WHERE original = ?"
            self.database.execute(end, (transaction["revocationDate"], transaction["originalTransactionId"]))

    def doubt(self, _):
        pass


if __name__ == "__main__":
    serve(Server)
