"""A purchase in the other environment passes for one in this: testers use for free what others pay for, and their purchases hide
those of customers.

A library that does not tell the environments apart: https://github.com/voltrue2/in-app-purchase/issues/185
"""

from urllib.parse import urlsplit

from right import RightServer, Verifier, serve


class AnyEnvironment(Verifier):
    def is_here(self, environment):
        return True


class Server(RightServer):
    verifier_class = AnyEnvironment

    def __init__(self, environment):
        super().__init__(environment)
        self.url = environment["STORE_URL"]

    def apply(self, notification):
        # The environment that a notification names is the one whose API is asked.
        is_foreign = notification["data"]["environment"] != self.verifier.environment
        self.app_store.url = urlsplit(self.url + ("/production" if is_foreign else ""))
        super().apply(notification)

    def ask(self, identifier, is_subscription):
        if self.app_store.ask("GET", f"v1/transactions/{identifier}"):
            super().ask(identifier, is_subscription)
        else:
            self.database.execute("DELETE FROM purchase WHERE id = ?", (identifier,))


if __name__ == "__main__":
    serve(Server)
