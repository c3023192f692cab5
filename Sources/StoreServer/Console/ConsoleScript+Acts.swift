extension ConsoleScript {
    /// The operator actions, by the buttons and by the form generated from the table of commands.
    static let acts = #"""
        // What is being performed. Its button is not disabled meanwhile: it would lose the focus.
        const running = new Set();

        async function perform(line, button) {
          if (!mayAct() || running.has(line)) return;
          running.add(line);
          if (button) button.setAttribute("aria-busy", "true");
          try {
            const { answer } = await request("act", { method: "POST", body: line });
            const lines = answer.split("\n");
            tell(lines.length > 1 ? `${line}: ${lines.length} lines, below the form` : answer || "Done.");
            byId("answer").textContent = answer;
            byId("answer").hidden = lines.length < 2;
          } catch (error) {
            tell(error.message, true);
            if (error.status === 403) byId("token-form").hidden = false;
          }
          running.delete(line);
          if (button) button.removeAttribute("aria-busy");
          read();
        }

        function showTime() {
          const durations = [["1 hour", "1h"], ["1 day", "1d"], ["1 week", "1w"], ["1 month", "1mo"], ["1 year", "1y"]];
          const place = byId("time");
          if (!page.state.clock.isMovable) {
            place.replaceChildren(element("p", { class: "empty" }, "This store’s clock cannot be moved."));
          } else if (place.childElementCount !== durations.length) {
            place.replaceChildren(...durations.map(([words, word]) => act("Advance " + words, "advance", [word])).filter(Boolean));
          }
          for (const button of place.querySelectorAll("button")) button.disabled = !mayAct();
        }

        function fillLists() {
          const state = page.state;
          const values = {
            product: state.products.rows.map((row) => row.id), account: state.accounts.rows.map((row) => row.id),
            device: state.devices.rows.map((row) => row.id),
            group: [...new Set(state.products.rows.map((row) => row.group).filter(Boolean))],
            transaction: state.transactions.rows.map((row) => row.id),
          };
          for (const [kind, words] of Object.entries(values)) {
            byId("list-" + kind).replaceChildren(...words.map((word) => element("option", { value: word })));
          }
        }

        const command = () => page.commands.find((one) => one.name === byId("command").value);

        function showCommands() {
          const groups = new Map();
          for (const one of page.commands) groups.set(one.group, [...(groups.get(one.group) || []), one]);
          byId("command").replaceChildren(...[...groups].map(([group, members]) => element("optgroup", { label: group },
            ...members.map((one) => element("option", { value: one.name }, one.name)))));
          showFields();
        }

        function showFields() {
          const chosen = command();
          if (!chosen) return;
          byId("summary").textContent = chosen.summary + ".";
          byId("fields").replaceChildren(...[...chosen.parameters, ...chosen.options].map((one, index) => {
            const id = "field-" + index;
            const label = one.name.replace(/^--/, "") + (one.isOptional ? " (optional)" : "");
            const hint = one.summary || one.hint;
            return element("div", {}, element("label", { for: id, title: hint }, label), field(one, id, hint));
          }));
          showLine();
        }

        function field(one, id, hint) {
          const shared = { id, "data-name": one.name, title: hint };
          if (!one.kind) return element("input", { ...shared, type: "checkbox" });
          if (one.kind === "choice") {
            const words = one.isOptional ? ["", ...one.words] : one.words;
            return element("select", shared, ...words.map((word) => element("option", { value: word }, word || "–")));
          }
          const list = byId("list-" + one.kind) ? "list-" + one.kind : null;
          return element("input", { ...shared, list, placeholder: hint, autocomplete: "off", spellcheck: "false",
            required: !one.isOptional });
        }

        function line() {
          const chosen = command();
          if (!chosen) return "";
          const words = [chosen.name];
          for (const one of byId("fields").querySelectorAll("input, select")) {
            const name = one.dataset.name;
            const isOption = name.startsWith("--");
            if (one.type === "checkbox") { if (one.checked) words.push(name); continue; }
            const value = one.value.trim();
            if (!value) continue;
            if (isOption) words.push(name);
            words.push(quoted(value));
          }
          return words.join(" ");
        }

        const showLine = () => { byId("line").textContent = line(); };
        """#

    /// Reading the state, receiving events, and reconnecting to the server.
    static let connection = #"""
        // One reading at a time; what changes meanwhile is read behind it.
        let reading = false;
        let isStale = false;
        async function read() {
          isStale = true;
          if (reading) return;
          reading = true;
          try {
            while (isStale) {
              isStale = false;
              const state = await request("state");
              const known = new Set(state.transactions.rows.map((row) => row.id));
              const last = page.state && page.state.transactions.rows;
              // Rows that new ones have pushed off the first page are still between it and the older ones.
              if (page.older.length && last) page.older = [...last, ...page.older].filter((row) => !known.has(row.id));
              page.state = state;
              page.reads += 1;
              show();
              document.body.dataset.reads = page.reads;
            }
          } catch (error) {
            if (error.status) tell(error.message, true);
          }
          reading = false;
        }

        async function readOlder() {
          const rows = [...page.state.transactions.rows, ...page.older];
          try {
            const state = await request("state?before=" + encodeURIComponent(rows[rows.length - 1].id));
            page.older.push(...state.transactions.rows);
            showTransactions();
          } catch (error) {
            tell(error.message, true);
          }
        }

        let source = null;
        let watch = null;
        let wait = 500;

        function connect() {
          source = new EventSource("/console/events" + (page.place ? "?after=" + encodeURIComponent(page.place) : ""));
          const hear = (name, body) => source.addEventListener(name, (event) => {
            keepWatch();
            body(JSON.parse(event.data), event.lastEventId);
          });
          hear("hello", greet);
          hear("line", addLine);
          hear("gap", forgetLines);
          hear("changed", read);
          hear("beat", (beat) => { byId("now").textContent = beat.now; });
          hear("trouble", (trouble) => tell(trouble.error, true));
          source.onerror = lose;
          keepWatch();
        }

        // The server gives a sign of life every few seconds.
        function keepWatch() {
          clearTimeout(watch);
          watch = setTimeout(lose, 20000);
        }

        function lose() {
          if (!source) return;
          source.close();
          source = null;
          clearTimeout(watch);
          byId("lost").hidden = false;
          byId("connection").textContent = "Not connected";
          byId("connection").className = "off";
          setTimeout(connect, wait);
          wait = Math.min(wait * 2, 5000);
        }

        async function greet(hello) {
          wait = 500;
          byId("lost").hidden = true;
          byId("connection").textContent = "Connected";
          byId("connection").className = "on";
          if (page.instance !== hello.instance) {
            // Another server, of perhaps another store.
            forgetLines(false);
            page.older = [];
            const isRestart = page.instance !== null;
            page.instance = hello.instance;
            page.place = null;
            if (isRestart) tell("The server was started again.");
          }
          if (hello.areSomeMissing) forgetLines();
          try {
            page.commands = (await request("commands")).commands;
            if (!command()) showCommands();
          } catch (error) {
            tell(error.message, true);
          }
          read();
        }

        function forgetLines(areMissing = true) {
          byId("missing").hidden = !areMissing;
          byId("timeline").replaceChildren();
        }

        function addLine(entry, place) {
          page.place = place;
          const about = [entry.account, entry.device, entry.transaction && "#" + entry.transaction,
            entry.product && (entry.quantity ? `${entry.quantity} × ${entry.product}` : entry.product)].filter(Boolean);
          const list = byId("timeline");
          list.prepend(element("li", { class: entry.isRefusal ? "new bad" : "new" },
            element("time", {}, entry.date), (about.length ? about.join(" · ") + ": " : "") + entry.sentence));
          if (list.childElementCount > 500) byId("missing").hidden = false;
          while (list.childElementCount > 500) list.lastChild.remove();
        }

        takeToken();
        byId("command").addEventListener("change", showFields);
        byId("fields").addEventListener("input", showLine);
        byId("older").addEventListener("click", readOlder);
        byId("act").addEventListener("submit", (event) => { event.preventDefault(); perform(line(), byId("perform")); });
        byId("token-form").addEventListener("submit", (event) => {
          event.preventDefault();
          sessionStorage.setItem("token", byId("token").value.trim());
          byId("token").value = "";
          read();
        });
        addEventListener("hashchange", () => { takeToken(); read(); });
        connect();
        """#
}
