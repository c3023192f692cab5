"""Opens pages in Debian's Chromium: what the checks of web pages share. `.ci/browser-environment` installs what it needs.

    with Browser() as browser:
        page = browser.open("file:///…/timeline.html")
        page.evaluate("document.title")
        page.screenshot("dark.png", width=360, is_dark=True)
        assert page.errors == []
"""

import os
import shutil
import time

from playwright.sync_api import sync_playwright

# Milliseconds after which what a page has not done counts as never done, on a machine with much to do.
PATIENCE = 120_000


class Page:
    """One page in a context of its own, with what went wrong on it in `errors`."""

    def __init__(self, browser, url, width, height, is_dark, has_script):
        """Opens a URL and waits until it has been laid out and painted; `seconds` says how long that took."""
        self.errors = []
        scheme = "dark" if is_dark else "light"
        self._context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme, java_script_enabled=has_script
        )
        self._context.set_default_timeout(PATIENCE)
        # Playwright's own page, for what this class has no function for: clicks, keys, the tree that screen readers get.
        self.page = self._context.new_page()
        self.page.on("pageerror", lambda error: self.errors.append(f"error: {error}"))
        self.page.on("console", self._hear)
        self.page.on("requestfailed", lambda request: self.errors.append(f"not loaded: {request.url}"))
        # Each request but the page itself.
        self.requests = []
        self.page.on("request", lambda request: self.requests.append(request.url))
        begun = time.monotonic()
        self.page.goto(url, wait_until="load")
        # A script's frame comes only after layout and paint; without scripts a small screenshot waits for the same.
        if has_script:
            self.page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done())))")
        else:
            self.page.screenshot(clip={"x": 0, "y": 0, "width": 1, "height": 1})
        self.seconds = time.monotonic() - begun
        self.requests = [request for request in self.requests if request != url]

    def _hear(self, message):
        if message.type in ("error", "warning"):
            self.errors.append(f"{message.type}: {message.text}")

    def evaluate(self, expression, argument=None):
        """Returns the JSON value of an expression of JavaScript, or of a function of one argument."""
        return self.page.evaluate(expression, argument)

    def screenshot(self, path, width=None, is_dark=None, is_whole=False):
        """Writes what is seen as a PNG, at a width and in a color scheme if they are given; of the whole page if wanted."""
        if width is not None:
            self.page.set_viewport_size({"width": width, "height": self.page.viewport_size["height"]})
        if is_dark is not None:
            self.page.emulate_media(color_scheme="dark" if is_dark else "light")
        self.page.screenshot(path=path, full_page=is_whole)

    def overflow(self, width):
        """Returns by how many pixels the page is wider than a window of a width: 0 where nobody has to scroll sideways."""
        self.page.set_viewport_size({"width": width, "height": self.page.viewport_size["height"]})
        return self.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")

    def close(self):
        self._context.close()


class Browser:
    """Chromium without a window, for the length of a `with` statement."""

    def __enter__(self):
        path = shutil.which("chromium") or shutil.which("chromium-browser")
        if path is None:
            raise RuntimeError("there is no chromium on the PATH: apt-get install chromium")
        self._playwright = sync_playwright().start()
        # Root has no sandbox of Chromium's, and a container has little shared memory.
        arguments = ["--disable-dev-shm-usage"] + (["--no-sandbox"] if os.geteuid() == 0 else [])
        self._browser = self._playwright.chromium.launch(executable_path=path, args=arguments)
        return self

    def __exit__(self, *_):
        self._browser.close()
        self._playwright.stop()

    def open(self, url, width=1280, height=800, is_dark=False, has_script=True):
        """Opens a URL in a new page."""
        return Page(self._browser, url, width, height, is_dark, has_script)
