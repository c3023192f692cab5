"""Customers whose refund was taken back have paid, and do not get back what they bought.

A library that did not have the type: https://github.com/richzw/appstore/issues/17
"""

from right import RightServer, serve


class Server(RightServer):
    def revocation(self, transaction):
        known = "SELECT revoked FROM purchase WHERE id = ?"
        return self.database.execute(known, (transaction["transactionId"],)).fetchone()[0] or super().revocation(transaction)


if __name__ == "__main__":
    serve(Server)
