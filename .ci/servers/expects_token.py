"""Families do not get what they share: the server refuses each transaction that has no token of an account."""

from right import RightServer, serve


class Server(RightServer):
    def take(self, transaction, customer=None):
        super().take(transaction, transaction["appAccountToken"])


if __name__ == "__main__":
    serve(Server)
