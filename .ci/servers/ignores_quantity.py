"""Customers who buy three packs of coins in one purchase get one."""

from right import RightServer, serve


class Server(RightServer):
    def take(self, transaction, customer=None):
        super().take(transaction | {"quantity": 1}, customer)


if __name__ == "__main__":
    serve(Server)
