/// The page: its sections, empty until the script has read the store.
enum ConsolePage {
    static let html = """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>Sandbox store</title>
        <link rel="icon" href="data:,">
        <link rel="stylesheet" href="/console/page.css">
        <script src="/console/page.js" defer></script>
        </head>
        <body>
        <a class="skip" href="#main">Skip to the store</a>
        <header>
          <h1>Sandbox store</h1>
          <p id="app"></p>
          <p id="clock">The store’s clock: <time id="now">–</time> UTC <span id="lead"></span></p>
          <p id="connection" role="status">Connecting…</p>
        </header>
        <div id="messages">
        <div id="lost" class="banner" role="alert" hidden>Connection lost – retrying. What is shown may be old.</div>
        <form id="token-form" class="banner" hidden>
          <label for="token">To act on the store, enter the token that the server printed when it started:</label>
          <input id="token" autocomplete="off" spellcheck="false">
          <button>Use this token</button>
        </form>
        <noscript><p class="banner">This page needs JavaScript.</p></noscript>
        <p id="news" role="status" aria-live="polite"></p>
        </div>
        <main id="main" tabindex="-1">
          <section aria-labelledby="waiting-title" class="wide">
            <h2 id="waiting-title">Waiting for a decision</h2>
            <div id="undecided"></div>
          </section>
          <section aria-labelledby="time-title">
            <h2 id="time-title">Time</h2>
            <div id="time" class="buttons"></div>
          </section>
          <section aria-labelledby="act-title">
            <h2 id="act-title">Acts</h2>
            <form id="act">
              <label for="command">Command</label>
              <select id="command"></select>
              <p id="summary"></p>
              <div id="fields"></div>
              <p class="line"><code id="line"></code></p>
              <button id="perform">Perform</button>
            </form>
            <pre id="answer" tabindex="0" aria-label="Answer" hidden></pre>
          </section>
          <section aria-labelledby="transactions-title" class="wide">
            <h2 id="transactions-title">Transactions</h2>
            <div id="transactions"></div>
            <div class="buttons"><button id="older" type="button" hidden>Show older ones</button></div>
          </section>
          <section aria-labelledby="subscriptions-title" class="wide">
            <h2 id="subscriptions-title">Subscriptions</h2>
            <div id="subscriptions"></div>
          </section>
          <section aria-labelledby="products-title" class="wide">
            <h2 id="products-title">Products</h2>
            <div id="products"></div>
          </section>
          <section aria-labelledby="accounts-title">
            <h2 id="accounts-title">Accounts</h2>
            <div id="accounts"></div>
          </section>
          <section aria-labelledby="devices-title">
            <h2 id="devices-title">Devices</h2>
            <div id="devices"></div>
          </section>
          <section aria-labelledby="timeline-title" class="wide">
            <h2 id="timeline-title">Timeline</h2>
            <p id="missing" hidden>Older lines are not shown.</p>
            <ol id="timeline" reversed tabindex="0" aria-label="Timeline, newest first"></ol>
          </section>
        </main>
        <dialog id="details" aria-labelledby="details-title">
          <h2 id="details-title">Transaction</h2>
          <div id="details-body"></div>
          <form method="dialog"><button>Close</button></form>
        </dialog>
        <datalist id="list-product"></datalist>
        <datalist id="list-account"></datalist>
        <datalist id="list-device"></datalist>
        <datalist id="list-group"></datalist>
        <datalist id="list-transaction"></datalist>
        </body>
        </html>
        """
}
