"""Runs the article on `sandbox-store matrix`: matrix.py SANDBOX-STORE FOLDER [--update]

Writes the article's server into the folder, starts it, runs the article's commands, and compares what they print with the article;
with --update, puts it there. Then corrects the server as the article does, and expects that everything is right.
"""

import json
import pathlib
import random
import re
import socket
import subprocess
import sys
import time

ARTICLE = pathlib.Path("Sources/StoreCore/StoreCore.docc/Articles/AMatrixOfYourServer.md").resolve()
PORTS = [8070, 8090, 8091]
PATIENCE = 120

program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
article = ARTICLE.read_text()
fences = re.findall(r"^```(\w+)\n(.*?)^```$", article, re.DOTALL | re.MULTILINE)
handler, purchases, fixes = (text for language, text in fences if language == "text")
transcripts = [text for language, text in fences if language == "console"]


def free_ports():
    """Ports that nobody has: one for the server, and two in a row for the App Store's.

    They are below those that systems give to sockets that ask for any, of which one could get them before their users do.
    """
    while True:
        own, first = random.randrange(20_000, 32_767), random.randrange(20_000, 32_767)
        with socket.socket() as server, socket.socket() as sandbox, socket.socket() as production:
            try:
                for one, port in ((server, own), (sandbox, first), (production, first + 1)):
                    one.bind(("127.0.0.1", port))
            except OSError:
                continue
            return [own, first, first + 1]


ports = free_ports()


def here(text):
    """A text of the article with the ports of this run."""
    for shown, port in zip(PORTS, ports):
        text = re.sub(rf"\b{shown}\b", str(port), text)
    return text


def there(text):
    """What a command printed with the ports of the article, and with one key, issuer and folder."""
    for shown, port in zip(PORTS, ports):
        text = re.sub(rf"\b{port}\b", str(shown), text)
    text = re.sub(r"AuthKey_\w+", "AuthKey_2X9R4HXF34", text)
    text = re.sub(r"(?m)^(issuer +)\S+", r"\g<1>6b8f1d3e-0a57-4c3b-9d4e-2f1a7c9b8e60", text)
    return re.sub(r"(?m)^(key|root)( +)\S*/(keys/\S+)", r"\1\2/home/me/\3", text)


def ask(command):
    """Runs a command of the article; returns what it printed, and the exit code."""
    words = here(command).split()
    assert words[:2] == ["sandbox-store", "matrix"], words
    done = subprocess.run([program, *words[1:]], cwd=folder, capture_output=True, text=True, timeout=10 * PATIENCE)
    return there(done.stdout), done.stderr, done.returncode


class Server:
    """The article's server."""

    def __enter__(self):
        with open(folder / "log", "w") as log:
            self.process = subprocess.Popen([sys.executable, "handler.py"], cwd=folder, stdout=log, stderr=log)
        # A connection succeeds as soon as the server listens.
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", ports[0])) == 0:
                    return self
            try:
                self.process.wait(0.05)
                break
            except subprocess.TimeoutExpired:
                pass
        else:
            self.__exit__()
            sys.exit(f"the article's server does not listen after {PATIENCE} s:\n{(folder / 'log').read_text()}")
        sys.exit(f"the article's server has ended:\n{(folder / 'log').read_text()}")

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(PATIENCE)


(folder / "handler.py").write_text(here(handler))
(folder / "purchases.py").write_text(here(purchases))
commands = [text.split("\n", 1)[0].removeprefix("$ ") for text in transcripts]

# Makes the folder of the keys, for a server that does not run yet.
printed, complaint, code = ask(commands[0])
assert code == 1 and "no server answers" in complaint and "root " in printed, (printed, complaint)

failures = 0
with Server():
    for command, shown in zip(commands, transcripts):
        printed, complaint, code = ask(command)
        new = f"$ {command}\n{printed}"
        if complaint or code != 1:
            failures += 1
            print(f"FAILED: {command}: exit code {code} {complaint}")
        if "--update" in sys.argv:
            article = article.replace(f"```console\n{shown}```", f"```console\n{new}```")
        elif new != shown:
            failures += 1
            print(f"FAILED: {command} prints\n{new}")
if "--update" in sys.argv:
    ARTICLE.write_text(article)

(folder / "purchases.py").write_text(here(purchases + fixes))
answers = 0
with Server():
    for command in commands:
        printed, complaint, code = ask(f"{command} --json")
        rows = [json.loads(line) for line in printed.splitlines()]
        answers += len(rows)
        if complaint or code != 0 or not rows:
            failures += 1
            print(f"FAILED: {command} with the corrected server: exit code {code} {complaint}\n{printed}")
if failures:
    sys.exit(1)
print(f"matrix: {len(commands)} tables are those of the article, and {answers} answers of the corrected server are right")
