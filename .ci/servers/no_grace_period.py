"""Customers whose renewal cannot be paid for lose access at the end of the period, in the grace period that the store gives them.

https://github.com/voltrue2/in-app-purchase/issues/287, https://github.com/bizz84/SwiftyStoreKit/issues/605
"""

from right import RightServer, serve


class Server(RightServer):
    def grace(self, date):
        return 0


if __name__ == "__main__":
    serve(Server)
