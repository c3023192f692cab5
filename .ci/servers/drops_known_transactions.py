"""Customers keep what was refunded: a transaction that the server has is not read again, and the revocation is in it.

The same in a library for apps: https://github.com/qonversion/qonversion-ios-sdk/pull/739
"""

from right import RightServer, serve


class Server(RightServer):
    def take(self, transaction, customer=None):
        known = "SELECT 1 FROM purchase WHERE id = ?"
        if not self.database.execute(known, (transaction["transactionId"],)).fetchone():
            super().take(transaction, customer)


if __name__ == "__main__":
    serve(Server)
