"""A purchase or refund is lost when the server is killed after it has answered and before it has written.

It writes what it has taken when there is time, and asks the history only for what it did not answer.
"""

from right import RightServer, serve


class Server(RightServer):
    history_filter = {"onlyFailures": True}

    def __init__(self, environment):
        super().__init__(environment)
        self.taken = []

    def notify(self, signed_payload):
        self.verifier.verify(signed_payload)
        self.taken.append(signed_payload)

    def respond(self, *request):
        taken, self.taken = self.taken, []
        for signed_payload in taken:
            self.receive(signed_payload)
        return super().respond(*request)

    def recover_transactions(self):
        pass


if __name__ == "__main__":
    serve(Server)
