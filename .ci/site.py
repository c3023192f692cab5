"""Opens the site of all modules' documentation as a reader does, for `.ci/site`.

The first page leads through README.md's four doors, its filter finds a type of another module, and no page refers to one that is not
there.
"""

import functools
import http.server
import json
import pathlib
import re
import sys
import threading

from browser import Browser

site = pathlib.Path(sys.argv[1])
text = pathlib.Path("README.md").read_text()
# The articles of the section that sends each reader to one.
doors = re.findall(r"^\* .*/Articles/(\w+)\.md\)$", text[text.index("## Where to begin") :], re.MULTILINE)
mistakes = []


class Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


def dead_links():
    """The addresses that pages refer to and that are not there."""
    dead = set()
    for page in (site / "data" / "documentation").rglob("*.json"):
        for reference in json.loads(page.read_text()).get("references", {}).values():
            url = reference.get("url", "")
            if url.startswith("/documentation/"):
                path = url.split("#")[0].lstrip("/")
                if not (site / "data" / f"{path}.json").exists() or not (site / path / "index.html").exists():
                    dead.add(f"{page.relative_to(site)} refers to {url}, which is not there")
    return sorted(dead)


def expect(condition, sentence):
    if not condition:
        mistakes.append(sentence)


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=site))
threading.Thread(target=server.serve_forever, daemon=True).start()
with Browser() as browser:
    root = f"http://127.0.0.1:{server.server_port}"
    opened = browser.open(f"{root}/documentation/storecore/")
    page = opened.page
    page.wait_for_selector("main h1")
    links = page.eval_on_selector_all("main a", "all => all.map(link => link.pathname)")
    articles = [link.rsplit("/", 1)[-1] for link in links]
    places = [articles.index(door.lower()) if door.lower() in articles else None for door in doors]
    expect(len(doors) == 4, f"README.md has {len(doors)} doors")
    expect(None not in places and places == sorted(places), f"the first page leads to {articles[:8]}, and README.md to {doors}")
    for door in doors:
        page.click(f"main a[href$='/{door.lower()}']")
        page.wait_for_url(f"**/{door.lower()}")
        page.wait_for_selector("main h1")
        page.go_back(wait_until="commit")
        page.wait_for_url(f"{root}/documentation/storecore/")
    page.fill("input.filter__input >> visible=true", "StoreServer")
    found = page.locator(".navigator-card-item a.leaf-link", has_text=re.compile(r"^\s*StoreServer\s*$"))
    found.first.wait_for()
    expect(opened.errors == [], f"the pages had {opened.errors}")
    # Last, since what a page that is left was loading counts as a missing file.
    page.goto(root, wait_until="commit")
    page.wait_for_url(f"{root}/documentation/storecore/")
server.shutdown()

mistakes += dead_links()
pages = len(list((site / "documentation").rglob("index.html")))
for mistake in mistakes[:20]:
    print(f"site: {mistake}", file=sys.stderr)
print(f"site: {pages} pages, {len(doors)} doors, " + (f"{len(mistakes)} mistakes" if mistakes else "no dead link, the filter finds; ok"))
sys.exit(1 if mistakes else 0)
