/// The script of a page, which hides the rows that the filters exclude, and the lanes that have none left.
///
/// The page is complete without it.
enum TimelineScript {
    /// Rows retain their order, so that the lines between the visible ones can be redrawn.
    static let text = #"""
        "use strict";
        const form = document.forms[0], list = document.getElementById("rows"), main = list.parentElement;
        const lines = document.getElementById("lines"), commands = document.getElementById("commands");
        const output = form.elements.count;
        const half = +list.dataset.row / 2, gutter = +list.dataset.gutter;
        const lanes = [...document.querySelectorAll(".heads span")].map(element => {
          return { element, width: +element.dataset.w, x: 0, start: 0, isShown: true };
        });
        const groups = [...document.querySelectorAll(".heads b")].map(element => {
          return { element, lanes: lanes.slice(+element.dataset.from, +element.dataset.to) };
        });
        function read(element, fold = null) {
          const data = element.dataset;
          return {
            element, fold, isEvent: "k" in data, isDay: "d" in data, kind: data.k, account: data.a, product: data.p, height: +data.h,
            lane: data.l, command: data.c, sources: data.s ? data.s.split(" ").map(Number) : [], text: null, isHidden: false,
          };
        }
        const folds = [];
        function readAll(element) {
          const row = read(element), details = element.querySelector("details");
          if (!details) return [row];
          const fold = { row, details, isOpened: false };
          fold.rows = [...details.querySelectorAll("li")].map(element => read(element, fold));
          folds.push(fold);
          details.addEventListener("toggle", draw);
          return [row, ...fold.rows];
        }
        const blocks = [...list.querySelectorAll(":scope > ol")].map(element => {
          return { element, rows: [...element.children].flatMap(readAll) };
        });
        const rows = blocks.flatMap(block => block.rows);
        const events = rows.filter(row => row.isEvent);
        let isWhole = true;

        function matcher(word) {
          // The number of a transaction is meant as a whole.
          if (!/^#\d+$/.test(word)) return text => text.includes(word);
          const number = new RegExp(word + "(?!\\d)");
          return text => number.test(text);
        }
        function path(from, fromY, to, toY) {
          const start = lanes[from].x, end = lanes[to].x, radius = gutter / 2;
          const side = start + (end < start ? -gutter : gutter);
          const out = side > start ? radius : -radius, back = end > side ? radius : -radius;
          return `M${start} ${fromY}H${side - out}q${out} 0 ${out} ${radius}V${toY - radius}` +
            `q0 ${radius} ${back} ${radius}H${end}`;
        }
        /** What a row says itself, without the links to what led to it. */
        function text(row) {
          const said = [...row.element.querySelector("p").childNodes].filter(node => node.localName !== "a");
          const state = row.element.querySelector("svg").getAttribute("aria-label");
          const time = row.element.querySelector("time").textContent;
          return `${state} ${time} ${said.map(node => node.textContent).join("")}`.toLowerCase();
        }
        function isVisible(row) { return !row.isHidden && (!row.fold || row.fold.details.open); }
        function filter() {
          const words = form.elements.words.value.toLowerCase().split(/\s+/).filter(Boolean).map(matcher);
          const { account, product, state } = form.elements;
          isWhole = !words.length && !account.value && !product.value && !state.value;
          let shown = 0, pause = null;
          // How much later an event is than one that is hidden, says nothing.
          list.classList.toggle("some", !isWhole);
          for (const row of rows) {
            if (row.isEvent) {
              let isShown = (!account.value || row.account === account.value) &&
                (!product.value || row.product === product.value) && (!state.value || row.kind === state.value);
              if (isShown && words.length) {
                row.text ??= text(row);
                isShown = words.every(isIn => isIn(row.text));
              }
              row.isHidden = !isShown;
              if (isShown) { shown += 1; if (pause) { pause.isHidden = false; pause = null; } }
            } else { row.isHidden = true; if (isWhole || row.isDay) pause = row; }
          }
          for (const fold of folds) {
            fold.row.isHidden = fold.rows.every(row => row.isHidden);
            // What is searched for is shown, and folded again afterwards.
            if (!isWhole && !fold.row.isHidden && !fold.details.open) fold.isOpened = fold.details.open = true;
            if (isWhole && fold.isOpened) fold.isOpened = fold.details.open = false;
          }
          for (const row of rows) if (row.element.hidden !== row.isHidden) row.element.hidden = row.isHidden;
          output.value = isWhole ? output.defaultValue : `${shown} of ${events.length} events`;
          draw();
        }
        /** Lays out the lanes that have events, and draws the lines between the events that are visible. */
        function draw() {
          list.classList.add("live");
          for (const lane of lanes) lane.isShown = isWhole;
          for (const row of rows) {
            if (isWhole || row.isHidden || row.lane === undefined) continue;
            lanes[row.lane].isShown = true;
            if (row.command !== undefined) lanes[row.command].isShown = true;
          }
          let width = 0;
          lanes.forEach((lane, place) => {
            lane.start = width;
            if (lane.isShown) width += lane.width;
            lane.x = width - Math.floor(lane.width / 2);
            lane.element.hidden = !lane.isShown;
            lane.element.style.left = `${lane.start}px`;
            main.style.setProperty(`--x${place}`, lane.isShown ? `${lane.x}px` : "-99in");
          });
          for (const group of groups) {
            const shown = group.lanes.filter(lane => lane.isShown);
            group.element.hidden = !shown.length;
            group.element.style.left = `${group.lanes[0].start + 5}px`;
            group.element.style.width = `${shown.reduce((sum, lane) => sum + lane.width, 0) - 10}px`;
          }
          main.style.setProperty("--lanes", `${width}px`);
          const paths = {};
          let y = 0, dots = "";
          for (const row of rows) {
            if (!isVisible(row)) continue;
            row.y = y + half;
            y += row.height;
            if (row.command !== undefined && row.command !== row.lane) {
              dots += `M${lanes[row.command].x} ${row.y}H${lanes[row.lane].x}`;
            }
            for (const source of row.sources) {
              const from = events[source];
              if (!isVisible(from) || from.lane === undefined) continue;
              paths[row.kind] = (paths[row.kind] ?? "") + path(from.lane, from.y, row.lane, row.y);
            }
          }
          for (const { element, rows } of blocks) {
            const height = rows.reduce((sum, row) => sum + (isVisible(row) ? row.height : 0), 0);
            element.hidden = height === 0;
            element.style.setProperty("--size", `${height}px`);
          }
          lines.setAttribute("height", y);
          lines.setAttribute("width", width);
          commands.setAttribute("d", dots);
          for (const line of lines.querySelectorAll("[data-k]")) line.setAttribute("d", paths[line.dataset.k] ?? "");
        }
        form.addEventListener("input", filter);
        form.addEventListener("submit", event => event.preventDefault());
        form.addEventListener("reset", () => setTimeout(filter));
        // A browser fills in what was asked for before a page was loaded again.
        addEventListener("pageshow", () => { if ([...new FormData(form).values()].some(Boolean)) filter(); });
        // A link leads to its row also where the row is hidden.
        addEventListener("hashchange", () => {
          const target = document.getElementById(location.hash.slice(1));
          if (target?.hidden) { form.reset(); filter(); target.scrollIntoView({ block: "center" }); }
        });
        form.hidden = false;
        """#
}
