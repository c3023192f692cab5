"""Uses the page of a store's server as people do: console.py SANDBOX-STORE PRODUCTS.storekit FOLDER-FOR-PICTURES TRANSACTIONS"""

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

import axe_playwright_python
from browser import PATIENCE, Browser
from playwright.sync_api import expect

expect.set_options(timeout=PATIENCE)

AXE = (pathlib.Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()
VIEWS = ["overview", "transactions", "subscriptions", "customers", "products", "server", "timeline", "acts"]


class Server:
    """`sandbox-store serve`, on a file unless it is in memory, for the length of a `with` statement."""

    def __init__(self, program, folder, products, port=0, is_in_memory=False):
        store = [] if is_in_memory else ["--store", f"{folder}/store.sqlite"]
        self._command = [program, "serve", *store, "--ca", f"{folder}/keys", "--configuration", products, "--port", str(port)]

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
        url = urllib.parse.urljoin(self.page, path)
        try:
            answer = urllib.request.urlopen(urllib.request.Request(url, data, headers))
        except urllib.error.HTTPError as error:
            answer = error
        with answer:
            return answer.status, json.loads(answer.read())

    def read(self, path):
        """Reads JSON below the page's address."""
        status, answer = self.ask(f"console/{path}", Authorization=f"Bearer {self.token}")
        assert status == 200, (path, answer)
        return answer


class Window:
    """A window with the page."""

    def __init__(self, browser, address, **options):
        self.opened = browser.open(address, **options)
        self.page = self.opened.page
        self.is_connected()

    def is_connected(self):
        expect(self.page.locator("#connection")).to_have_text("Connected")
        self.is_at()

    def is_at(self, address=None):
        """Waits until what an address names is shown."""
        address = address or self.page.evaluate("location.hash") or "#/overview"
        # The page writes the words of an address in its own way, which is what is compared.
        self.page.wait_for_function(
            """address => { const read = text => { const [path, words] = text.split('?');
                 return path.split('/')[1] + '?' + [...new URLSearchParams(words)].sort().join('&') };
               const ready = document.getElementById('view').dataset.ready;
               return ready && read(ready) === read(address) }""", arg=address, timeout=PATIENCE)

    def go(self, address):
        self.page.evaluate("address => { location.hash = address }", address)
        self.is_at(address)

    def press(self, label, within="body"):
        button = self.page.locator(within).get_by_role("button", name=label, exact=True).first
        expect(button).to_be_enabled()
        button.click()

    def row(self, identifier):
        return self.page.locator(f'#view tr[data-id="{identifier}"]').last

    def open(self, transaction):
        """Opens the sheet of a transaction by its row."""
        self.row(transaction).get_by_role("link").first.click()
        expect(self.page.locator("#sheet-title")).to_contain_text(f"#{transaction} ")

    def close(self):
        self.page.keyboard.press("Escape")
        if self.page.locator("#sheet").is_visible():
            self.page.keyboard.press("Escape")
        expect(self.page.locator("#sheet")).to_be_hidden()

    def buy(self, product, outcome="As the settings say", failure=None):
        """Buys as the dialog offers it, and returns the line that it performed."""
        self.press("Buy…", "#bar")
        self.page.locator("#buy-product").select_option(product)
        if failure:
            self.page.locator("#buy-failure").select_option(failure)
        else:
            self.page.get_by_label(outcome, exact=True).check()
        line = self.page.locator("#buy-line").text_content()
        self.page.locator("#buy-now").click()
        expect(self.page.locator("#dialog")).to_be_hidden()
        expect(self.page.locator("#toast")).to_contain_text(line)
        return line

    def tab_to(self, selector):
        """Presses the tabulator until an element has the focus."""
        for _ in range(300):
            if self.page.evaluate("selector => document.activeElement.matches(selector)", selector):
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"the tabulator does not lead to {selector}")

    def has_focus(self, selector):
        expect(self.page.locator(selector).first).to_be_focused()


def is_waiting(window, count):
    expect(window.page.locator('#views [data-key="view:overview"] .count')).to_have_text(str(count))


def buy(windows, _):
    """Each outcome is one line, and each state is a word in both windows."""
    for window in windows:
        window.go("#/transactions")
    outcomes = [
        ("consumable", "Approve", None, " --outcome approve", "Sold", "$0.99"), ("upgrade", "Ask a parent", None, " --outcome ask", "parent", ""),
        ("consumable", "Decline", None, " --outcome decline", "Failed", ""), ("consumable", "Cancel", None, " --outcome cancel", "Canceled", ""),
        ("consumable", "Interrupt", None, " --outcome interrupt", "nterrupted", ""),
        ("consumable", None, "timedOut", " --outcome timedOut", "Failed", ""),
    ]
    for number, (product, outcome, failure, words, state, charge) in enumerate(outcomes, 1):
        line = windows[number % 2].buy(product, outcome, failure)
        assert line.startswith(f"buy {product}") and line.endswith(words), line
        for window in windows:
            expect(window.row(number)).to_contain_text(re.compile(state, re.I))
            expect(window.row(number)).to_contain_text(charge)
    expect(windows[0].page.locator("#live")).not_to_be_empty()
    # Only an offer that the app can order is offered.
    page = windows[0].page
    windows[0].press("Buy…", "#bar")
    page.locator("#buy-product").select_option("subscription_discounted")
    expect(page.locator("#buy-offer")).to_be_hidden()
    page.locator("#buy-product").select_option("subscription_silver")
    expect(page.locator("#buy-offer option")).to_have_count(2)
    page.keyboard.press("Escape")


def approve(windows, _):
    windows[1].go("#/overview")
    windows[0].go("#/transactions?state=waits")
    windows[0].press("Approve Upgrade", "#view")
    expect(windows[0].page.locator("#toast")).to_contain_text("approve 2")
    expect(windows[1].page.locator("#recent-section")).to_contain_text("Sold")
    windows[0].go("#/transactions")
    expect(windows[0].row(2)).to_contain_text("Sold")


def decide_the_rest(windows, server):
    page = windows[0].page
    for line in ("refund-decision ask", "request-refund 2"):
        name, *words = line.split(" ")
        windows[0].go(f"#/acts?command={name}")
        field = page.locator("#field-0")
        if field.evaluate("field => field.tagName") == "SELECT":
            field.select_option(words[0])
        else:
            field.fill(words[0])
        expect(page.locator("#line")).to_have_text(line)
        page.locator("#perform").click()
        expect(page.locator("#perform")).not_to_have_attribute("aria-busy", "true")
    for window in windows:
        window.go("#/overview")
        expect(window.page.locator("#waiting-section tbody tr")).to_have_count(2)
    request = windows[1].page.locator('#waiting-section tr[data-id="2"]')
    request.get_by_role("button", name=re.compile("^Decline refund")).click()
    windows[1].page.locator("#waiting-section").get_by_role("button", name=re.compile("^Resolve")).click()
    for window in windows:
        expect(window.page.locator("#waiting-section")).to_contain_text("Nothing waits.")


def refund(windows, _):
    windows[1].go("#/transactions")
    windows[1].open(1)
    windows[1].press("Refund", "#sheet")
    expect(windows[1].page.locator("#sheet")).to_contain_text("Refunded")
    windows[0].go("#/transactions?state=refunded")
    expect(windows[0].row(1)).to_contain_text("Refunded")
    # The button has gone with the state that it fitted, and the focus stays in the sheet.
    expect(windows[1].page.locator("#sheet").get_by_role("button", name="Refund", exact=True)).to_have_count(0)
    assert windows[1].page.evaluate("document.getElementById('sheet').contains(document.activeElement)")
    windows[1].close()


def renew(windows, server):
    page = windows[1].page
    windows[0].buy("subscription_gold")
    windows[1].go("#/subscriptions")
    expect(page.locator("#view tbody tr")).to_contain_text("renews")
    page.locator("#clock-button").click()
    windows[1].press("+1 month", "#dialog")
    expect(page.locator("#due-sentence")).to_contain_text(re.compile("^1 renewal"))
    page.screenshot(path=pictures / "clock.png")
    page.locator("#clock-move").click()
    expect(page.locator("#dialog")).to_be_hidden()
    windows[0].go("#/transactions?search=gold")
    expect(windows[0].page.locator("#view tbody tr")).to_have_count(2)
    windows[1].go("#/timeline")
    expect(page.locator("#view")).to_contain_text("renewed until")


    # The clock stands between two seconds, and the move to the next renewal reaches it, and then the one after it.
    server.act("clock fixed", server.token)
    for count in (3, 4):
        page.locator("#clock-button").click()
        windows[1].press("To the next renewal", "#dialog")
        expect(page.locator("#due-sentence")).to_contain_text(re.compile("^1 renewal"))
        page.locator("#clock-move").click()
        expect(page.locator("#dialog")).to_be_hidden()
        expect(windows[0].page.locator("#view tbody tr")).to_have_count(count)
    server.act("clock running", server.token)


def follow_the_settings(windows, server):
    """What is chosen holds against the settings, and nothing is chosen at first."""
    windows[0].go("#/transactions")
    server.act("authorizer cancel", server.token)
    rows = windows[0].page.locator("#view tbody tr")
    assert "--outcome" not in windows[0].buy("consumable")
    expect(rows.first).to_contain_text("Canceled")
    windows[0].buy("consumable", "Approve")
    expect(rows.first).to_contain_text("Sold")
    server.act("authorizer approve", server.token)


def happen(windows, server):
    """Something happens in the store, and the first window has read it."""
    count = windows[0].page.locator('#views [data-key="view:transactions"] .count')
    # The second reading begins after the first has been shown.
    for _ in range(2):
        before = int(count.text_content())
        assert server.act("buy consumable", server.token)[0] == 200
        expect(count).to_have_text(str(before + 1))


def stay(windows, server):
    """What happens in the store takes away neither an error beside a button nor what is being entered."""
    page = windows[0].page
    windows[0].go("#/subscriptions")
    button = page.locator("#view").get_by_role("button", name=re.compile("^Renew now")).first
    refusal = {"error": {"message": "a check wants it"}}
    page.route("**/control/v1/commands", lambda route: route.fulfill(status=422, json=refusal))
    button.click()
    expect(page.locator("#view .error-row")).to_contain_text("A check wants it")
    page.unroute("**/control/v1/commands")
    page.evaluate("document.querySelector('#view table').dataset.old = ''")
    happen(windows, server)
    expect(page.locator("#view table[data-old]")).to_have_count(0)
    expect(page.locator("#view .error-row")).to_contain_text("A check wants it")
    button.click()
    expect(page.locator("#toast")).to_contain_text("renew ")
    expect(page.locator("#view .error-row")).to_have_count(0)
    windows[0].go("#/server?tab=settings")
    expect(page.locator("#filters")).to_be_hidden()
    field = page.locator("#notify")
    field.fill("http://127.0.0.1:9/half")
    page.keyboard.press("ArrowLeft")
    happen(windows, server)
    expect(field).to_have_value("http://127.0.0.1:9/half")
    page.keyboard.type("X")
    expect(field).to_have_value("http://127.0.0.1:9/halXf")
    page.locator("#title").click()
    happen(windows, server)
    expect(field).to_have_value("http://127.0.0.1:9/halXf")
    for state in ("off", "on"):
        page.locator("#set-isReleased").click()
        expect(page.locator("#toast p")).to_have_text([f"Saved: The app is released: {state}."])
        expect(page.locator("#toast")).not_to_contain_text("null")
    field.fill("")
    windows[0].go("#/server")
    expect(page.locator("#filter-type option[value=RENEWAL_EXTENSION]")).to_have_count(1)


def details(windows, _):
    page = windows[0].page
    windows[0].go("#/transactions")
    windows[0].open(2)
    sheet = page.locator("#sheet")
    for text in ('"productId" : "upgrade"', '"alg" : "ES256"', "valid from", '"bundle_id" : "com.example.app"'):
        expect(sheet).to_contain_text(text)
    steps = sheet.locator(".story").first.text_content()
    assert steps.index("order") < steps.index("sold"), steps
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    sheet.locator("details[open]").get_by_role("button", name="Copy").first.click()
    assert "upgrade" in page.evaluate("navigator.clipboard.readText()")
    page.screenshot(path=pictures / "sheet.png")
    # The address names the sheet, and is no address with a token.
    address = page.url
    page.reload()
    windows[0].is_connected()
    assert page.url == address and "/2" in address and "token" not in address, address
    expect(page.locator("#sheet-title")).to_contain_text("#2 ")
    windows[0].close()
    windows[0].has_focus('#view [data-key="row:2"]')


def filter_and_sort(windows, _):
    page = windows[0].page
    windows[0].go("#/transactions")
    page.get_by_label("State", exact=True).select_option("failed")
    windows[0].is_at()
    assert "state=failed" in page.url
    rows = page.locator("#view tbody tr")
    for state in page.locator("#view tbody .c-state").all_text_contents():
        assert "Failed" in state or "declined" in state or "ancel" in state, state
    failed = rows.count()
    page.reload()
    windows[0].is_connected()
    expect(rows).to_have_count(failed)
    expect(page.get_by_label("State", exact=True)).to_have_value("failed")
    page.locator("#clear").click()
    windows[0].is_at("#/transactions")
    head = page.get_by_role("columnheader", name="Product")
    head.get_by_role("button").click()
    windows[0].is_at("#/transactions?sort=product&order=up")
    expect(head).to_have_attribute("aria-sort", "ascending")
    windows[0].has_focus('[data-key="sort:product"]')
    names = page.locator("#view tbody .c-main").all_text_contents()
    head.get_by_role("button").click()
    windows[0].is_at("#/transactions?sort=product&order=down")
    assert page.locator("#view tbody .c-main").all_text_contents()[0] != names[0]
    page.go_back()
    windows[0].is_at("#/transactions?sort=product&order=up")
    page.locator("#search").fill("no such thing")
    windows[0].is_at("#/transactions?sort=product&order=up&search=no such thing")
    expect(page.locator("#view")).to_contain_text("Nothing matches.")
    windows[0].has_focus("#search")
    # What is wrong with an address can be changed where it stands.
    page.evaluate("location.hash = '#/transactions?state=foo'")
    expect(page.locator("#failure")).to_contain_text("foo")
    expect(page.get_by_label("State", exact=True)).to_have_value("foo")
    page.locator("#clear").click()
    expect(page.locator("#failure")).to_be_hidden()
    expect(page.locator("#view tbody tr").first).to_be_visible()


def complain(windows, _):
    page = windows[0].page
    windows[0].go("#/acts?command=refund")
    page.locator("#field-0").fill("999")
    expect(page.locator("#line")).to_have_text("refund 999")
    page.locator("#perform").click()
    expect(page.locator("#answer.error")).to_contain_text("999")
    # What a user typed is text wherever it is shown.
    windows[0].go("#/acts?command=add-account")
    page.locator("#field-0").fill("<img src=x onerror=alert(1)>")
    page.locator("#perform").click()
    windows[0].go("#/customers")
    expect(page.locator("#view")).to_contain_text("<img src=x onerror=alert(1)>")
    assert page.locator("img").count() == 0


def use_keys(windows, _):
    page = windows[1].page
    windows[1].go("#/overview")
    page.keyboard.press("g")
    page.keyboard.press("t")
    windows[1].is_at("#/transactions")
    windows[1].has_focus("h1")
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none", "the focus is not seen"
    page.keyboard.press("j")
    page.keyboard.press("j")
    key = page.evaluate("document.activeElement.dataset.key")
    page.keyboard.press("Enter")
    windows[1].has_focus("#sheet-title")
    page.keyboard.press("Escape")
    windows[1].has_focus(f'[data-key="{key}"]')
    # A sheet leaves no trace in the history, and neither do two.
    page.keyboard.press("Enter")
    windows[1].has_focus("#sheet-title")
    page.locator('#view [data-key^="row:"]').last.click()
    expect(page.locator("#sheet-title")).to_contain_text("#")
    windows[1].close()
    windows[1].is_at("#/transactions")
    page.go_back()
    windows[1].is_at("#/overview")
    # What is done in between ends the wait for a letter.
    page.keyboard.press("g")
    page.locator("#title").click()
    page.keyboard.press("t")
    windows[1].is_at("#/overview")
    windows[1].go("#/transactions")
    page.keyboard.press("/")
    windows[1].has_focus("#search")
    page.keyboard.type("gt?")
    expect(page.locator("#search")).to_have_value("gt?")
    page.locator("#search").fill("")
    windows[1].is_at("#/transactions")
    # The dialog keeps the focus, and gives it back.
    page.locator("h1").focus()
    page.keyboard.press("b")
    expect(page.locator("#dialog")).to_be_visible()
    for _ in range(40):
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement === document.body || document.getElementById('dialog').contains(document.activeElement)")
    page.keyboard.press("Escape")
    windows[1].has_focus("h1")
    # What opens before the browser tells that another dialog has closed keeps its content.
    page.keyboard.press("b")
    expect(page.locator("#dialog")).to_be_visible()
    page.evaluate("document.getElementById('dialog').close(); document.getElementById('help').click()")
    page.evaluate("new Promise((done) => setTimeout(() => requestAnimationFrame(done)))")
    expect(page.get_by_label("Single keys act")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#dialog")).to_be_hidden()
    page.keyboard.press("?")
    page.get_by_label("Single keys act").uncheck()
    page.screenshot(path=pictures / "keys.png")
    page.keyboard.press("Escape")
    page.keyboard.press("b")
    expect(page.locator("#dialog")).to_be_hidden()
    page.evaluate("localStorage.clear()")
    # The focus survives what others do.
    windows[1].tab_to('#view [data-key^="row:"]')
    key = page.evaluate("document.activeElement.dataset.key")
    count = page.locator("#view tbody tr").count()
    windows[0].buy("subscription_silver")
    expect(page.locator("#view tbody tr")).to_have_count(count + 1)
    assert page.evaluate("document.activeElement.dataset.key") == key, "a row has lost the focus"


def refuse(windows, server):
    before = server.read("overview")["counts"]["transactions"]
    token, own = server.token, f"http://127.0.0.1:{server.port}"
    refused = [
        server.act("buy consumable"),
        server.act("buy consumable", token[:-1] + ("A" if token[-1] != "A" else "B")),
        server.act("buy consumable", token, Origin="http://localhost:1"),
        server.act("buy consumable", token, Host="shop.example"),
        server.ask("console/overview"),
        server.ask("console/overview", Host="shop.example"),
        server.ask("console/overview", Origin="http://shop.example"),
    ]
    assert [status for status, _ in refused] == [401, 401, 403, 403, 401, 403, 403], refused
    # What a page of another origin can send without the browser's asking first.
    stranger = windows[0].page.context.new_page()
    stranger.goto("data:text/html,<p>a stranger</p>")
    # Whether the browser tells it of the refusal is the browser's to decide.
    post = """url => fetch(url, {method: 'POST', mode: 'no-cors', body: '{"line": "buy consumable"}'}).catch(() => null)"""
    stranger.evaluate(post, urllib.parse.urljoin(server.page, "/control/v1/commands"))
    stranger.close()
    assert server.read("overview")["counts"]["transactions"] == before
    assert server.act("buy consumable", token, Origin=own)[0] == 200
    assert server.read("overview")["counts"]["transactions"] == before + 1


def accessible(window, name):
    """Fails with what axe-core finds in what is shown."""
    found = window.page.evaluate("""() => axe.run(document, { resultTypes: ['violations'], runOnly: ['wcag2a', 'wcag2aa', 'wcag21a',
        'wcag21aa', 'wcag22aa', 'best-practice'] }).then(({ violations }) => violations.map(one =>
            [one.id, one.nodes.slice(0, 3).map(node => node.html.slice(0, 160) + ' ' + (node.any[0]?.message ?? ''))]))""")
    assert not found, f"{name}: {json.dumps(found, indent=2)}"


def look(windows):
    window = windows[0]
    opened, page = window.opened, window.page
    page.evaluate(AXE)
    looked = 0
    for view in VIEWS:
        window.go(f"#/{view}")
        for width in (320, 360, 767, 768, 1280, 1440):
            assert opened.overflow(width) == 0, f"at {width} pixels {view} is wider than its window"
        for is_dark in (False, True):
            shade = "dark" if is_dark else "light"
            for width in (360, 1440):
                opened.screenshot(pictures / f"{view}-{width}-{shade}.png", width, is_dark)
                accessible(window, f"{view} at {width} pixels, {shade}")
                looked += 1
            # Light on dark, or dark on light.
            colors = opened.evaluate("[getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor]")
            text, ground = (sum(int(part) for part in re.findall(r"\d+", color)[:3]) for color in colors)
            assert (text > ground) == is_dark, colors
    page.emulate_media(color_scheme="light")
    window.go("#/transactions")
    window.open(2)
    accessible(window, "the sheet")
    opened.screenshot(pictures / "sheet-360.png", 360)
    opened.screenshot(pictures / "sheet-1440.png", 1440)
    window.close()
    page.locator("#buy").click()
    expect(page.locator("#buy-now")).to_be_visible()
    accessible(window, "the dialog")
    opened.screenshot(pictures / "buy-1440.png", 1440)
    opened.screenshot(pictures / "buy-360.png", 360)
    page.keyboard.press("Escape")
    opened.overflow(1440)
    # No cell of a table takes two lines, and what a pointer hits is large enough.
    window.go("#/transactions")
    heights = opened.evaluate("[...document.querySelectorAll('#view tbody tr')].map(row => row.offsetHeight)")
    assert max(heights) <= 41, heights
    for view in VIEWS:
        window.go(f"#/{view}")
        small = opened.evaluate("""[...document.querySelectorAll('button, input:not([type=checkbox]):not([type=radio]), select, td a, nav a')]
            .filter(one => one.checkVisibility() && (one.offsetHeight < 24 || one.offsetWidth < 24)).map(one => one.outerHTML)""")
        assert not small, small
        assert opened.evaluate("Math.max(0, ...[...document.querySelectorAll('table')].map(one => one.querySelectorAll('*').length))") <= 400
    return looked + 2


def lose(windows):
    for window in windows:
        expect(window.page.locator("#lost")).to_be_visible()
        expect(window.page.locator("#connection")).to_have_text("Not connected")
    windows[0].page.screenshot(path=pictures / "lost.png")


def find(windows, server):
    page = windows[0].page
    rows = page.locator("#view tbody tr")
    count = rows.count()
    for window in windows:
        expect(window.page.locator("#lost")).to_be_hidden()
        expect(window.page.locator("#token-form")).to_be_visible()
    assert rows.count() == count
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
    windows[0].buy("consumable")
    for window in windows:
        window.go("#/transactions")
        expect(window.page.locator("#view tbody tr")).to_have_count(count + 1)


def be_empty(program, browser):
    """A store without products and without a server says what to do."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "Empty.storekit"
        path.write_text(json.dumps({"identifier": "E", "nonRenewingSubscriptions": [], "products": [], "settings": {},
                                    "subscriptionGroups": [], "version": {"major": 2, "minor": 0}}))
        with Server(program, folder, str(path), is_in_memory=True) as server:
            window = Window(browser, server.address, width=1440)
            window.page.evaluate(AXE)
            for view in VIEWS:
                window.go(f"#/{view}")
                assert window.page.locator("#view").inner_text().strip(), f"{view} is blank"
                accessible(window, f"the empty {view}")
            for view in ("overview", "transactions", "products"):
                window.go(f"#/{view}")
                expect(window.page.locator("#view")).to_contain_text("--configuration")
            for view in ("overview", "server"):
                window.go(f"#/{view}")
                expect(window.page.locator("#advice")).to_contain_text("--notify URL")
            window.opened.screenshot(pictures / "empty.png", 1440)
            window.opened.close()


def be_wide(program, browser):
    """A product can be bought and filtered by, however many there are."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "Wide.storekit"
        products = [{"displayPrice": "0.99", "familyShareable": False, "internalID": str(number), "localizations": [],
                     "productID": f"coins{number}", "referenceName": f"coins{number}", "type": "Consumable"} for number in range(120)]
        path.write_text(json.dumps({"identifier": "W", "nonRenewingSubscriptions": [], "products": products, "settings": {},
                                    "subscriptionGroups": [], "version": {"major": 2, "minor": 0}}))
        with Server(program, folder, str(path), is_in_memory=True) as server:
            window = Window(browser, server.address)
            window.go("#/transactions")
            window.buy("coins119")
            expect(window.row(1)).to_contain_text("Sold")
            window.page.get_by_label("Product", exact=True).select_option("coins118")
            expect(window.page.locator("#view")).to_contain_text("Nothing matches.")
            window.go("#/products")
            window.page.get_by_label("Kind", exact=True).select_option("freeSubscription")
            expect(window.page.locator("#view")).to_contain_text("Nothing matches.")
            window.opened.close()


def sell_on_terms(program, products, browser):
    """A plan and a request are chosen as a product has them, and the sheet says what was agreed on."""
    generic = "com.example.app.aca.generic.subscription"
    sold = [
        {"id": "coins", "price": "0.99"}, {"id": generic, "kind": "autoRenewable", "price": "0.29", "group": "generic"},
        {"id": "year", "kind": "autoRenewable", "price": "99.99", "period": "P1Y", "monthlyPrice": "9.99"},
        {"id": "news", "kind": "autoRenewable", "price": "2.99"},
        {"id": "bundle", "kind": "subscriptionBundle", "price": "5.99", "members": ["news"]},
    ]
    with tempfile.TemporaryDirectory() as folder, Server(program, folder, products, is_in_memory=True) as server:
        status, store = server.ask("/control/v1/stores", json.dumps({"products": sold}), Authorization=f"Bearer {server.token}")
        assert status in (200, 201), store
        window = Window(browser, f"{store['console'].split('#')[0]}#token={server.token}", width=1440)
        page, sheet = window.page, window.page.locator("#sheet")
        window.go("#/products")
        for product, terms in (("year", "Subscription, 1 year"), ("bundle", "Bundle, 1 month: news"), (generic, "Generic subscription")):
            expect(window.row(product)).to_contain_text(terms)
        window.press("Buy…", "#bar")
        page.locator("#buy-product").select_option("coins")
        for field in ("#buy-plan", "#buy-request"):
            expect(page.locator(field)).to_be_hidden()
        page.locator("#buy-product").select_option("year")
        expect(page.locator("#buy-now")).to_have_text("Buy for $99.99")
        page.locator("#buy-plan").select_option("monthly")
        expect(page.locator("#buy-now")).to_have_text("Buy")
        expect(page.locator("#buy-line")).to_have_text(re.compile("^buy year .*--billing-plan monthly"))
        page.screenshot(path=pictures / "plan.png")
        page.locator("#buy-now").click()
        expect(page.locator("#dialog")).to_be_hidden()
        window.buy(generic)
        window.buy("bundle")
        window.go("#/transactions")
        for product, words in (("year", "monthly, payment 1 of 12"), (generic, "An item $0.29"), ("news", "Bundle")):
            page.locator("#view tbody tr", has_text=product).get_by_role("link").first.click()
            expect(sheet).to_contain_text(words)
            window.close()
        window.go("#/subscriptions")
        expect(page.locator("#view")).to_contain_text("payment 1 of 12")
        window.opened.close()


def be_large(program, products, browser, size):
    """Measures the first view, a filter and a search of the timeline of a store with many transactions; returns their seconds."""
    customers = 200
    with tempfile.TemporaryDirectory() as folder, Server(program, folder, products, is_in_memory=True) as server:
        def act(line):
            status, answer = server.act(line, server.token)
            assert status == 200, (line, answer)

        # Otherwise a hundred subscriptions would renew each second.
        act("clock fixed")
        act("renewal-rate period-2s")
        for number in range(customers):
            act(f"add-account customer{number}")
            act(f"add-device phone{number} --account customer{number}")
            act(f"buy subscription_silver --account customer{number} --device phone{number}")
        # A period is two seconds long, and an answer tells of each renewal.
        for _ in range(10):
            act(f"advance {2 * size // customers // 10}s")
        act("buy consumable --account customer7 --device phone7")
        total = server.read("overview")["counts"]["transactions"]
        assert total >= size, total
        window = Window(browser, server.address, width=1440)
        page = window.page
        first = []
        for _ in range(3):
            begun = time.monotonic()
            page.reload(wait_until="commit")
            page.wait_for_function("() => document.getElementById('view')?.dataset.ready")
            first.append(time.monotonic() - begun)
        filters = []
        window.go("#/transactions")
        for address in ("?account=customer7", "?product=consumable", "?search=customer150", "?state=sold&sort=account&order=up"):
            begun = time.monotonic()
            window.go("#/transactions" + address)
            filters.append(time.monotonic() - begun)
        expect(page.locator(".pager")).to_contain_text(f"of {total:,}")
        window.press("Next", ".pager")
        expect(page.locator(".pager")).to_contain_text("26–50")
        window.opened.screenshot(pictures / "large.png", 1440)
        begun = time.monotonic()
        # As much as there is is read for what is not there.
        window.go("#/timeline?search=nobody")
        search = time.monotonic() - begun
        window.opened.close()
        return total, sorted(first)[1], sorted(filters), search


def main(program, products, size):
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, Browser() as browser:
        with Server(program, folder, products) as server:
            windows = [Window(browser, server.address, width=1440, height=900), Window(browser, server.address)]
            assert "token" not in windows[0].page.url, "the token stays in the address"
            for check in (buy, approve, refund, decide_the_rest, renew, follow_the_settings, stay, details, filter_and_sort, complain, use_keys, refuse):
                check(windows, server)
            looked = look(windows)
            for window in windows:
                window.go("#/transactions")
            # A refused act and its 422 are what they should be, and the 400 of a wrong address, and what was being read ends with another address; everything
            # else that a page logs is wrong.
            for window in windows:
                wrong = [error for error in window.opened.errors
                         if not re.search("status of 4(00|22)", error) and not re.fullmatch(r"not loaded: \S+/console/[^.]*", error)]
                assert not wrong, wrong
        lose(windows)
        with Server(program, folder, products, server.port) as server:
            find(windows, server)
        be_empty(program, browser)
        be_wide(program, browser)
        sell_on_terms(program, products, browser)
        total, first, filters, search = be_large(program, products, browser, size)
    print(f"console: at {total:,} transactions the first view took {first:.2f} s, a filter {filters[0]:.2f} to {filters[-1]:.2f} s, "
          f"a search of the timeline {search:.2f} s")
    print(f"console: bought with each outcome, approved, refunded, renewed in two windows, restarted under them; "
          f"axe-core found nothing in {looked} states; {time.monotonic() - begun:.0f} s; ok")


if __name__ == "__main__":
    pictures = pathlib.Path(sys.argv[3])
    pictures.mkdir(parents=True, exist_ok=True)
    main(sys.argv[1], sys.argv[2], int(sys.argv[4]))
