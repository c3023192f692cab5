"""Judges a timeline's pages by looking at them: timeline.py FOLDER, which has large.html, small.html, crowded.html and small.svg."""

import pathlib
import re
import sys

from browser import Browser

LIMIT = 2.0  # seconds to open ten thousand events
ATTEMPTS = 10  # to open them within the limit, beside whatever else the machine does

folder = pathlib.Path(sys.argv[1]).resolve()
large, small, crowded, picture = ((folder / name).as_uri() for name in ("large.html", "small.html", "crowded.html", "small.svg"))

# The rows that are found, folded or not, as [place, kind, account, product, text]. Links to other rows are no text of a row's own.
ROWS = """[...document.querySelectorAll("#rows li[data-k]")].filter(row => !row.hidden).map(row => {
    const own = row.cloneNode(true);
    for (const link of own.querySelectorAll("a")) link.remove();
    const text = own.querySelector("svg").getAttribute("aria-label") + " " + own.textContent;
    return [+row.id.slice(1), row.dataset.k, row.dataset.a, row.dataset.p, text.toLowerCase()]; })"""


def check(condition, sentence):
    if not condition:
        sys.exit(f"timeline: {sentence}")


def opened(browser, url, **options):
    """Opens a page, which must do it quietly and alone."""
    page = browser.open(url, **options)
    check(not page.errors, f"{url} with {options}: {page.errors}")
    check(not page.requests, f"{url} asks for {page.requests}")
    return page


def check_lanes(page, name):
    """The lanes that are shown are those of the events that are; their heads stand above their marks, and apart."""
    lanes, heads = page.evaluate("""[
        [...new Set([...document.querySelectorAll("#rows li[data-l]")].filter(row => !row.hidden)
            .flatMap(row => [row.dataset.l, row.dataset.c]).filter(lane => lane !== undefined))].map(Number).sort((a, b) => a - b),
        [...document.querySelectorAll(".heads span")].map((head, place) => [place, head.getBoundingClientRect(), head.hidden])
            .filter(([, , isHidden]) => !isHidden).map(([place, box]) => [place, box.left, box.right])]""")
    check([place for place, _, _ in heads] == lanes, f"{name}: lanes {lanes} have events, and {heads} have heads")
    for (_, _, right), (_, left, _) in zip(heads, heads[1:]):
        check(right <= left, f"{name}: the heads of lanes overlap: {heads}")


def check_filters(page):
    """Filters by words and by each list, and compares with the rows that must be left."""
    everything = page.evaluate(ROWS)
    shown = lambda: page.page.text_content("output")
    check(shown() == f"{len(everything)} events", f"the count is {shown()}")

    def compare(name, is_meant):
        rows = page.evaluate(ROWS)
        meant = [row for row in everything if is_meant(row)]
        check(meant and len(meant) < len(everything), f"{name}: the test asks for {len(meant)} events")
        check(rows == meant, f"{name}: {len(rows)} events are shown, and should be {len(meant)}")
        check(shown() == f"{len(meant)} of {len(everything)} events", f"{name}: the count is {shown()}")
        starts = page.evaluate("""[...document.querySelectorAll("#lines [data-k]")].map(path =>
            (path.getAttribute("d").match(/M/g) ?? []).length).reduce((sum, count) => sum + count, 0)""")
        left = {row[0] for row in rows}
        links = page.evaluate("""[...document.querySelectorAll("#rows li[data-s]")].flatMap(row =>
            row.dataset.s.split(" ").map(source => [+source, +row.id.slice(1)]))""")
        wanted = sum(source in left and target in left for source, target in links)
        check(starts == wanted, f"{name}: {starts} lines are drawn, and should be {wanted}")
        check_lanes(page, name)

    form = page.page
    # By keyboard: from the search to the lists.
    form.focus("input[name=words]")
    form.keyboard.type("#2 SOLD")
    number = re.compile(r"#2(?!\d)")
    compare("words", lambda row: number.search(row[4]) and "sold" in row[4])
    for _ in range(2):
        form.keyboard.press("Control+a")
        form.keyboard.press("Delete")
    # The links of other rows to a state do not make them rows of the state.
    for kind, word in (("waiting", "waiting"), ("refund", "refunded")):
        form.fill("input[name=words]", word)
        compare(word, lambda row: row[1] == kind)
    form.fill("input[name=words]", "")
    for place, name in ((3, "product"), (2, "account"), (1, "state")):
        option = page.evaluate(f"document.forms[0].elements.{name}.options[2].value")
        form.select_option(f"select[name={name}]", option)
        compare(name, lambda row: row[place] == option)
        form.select_option(f"select[name={name}]", "")
    form.select_option("select[name=account]", label="ben")
    form.select_option("select[name=state]", "refund")
    account = page.evaluate("document.forms[0].elements.account.value")
    compare("account and state", lambda row: row[1] == "refund" and row[2] == account)
    # A link leads to its row, though it was hidden.
    form.click("#rows li:not([hidden]) a")
    form.locator("#rows li:target").wait_for()
    form.click("button[type=reset]")
    # The page's policy keeps Playwright from waiting for an expression.
    form.locator(f"output:text-is('{len(everything)} events')").wait_for()
    check(page.evaluate(ROWS) == everything, "after all are shown again, some events are not")
    check(page.page.locator("#rows details").first.get_attribute("open") is None, "what was folded stays open")
    check(not page.errors, f"while events are filtered: {page.errors}")
    return len(everything)


with Browser() as browser:
    # The first page starts what Chromium needs for any.
    page = opened(browser, small)
    check_filters(page)

    times = {}
    for width in (360, 1440):
        for is_dark in (False, True):
            page = opened(browser, large, width=width, is_dark=is_dark)
            # The quicker of two: what else the machine does is no matter of the page.
            times[width] = min(page.seconds, times.get(width, page.seconds))
            color = page.evaluate("getComputedStyle(document.body).backgroundColor")
            check(color == ("rgb(13, 17, 23)" if is_dark else "rgb(255, 255, 255)"), f"the background is {color}")
            if not is_dark:
                count = check_filters(page)
            page.close()
    check(count >= 10_000, f"there are only {count} events")
    for width in times:
        for _ in range(ATTEMPTS):
            if times[width] < LIMIT:
                break
            page = opened(browser, large, width=width)
            times[width] = min(page.seconds, times[width])
            page.close()
    slowest = max(times.values())
    check(slowest < LIMIT, f"{count} events take {slowest:.2f} s to open, and may take {LIMIT}")

    # What is set up is folded, and unfolds by keyboard. The lines follow.
    page = opened(browser, large, width=1440)
    first = page.page.locator("#rows details summary").first
    height = page.evaluate("+document.getElementById('lines').getAttribute('height')")
    check(not page.page.locator("#e0").is_visible(), "what is set up is not folded")
    first.focus()
    page.page.keyboard.press("Enter")
    page.page.locator("#e0").wait_for()
    page.page.locator(f"#lines:not([height='{height}'])").wait_for(state="attached")
    page.page.keyboard.press("Enter")
    page.page.locator(f"#lines[height='{height}']").wait_for(state="attached")

    # Rows whose layout is put off are as high as is said, so that lines meet marks.
    for place in (20, 5_000, count - 1):
        page.evaluate(f"document.getElementById('e{place}').scrollIntoView()")
        off = page.evaluate("""place => {
            const rows = document.getElementById("rows").getBoundingClientRect().top;
            let y = 0;
            for (const row of document.querySelectorAll("#rows > ol > li")) {
                if (row.id === `e${place}`) return Math.abs(row.getBoundingClientRect().top - rows - y);
                y += +row.dataset.h;
            } }""", place)
        check(off < 1, f"the row of event {place} is {off} pixels off")
        # However far one has scrolled, the heads are in sight, above their marks.
        heads = page.evaluate("""place => {
            const row = document.getElementById(`e${place}`), mark = row.querySelector("use:last-of-type");
            const head = document.getElementById(`h${row.dataset.l}`).getBoundingClientRect();
            const box = mark.getBoundingClientRect();
            return [head.top, head.bottom - box.top, (head.left + head.right) / 2 - (box.left + box.right) / 2] }""", place)
        check(heads[0] >= 0 and heads[1] <= 0 and abs(heads[2]) < 2, f"the heads are off at event {place}: {heads}")

    # Nothing is cut off, or to be reached only sideways: where lanes and sentences do not fit, the page is a list.
    for url, least in ((small, 1440), (crowded, 1760)):
        for width in (360, 768, 1024, 1440, 1760):
            for has_script in (False, True):
                page = opened(browser, url, width=width, has_script=has_script)
                check(page.overflow(width) <= 0, f"{url} is {page.overflow(width)} pixels too wide for {width}")
                has_heads = page.page.locator(".heads").is_visible()
                check(width < least or has_heads, f"{url} has no lanes at {width}")
                page.close()

    # Without its script the page has every sentence, and no form that would do nothing.
    page = opened(browser, large, has_script=False)
    check(page.page.locator("#rows li[data-k]").count() == count, "without a script there are other rows")
    check(not page.page.locator("form").is_visible(), "the filters are shown without a script")
    check("refunded #2" in page.page.inner_text("main"), "without a script a sentence is missing")
    page.page.click("#rows li a >> nth=0")
    check(page.page.locator(":target").is_visible(), "without a script a link leads nowhere")

    # On paper: light, without the form, with heads on each page.
    # A sheet of A4 has about 700 pixels between its margins.
    page = opened(browser, small, is_dark=True, width=700)
    page.page.emulate_media(media="print", color_scheme="dark")
    PAPER = """[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.querySelector(".bar")).display,
        ...["output", "form label", "form button", ".heads", "#lines"].map(name => document.querySelector(name).checkVisibility())]"""
    paper, light, head = page.evaluate(PAPER), "rgb(255, 255, 255)", "table-header-group"
    check(paper == [light, head, False, False, False, True, False], f"on paper it is {paper}")
    # What was searched for is said to be a part.
    page.page.evaluate("""() => { document.forms[0].elements.words.value = "refunded";
        document.forms[0].dispatchEvent(new Event("input", { bubbles: true })); }""")
    paper = page.evaluate(PAPER)
    check(paper == [light, head, True, False, False, True, False], f"after a search, on paper it is {paper}")
    check(page.page.text_content("output").startswith("1 of "), "on paper the count is another one")
    # Lanes that do not fit are a list, which names the people.
    page = opened(browser, crowded, width=700)
    page.page.emulate_media(media="print")
    paper = page.evaluate(PAPER)
    check(paper == [light, head, False, False, False, False, False], f"on paper many lanes are {paper}")

    # What a screen reader is told.
    page = opened(browser, small)
    tree = page.page.locator("body").aria_snapshot()
    for part in ("heading \"Store timeline\"", "searchbox \"Search", "combobox \"Product", "img \"refunded\"", "listitem"):
        check(part in tree, f"a screen reader finds no {part}")
    page = opened(browser, picture)
    tree = page.page.locator("svg").aria_snapshot()
    for part in ("group \"Store timeline", "list", "refunded #2, 0.99 paid back"):
        check(part in tree, f"in the picture a screen reader finds no {part}")

print(f"timeline: {count} events open in {slowest:.2f} s, {(folder / 'large.html').stat().st_size / 1e6:.1f} MB")
