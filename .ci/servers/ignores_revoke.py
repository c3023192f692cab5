"""Whoever has left a family goes on using what the family has bought.

Libraries that learned of it later: https://github.com/RevenueCat/purchases-ios/pull/417,
https://github.com/benjaminmayo/merchantkit/issues/59
"""

from right import RightServer, serve


class Server(RightServer):
    def revocation(self, transaction):
        return super().revocation(transaction) if transaction["inAppOwnershipType"] == "PURCHASED" else None


if __name__ == "__main__":
    serve(Server)
