"""Customers have not what they bought, or keep what was refunded, if the notification was lost with all its retries.

What a lost purchase costs: https://github.com/readest/readest/pull/5993
"""

from right import RightServer, serve


class Server(RightServer):
    def recover(self, _):
        pass


if __name__ == "__main__":
    serve(Server)
