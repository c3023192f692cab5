"""Customers who have upgraded have both plans until the old one would have ended, although the store has paid it back.

The same in a library for apps: https://github.com/bizz84/SwiftyStoreKit/issues/667
"""

from right import RightServer, serve


class Server(RightServer):
    def current(self, rows):
        return [row for _, *row in rows]


if __name__ == "__main__":
    serve(Server)
