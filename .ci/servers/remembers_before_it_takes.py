"""A refund or renewal is lost when the server is killed after it has noted a notification and before it has taken what it says.

It asks the App Store in between, and takes the notification for a known one when it comes again.
"""

from right import RightServer, Unavailable, serve


class Server(RightServer):
    def receive(self, signed_payload):
        notification = self.verifier.verify(signed_payload)
        if self.is_known(notification):
            return
        try:
            data = notification.get("data", {})
            if "signedTransactionInfo" in data:
                transaction = self.verifier.verify(data["signedTransactionInfo"])
                self.ask(transaction["transactionId"], "expiresDate" in transaction)
        except Unavailable:
            with self.database:
                self.database.execute("BEGIN IMMEDIATE")
                self.apply(notification)

    def recover_transactions(self):
        pass


if __name__ == "__main__":
    serve(Server)
