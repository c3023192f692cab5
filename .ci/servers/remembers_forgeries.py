"""Customers lose a purchase if somebody has posted a forgery of its notification before: the genuine one has the same UUID.

The UUID is kept before the signature is verified.
"""

import json

from right import RightServer, decoded, serve


class Server(RightServer):
    def receive(self, signed_payload):
        if not self.is_known(json.loads(decoded(signed_payload.split(".")[1]))):
            self.apply(self.verifier.verify(signed_payload))


if __name__ == "__main__":
    serve(Server)
