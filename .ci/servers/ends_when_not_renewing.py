"""Customers who turn renewal off lose at once what they have paid for until the end of the period.

The status of the renewal passes for the status of the subscription.
"""

from right import RightServer, serve


class Server(RightServer):
    def take_renewal(self, renewal):
        super().take_renewal(renewal)
        if renewal["autoRenewStatus"] == 0:
            end = "UPDATE purchase SET expires = 0 WHERE original = ?"
            self.database.execute(end, (renewal["originalTransactionId"],))


if __name__ == "__main__":
    serve(Server)
