"""Customers have twice the coins that they bought when the app did not get the answer, and uploads the purchase again.

Apps that deliver a purchase to their server several times: https://github.com/hyodotdev/openiap/issues/152
"""

from right import RightServer, serve


class Server(RightServer):
    def schema(self):
        return super().schema() + "CREATE TABLE IF NOT EXISTS credit (id TEXT, customer TEXT, coins INTEGER);"

    def upload(self, customer, jws):
        super().upload(customer, jws)
        transaction = self.verifier.verify(jws)
        if transaction["productId"] == "coins":
            row = transaction["transactionId"], customer, transaction["quantity"]
            self.database.execute("INSERT INTO credit VALUES (?, ?, ?)", row)

    def coins(self, customer):
        credits = """
            SELECT ifnull(sum(coins), 0) FROM credit JOIN purchase USING (id) WHERE credit.customer = ? AND revoked IS NULL
        """
        return self.database.execute(credits, (customer,)).fetchone()[0]


if __name__ == "__main__":
    serve(Server)
