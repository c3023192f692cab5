/// The script of a page, which hides the rows that the filters exclude.
///
/// The page is complete without it.
enum TimelineScript {
    /// Rows retain their order, so that the lines between the visible ones can be redrawn.
    static let text = #"""
        "use strict";
        const form = document.forms[0], list = document.getElementById("rows");
        const lines = document.getElementById("lines"), output = form.elements.count;
        const blocks = [...list.querySelectorAll("ol")].map(element => ({ element, rows: [...element.children] }));
        const rows = blocks.flatMap(block => block.rows).map(element => {
          const data = element.dataset;
          return {
            element, isEvent: "k" in data, isDay: "d" in data, kind: data.k, account: data.a, product: data.p, height: +data.h,
            lane: +data.l, sources: data.s ? data.s.split(" ").map(Number) : [], text: null, isHidden: false,
          };
        });
        const events = rows.filter(row => row.isEvent);
        const pitch = +list.dataset.pitch, half = +list.dataset.row / 2;

        function matcher(word) {
          // The number of a transaction is meant as a whole.
          if (!/^#\d+$/.test(word)) return text => text.includes(word);
          const number = new RegExp(word + "(?!\\d)");
          return text => number.test(text);
        }
        function path(from, fromY, to, toY) {
          const start = from * pitch + pitch / 2, end = to * pitch + pitch / 2, radius = pitch / 4;
          const gutter = start + (end < start ? -pitch : pitch) / 2;
          const out = gutter > start ? radius : -radius, back = end > gutter ? radius : -radius;
          return `M${start} ${fromY}H${gutter - out}q${out} 0 ${out} ${radius}V${toY - radius}` +
            `q0 ${radius} ${back} ${radius}H${end}`;
        }
        function filter() {
          const words = form.elements.words.value.toLowerCase().split(/\s+/).filter(Boolean).map(matcher);
          const { account, product, state } = form.elements;
          const isWhole = !words.length && !account.value && !product.value && !state.value;
          let shown = 0, pause = null, y = 0;
          // How much later an event is than one that is hidden, says nothing.
          list.classList.toggle("some", !isWhole);
          for (const row of rows) {
            if (row.isEvent) {
              let isShown = (!account.value || row.account === account.value) &&
                (!product.value || row.product === product.value) && (!state.value || row.kind === state.value);
              if (isShown && words.length) {
                row.text ??= row.element.textContent.toLowerCase();
                isShown = words.every(isIn => isIn(row.text));
              }
              row.isHidden = !isShown;
              if (isShown) { shown += 1; if (pause) { pause.isHidden = false; pause = null; } }
            } else { row.isHidden = true; if (isWhole || row.isDay) pause = row; }
          }
          const paths = {};
          for (const row of rows) {
            if (row.element.hidden !== row.isHidden) row.element.hidden = row.isHidden;
            if (row.isHidden) continue;
            row.y = y + half;
            y += row.height;
            for (const source of row.sources) {
              const from = events[source];
              if (!from.isHidden) paths[row.kind] = (paths[row.kind] ?? "") + path(from.lane, from.y, row.lane, row.y);
            }
          }
          let next = 0;
          for (const { element, rows: children } of blocks) {
            let height = 0;
            for (let i = 0; i < children.length; i += 1) { const row = rows[next + i]; if (!row.isHidden) height += row.height; }
            next += children.length;
            element.hidden = height === 0;
            element.style.setProperty("--size", `${height}px`);
          }
          lines.setAttribute("height", y);
          for (const line of lines.querySelectorAll("path")) line.setAttribute("d", paths[line.dataset.k] ?? "");
          output.value = isWhole ? output.defaultValue : `${shown} of ${events.length} events`;
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
