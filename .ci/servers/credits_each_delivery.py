"""Customers have twice the coins that they bought when the App Store sends a notification again.

The same of another store's notifications: https://github.com/anomalyco/opencode/issues/28402
"""

from right import RightServer, serve


class Server(RightServer):
    def schema(self):
        return super().schema() + "CREATE TABLE IF NOT EXISTS credit (id TEXT, customer TEXT, coins INTEGER);"

    def is_known(self, notification):
        super().is_known(notification)
        return False

    def apply(self, notification):
        super().apply(notification)
        if notification["notificationType"] == "ONE_TIME_CHARGE":
            transaction = self.verifier.verify(notification["data"]["signedTransactionInfo"])
            if transaction["productId"] == "coins":
                row = transaction["transactionId"], transaction["appAccountToken"].lower(), transaction["quantity"]
                self.database.execute("INSERT INTO credit VALUES (?, ?, ?)", row)

    def coins(self, customer):
        credits = """
            SELECT ifnull(sum(coins), 0) FROM credit JOIN purchase USING (id) WHERE credit.customer = ? AND revoked IS NULL
        """
        return self.database.execute(credits, (customer,)).fetchone()[0]


if __name__ == "__main__":
    serve(Server)
