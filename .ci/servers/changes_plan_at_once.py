"""Customers who choose a cheaper plan from the next renewal on lose the one that they have paid for.

A developer who is not told from which day a downgrade counts: https://github.com/iaphub/react-native-iaphub/issues/76
"""

from right import RightServer, serve


class Server(RightServer):
    def apply(self, notification):
        super().apply(notification)
        if notification["notificationType"] == "DID_CHANGE_RENEWAL_PREF":
            transaction, renewal = (
                self.verifier.verify(notification["data"][name]) for name in ("signedTransactionInfo", "signedRenewalInfo")
            )
            change = "UPDATE purchase SET product = ? WHERE id = ?"
            self.database.execute(change, (renewal["autoRenewProductId"], transaction["transactionId"]))


if __name__ == "__main__":
    serve(Server)
