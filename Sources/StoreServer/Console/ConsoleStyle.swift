/// The page's colors and layout, by day and by night, from 360 pixels on.
enum ConsoleStyle {
    static let css = """
        :root { color-scheme: light dark; --ground: #f6f7f9; --card: #ffffff; --ink: #1b1f24; --quiet: #57606a;
          --edge: #d0d7de; --accent: #0a58b0; --on-accent: #ffffff; --bad: #b3261e; --good: #1a6b33; --warn: #fff3cd;
          --on-warn: #533f03 }
        @media (prefers-color-scheme: dark) { :root { --ground: #0f1419; --card: #171d24; --ink: #e6edf3;
          --quiet: #9aa7b4; --edge: #323c47; --accent: #79b8ff; --on-accent: #0b1620; --bad: #ff8a80; --good: #56d364;
          --warn: #4a3b0b; --on-warn: #ffe9a8 } }
        * { box-sizing: border-box }
        [hidden] { display: none !important }
        body { margin: 0; background: var(--ground); color: var(--ink);
          font: 15px/1.45 system-ui, "DejaVu Sans", sans-serif }
        header { display: flex; flex-wrap: wrap; gap: .2rem 1.5rem; align-items: baseline; padding: 1rem;
          border-bottom: 1px solid var(--edge); background: var(--card) }
        h1 { font-size: 1.25rem; margin: 0 }
        h2 { font-size: 1.05rem; margin: 0 0 .6rem }
        h3 { font-size: .95rem; margin: 1rem 0 .3rem }
        p { margin: 0 }
        header p { color: var(--quiet) }
        #connection::before { content: "●"; margin-right: .35em; color: var(--quiet) }
        #connection.on::before { color: var(--good) }
        #connection.off::before { content: "▲"; color: var(--bad) }
        .skip { position: absolute; left: -999px }
        .skip:focus { left: 1rem; top: .5rem; background: var(--card); padding: .4rem .8rem; z-index: 2 }
        html { scroll-padding-top: 4rem }
        #messages { position: sticky; top: 0; z-index: 1; background: var(--ground) }
        .banner { padding: .7rem 1rem; background: var(--warn); color: var(--on-warn); font-weight: 600 }
        form.banner { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; font-weight: 400 }
        form.banner input { flex: 1 1 12rem }
        #news { padding: .5rem 1rem; min-height: 2.4rem; max-height: 30vh; overflow: auto; overflow-wrap: anywhere;
          color: var(--good) }
        #news.bad { color: var(--bad) }
        main { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 1rem; padding: 0 1rem 1rem;
          max-width: 1500px; margin: 0 auto }
        main:focus { outline: none }
        section { background: var(--card); border: 1px solid var(--edge); border-radius: 8px; padding: 1rem; min-width: 0 }
        .wide { grid-column: 1 / -1 }
        .empty, .total { color: var(--quiet) }
        .buttons { display: flex; flex-wrap: wrap; gap: .5rem; margin-top: .5rem }
        button, input, select { font: inherit; color: inherit; min-height: 2.1rem; border-radius: 6px;
          border: 1px solid var(--edge); background: var(--ground); padding: .2rem .7rem; max-width: 100% }
        button { cursor: pointer; background: var(--card); border-color: var(--accent); color: var(--accent) }
        button:hover:not(:disabled), #perform, form.banner button { background: var(--accent); color: var(--on-accent) }
        button[aria-busy] { opacity: .55 }
        button:disabled { opacity: .55; cursor: default }
        :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
        #answer { margin-top: .6rem; max-height: 20rem; overflow: auto; white-space: pre }
        #act { display: grid; gap: .5rem }
        #act select, #act input { width: 100% }
        #fields { display: grid; gap: .5rem; grid-template-columns: repeat(auto-fill, minmax(13rem, 1fr)) }
        #fields label { display: block; font-size: .85rem; color: var(--quiet) }
        #fields input[type=checkbox] { width: auto; min-height: 0 }
        #summary, .line { color: var(--quiet); overflow-wrap: anywhere }
        table { width: 100%; border-collapse: collapse }
        th, td { text-align: left; vertical-align: top; padding: .35rem .6rem .35rem 0; border-top: 1px solid var(--edge);
          overflow-wrap: anywhere }
        th { border-top: 0; font-size: .85rem; color: var(--quiet); font-weight: 600 }
        td.acts { display: flex; flex-wrap: wrap; gap: .35rem }
        td.acts button { min-height: 1.8rem; padding: .05rem .55rem; font-size: .9rem }
        .bad { color: var(--bad) }
        .good { color: var(--good) }
        .note { color: var(--quiet); font-size: .88rem }
        #timeline { margin: 0; padding-left: 3.2rem; max-height: 28rem; overflow: auto }
        #timeline li { padding: .2rem 0; overflow-wrap: anywhere }
        #timeline time { color: var(--quiet); margin-right: .5rem; font-variant-numeric: tabular-nums }
        dialog { width: min(60rem, calc(100vw - 1.5rem)); max-height: calc(100vh - 2rem); overflow: auto;
          border: 1px solid var(--edge); border-radius: 8px; background: var(--card); color: var(--ink) }
        dialog::backdrop { background: rgb(0 0 0 / .5) }
        pre { margin: 0; padding: .6rem; background: var(--ground); border: 1px solid var(--edge); border-radius: 6px;
          white-space: pre-wrap; overflow-wrap: anywhere; font-size: .85rem }
        dialog form { margin-top: 1rem }
        @media (max-width: 760px) {
          main { grid-template-columns: minmax(0, 1fr); padding: 0 .6rem .6rem; gap: .6rem }
          section { padding: .7rem }
          thead { position: absolute; left: -999px }
          table, tbody, tr, td { display: block }
          tr { border-top: 1px solid var(--edge); padding: .4rem 0 }
          td { border: 0; padding: .1rem 0 }
          td:not(.acts)[data-label]::before { content: attr(data-label) ": "; color: var(--quiet); font-size: .85rem }
          td:empty { display: none }
          td.acts { padding-top: .3rem }
        }
        @media (prefers-reduced-motion: no-preference) { #timeline li.new { animation: new 1.2s ease-out } }
        @keyframes new { from { background: var(--warn) } }
        """
}
