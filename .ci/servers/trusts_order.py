"""A renewal that is delivered late overwrites the refund after it: customers use what was paid back, or lose what they pay for.

The maintainers of Apple's library name the date of signing as what orders notifications:
https://github.com/apple/app-store-server-library-node/issues/32
"""

from right import RightServer, serve


class Server(RightServer):
    def is_newer(self, *_):
        return True

    def doubt(self, _):
        pass


if __name__ == "__main__":
    serve(Server)
