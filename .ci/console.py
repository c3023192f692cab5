"""Uses the page of a store's server as people do: console.py SANDBOX-STORE PRODUCTS.storekit FOLDER-FOR-PICTURES"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

from browser import Browser
from playwright.sync_api import expect

PATIENCE = 20_000
expect.set_options(timeout=PATIENCE)


class Server:
    """`sandbox-store serve` on a file, for the length of a `with` statement."""

    def __init__(self, program, folder, products, port=0):
        self._command = [program, "serve", "--store", f"{folder}/store.sqlite", "--ca", f"{folder}/keys",
                         "--configuration", products, "--port", str(port)]

    def __enter__(self):
        self._process = subprocess.Popen(self._command, stdout=subprocess.PIPE, text=True)
        lines = [self._process.stdout.readline() for _ in range(3)]
        found = re.search(r"(http://127\.0\.0\.1:(\d+)/console)#token=(\S+)", lines[2])
        assert found, f"no address of the page in {lines}"
        self.address, self.port, self.token = found.group(0), int(found.group(2)), found.group(3)
        self.page = found.group(1)
        return self

    def __exit__(self, *_):
        self._process.terminate()
        try:
            assert self._process.wait(PATIENCE / 1000) == 0
        finally:
            self._process.kill()

    def act(self, line, token=None, **headers):
        """Performs a line by the control interface, and returns the status and the JSON."""
        if token:
            headers["Authorization"] = f"Bearer {token}"
        return self.ask("/control/v1/commands", json.dumps({"line": line}), **headers)

    def ask(self, path, body=None, **headers):
        """Sends a request as a program does, and returns the status and the JSON."""
        data = None if body is None else body.encode()
        url = urllib.parse.urljoin(f"{self.page}/", path)
        try:
            answer = urllib.request.urlopen(urllib.request.Request(url, data, headers))
        except urllib.error.HTTPError as error:
            answer = error
        with answer:
            return answer.status, json.loads(answer.read())

    def transactions(self):
        return self.ask("state", Authorization=f"Bearer {self.token}")[1]["transactions"]


class Window:
    """A window with the page."""

    def __init__(self, browser, address, **options):
        self.opened = browser.open(address, **options)
        self.page = self.opened.page
        expect(self.page.locator("#connection")).to_have_text("Connected")

    def press(self, label):
        button = self.page.get_by_role("button", name=label, exact=True)
        expect(button).to_be_enabled()
        button.click()

    def row(self, transaction):
        return self.page.locator(f'#transactions tr[data-id="{transaction}"]')

    def tab_to(self, identifier):
        """Presses the tabulator until an element has the focus."""
        for _ in range(300):
            if self.page.evaluate("document.activeElement.id") == identifier:
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"the tabulator does not lead to {identifier}")


def buy(windows, _):
    windows[0].press("Buy: buy consumable")
    for window in windows:
        expect(window.row(1)).to_contain_text("purchased")
        expect(window.row(1)).to_contain_text("0.99")
        expect(window.page.locator("#timeline")).to_contain_text("sold for 0.99")
    expect(windows[0].page.locator("#news")).to_contain_text("consumable")


def approve(windows, _):
    windows[0].press("Ask to buy: ask-to-buy on --account account")
    windows[1].press("Buy: buy upgrade")
    for window in windows:
        expect(window.page.locator("#undecided")).to_contain_text("upgrade")
        expect(window.row(2)).to_contain_text("deferred")
    windows[0].press("Approve: approve 2")
    for window in windows:
        expect(window.page.locator("#undecided")).to_have_text("Nothing waits.")
        expect(window.row(2)).to_contain_text("purchased")
    windows[0].press("Ask no more: ask-to-buy off --account account")
    expect(windows[1].page.get_by_role("button", name="Ask to buy: ask-to-buy on --account account")).to_be_visible()


def decide_the_rest(windows, server):
    page = windows[0].page
    for line in ("refund-decision ask", "request-refund 2", "interrupts-purchases on", "buy consumable"):
        name, *words = line.split(" ")
        page.locator("#command").select_option(name)
        field = page.locator("#field-0")
        if field.evaluate("field => field.tagName") == "SELECT":
            field.select_option(words[0])
        else:
            field.fill(words[0])
        expect(page.locator("#line")).to_have_text(line)
        page.locator("#perform").click()
        expect(page.locator("#perform")).not_to_have_attribute("aria-busy", "true")
    for window in windows:
        expect(window.page.locator("#undecided")).to_contain_text("a refund")
        expect(window.page.locator("#undecided")).to_contain_text("a purchase that was interrupted")
    windows[1].press("Decline: decline-refund 2")
    windows[1].press("Resolve: resolve 7")
    for window in windows:
        expect(window.page.locator("#undecided")).to_have_text("Nothing waits.")
    assert server.act("interrupts-purchases off", server.token)[0] == 200


def refund(windows, _):
    windows[1].press("Refund: refund 1")
    for window in windows:
        expect(window.row(1)).to_contain_text("0.99 paid back")
        expect(window.row(1).get_by_role("button", name="Refund")).to_have_count(0)


def renew(windows, _):
    windows[0].press("Buy: buy subscription_gold")
    expect(windows[1].page.locator("#subscriptions")).to_contain_text("renews as subscription_gold")
    windows[1].press("Advance 1 month: advance 1mo")
    for window in windows:
        expect(window.row(4)).to_contain_text("renewal")
        expect(window.page.locator("#timeline")).to_contain_text("renewed until")
        expect(window.page.locator("#lead")).to_contain_text("days ahead")


def details(windows, _):
    page = windows[0].page
    windows[0].press("Details of #2")
    body = page.locator("#details-body")
    expect(body).to_contain_text('"productId" : "upgrade"')
    expect(body).to_contain_text('"alg" : "ES256"')
    expect(body).to_contain_text("valid from")
    expect(body).to_contain_text('"bundle_id" : "com.example.app"')
    page.screenshot(path=pictures / "details.png")
    page.keyboard.press("Escape")
    expect(page.locator("#details")).to_be_hidden()


def complain(windows, _):
    page = windows[0].page
    page.locator("#command").select_option("refund")
    page.locator("#field-0").fill("999")
    expect(page.locator("#line")).to_have_text("refund 999")
    page.locator("#perform").click()
    expect(page.locator("#news.bad")).to_contain_text("999")


def use_keys(windows, _):
    page = windows[1].page
    page.locator("body").click(position={"x": 1, "y": 1})
    windows[1].tab_to("command")
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none", "the focus is not seen"
    page.keyboard.type("buy")
    page.keyboard.press("Tab")
    page.keyboard.type("consumable")
    windows[1].tab_to("perform")
    page.keyboard.press("Enter")
    for window in windows:
        expect(window.row(5)).to_contain_text("consumable")
    # The focus stays where it was, and what has happened is seen there.
    assert page.evaluate("document.activeElement.id") == "perform", "the form's button has lost the focus"
    button = page.get_by_role("button", name="Buy: buy subscription_silver", exact=True)
    button.focus()
    page.keyboard.press("Enter")
    expect(windows[0].row(6)).to_contain_text("subscription_silver")
    expect(windows[1].row(6)).to_contain_text("subscription_silver")
    assert page.evaluate("document.activeElement.dataset.key") == "buy subscription_silver", "a row's button has lost the focus"
    expect(page.locator("#news")).to_contain_text("subscription_silver")
    expect(page.locator("#news")).to_be_in_viewport(ratio=1)


def refuse(windows, server):
    before = server.transactions()["total"]
    token, own = server.token, f"http://127.0.0.1:{server.port}"
    refused = [
        server.act("buy consumable"),
        server.act("buy consumable", token[:-1] + ("A" if token[-1] != "A" else "B")),
        server.act("buy consumable", token, Origin="http://localhost:1"),
        server.act("buy consumable", token, Host="shop.example"),
        server.ask("state"),
        server.ask("state", Host="shop.example"),
        server.ask("state", Origin="http://shop.example"),
    ]
    assert [status for status, _ in refused] == [401, 401, 403, 403, 401, 403, 403], refused
    # What a page of another origin can send without the browser's asking first.
    stranger = windows[0].page.context.new_page()
    stranger.goto("data:text/html,<p>a stranger</p>")
    # Whether the browser tells it of the refusal is the browser's to decide.
    post = """url => fetch(url, {method: 'POST', mode: 'no-cors', body: '{"line": "buy consumable"}'}).catch(() => null)"""
    stranger.evaluate(post, urllib.parse.urljoin(server.page, "/control/v1/commands"))
    stranger.close()
    assert server.transactions()["total"] == before
    assert server.act("buy consumable", token, Origin=own)[0] == 200
    assert server.transactions()["total"] == before + 1


def look(windows):
    opened = windows[0].opened
    for width in (360, 760, 761, 1440):
        assert opened.overflow(width) == 0, f"at {width} pixels the page is wider than its window"
    for is_dark in (False, True):
        for width in (360, 1440):
            opened.screenshot(pictures / f"{'dark' if is_dark else 'light'}-{width}.png", width, is_dark, is_whole=True)
        # Light on dark, or dark on light.
        colors = opened.evaluate("[getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor]")
        text, ground = (sum(int(part) for part in re.findall(r"\d+", color)[:3]) for color in colors)
        assert (text > ground) == is_dark, colors


def lose(windows):
    for window in windows:
        expect(window.page.locator("#lost")).to_be_visible()
        expect(window.page.locator("#connection")).to_have_text("Not connected")
    windows[0].page.screenshot(path=pictures / "lost.png")


def find(windows, server):
    page = windows[0].page
    rows = page.locator("#transactions tbody tr")
    count = rows.count()
    for window in windows:
        expect(window.page.locator("#lost")).to_be_hidden()
        expect(window.page.locator("#token-form")).to_be_visible()
        expect(window.page.get_by_role("button", name="Buy: buy consumable", exact=True)).to_be_disabled()
    assert rows.count() == count == server.transactions()["total"]
    page.locator("#token").fill("no token")
    page.keyboard.press("Enter")
    expect(page.locator("#token-form")).to_be_visible()
    for window in windows:
        window.page.locator("#token").fill(server.token)
        window.page.locator("#token").press("Enter")
        expect(window.page.locator("#token-form")).to_be_hidden()
        expect(window.page.locator("#connection")).to_have_text("Connected")
    # What was set on the page is kept.
    status, answer = server.act("status", server.token)
    assert status == 200 and answer["refundDecision"] == "ask", answer
    windows[0].press("Buy: buy consumable")
    for window in windows:
        expect(window.page.locator("#transactions tbody tr")).to_have_count(count + 1)


def main(program, products):
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, Browser() as browser:
        with Server(program, folder, products) as server:
            windows = [Window(browser, server.address, width=1440), Window(browser, server.address)]
            assert "token" not in windows[0].page.url, "the token stays in the address"
            for check in (buy, approve, refund, renew, details, complain, use_keys, decide_the_rest, refuse):
                check(windows, server)
            look(windows)
            # A refused act and its 422 are what they should be; everything else that a page logs is wrong.
            for window in windows:
                wrong = [error for error in window.opened.errors if "422" not in error]
                assert not wrong, wrong
        lose(windows)
        with Server(program, folder, products, server.port) as server:
            find(windows, server)
    print(f"console: bought, approved, refunded and renewed in two windows, restarted under them; {time.monotonic() - begun:.0f} s; ok")


if __name__ == "__main__":
    pictures = pathlib.Path(sys.argv[3])
    pictures.mkdir(parents=True, exist_ok=True)
    main(sys.argv[1], sys.argv[2])
