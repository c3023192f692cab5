/// The style sheet of a page.
struct TimelinePageStyle {
    let text: String

    /// Creates the style sheet for a layout, text of a width in columns, and blocks of rows of these heights.
    init(_ layout: TimelineLayout, columns: Int, blocks: [Int]) {
        // The time, the lanes, and letters of a generous width, with room for links.
        let wide = min(110 + layout.width + (columns + 14) * 15 / 2, 1360)
        let row = TimelineLayout.rowHeight
        text = """

            \(TimelineStyle.colors)
            \(TimelineStyle.drawing)
            *{box-sizing:border-box}
            body{margin:0 auto;padding:1rem;max-width:90rem;background:var(--back);color:var(--text);\
            font:14px/1.4 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;overflow-wrap:anywhere}
            h1{font-size:1.4rem;margin:0}header p{margin:.2rem 0 .8rem;color:var(--soft)}
            pre{white-space:pre-wrap;background:var(--band);padding:.8rem;border-radius:6px;font-size:13px}
            ol,ul{list-style:none;margin:0;padding:0}
            .shapes{position:absolute;width:0;height:0}
            .legend{display:flex;flex-wrap:wrap;gap:.2rem 1rem;margin-bottom:.8rem}
            .legend li{display:flex;align-items:center;gap:.3rem}
            form{display:flex;flex-wrap:wrap;gap:.5rem 1rem;align-items:center;\
            padding:.6rem 0;background:var(--back);border-bottom:1px solid var(--rule)}
            [hidden]{display:none!important}
            form select,form input{max-width:12rem}
            input,select,button{font:inherit;color:inherit;background:var(--band);border:1px solid var(--rule);\
            border-radius:6px;padding:.25rem .5rem;min-height:2rem}
            label,output{color:var(--soft)}
            :focus-visible{outline:2px solid var(--link);outline-offset:1px}
            a{color:var(--link);text-decoration:none;margin-left:.4rem;white-space:nowrap}a:hover{text-decoration:underline}
            i{font-style:normal;color:var(--soft)}time{color:var(--soft);font-variant-numeric:tabular-nums}
            bdi,b{unicode-bidi:isolate}
            #rows{position:relative}
            #rows ol{content-visibility:auto;contain-intrinsic-height:auto var(--size,2600px)}
            li p{margin:0;color:var(--text)}
            #rows li{display:grid;grid-template-columns:4.2rem 1.8rem 1fr;padding:.25rem 0;scroll-margin-top:8rem}
            #rows li svg{width:24px;height:\(row)px;overflow:visible}
            #rows li:target{background:var(--band);box-shadow:inset 3px 0 var(--link)}
            #rows .pause{display:block;margin-top:.6rem;border-top:1px dotted var(--rule);padding-top:.3rem}
            #lines,.heads,.some .pause i{display:none}
            @media not all and (min-width:\(wide)px){
            #rows li use{transform:translate(10px,11px)}#rows li path.l,#rows li use[href="#k-command"]{display:none}
            #rows li br{display:none}
            }
            @media (min-width:\(wide)px){
            form{position:sticky;top:0;z-index:2}
            .heads{display:block;overflow:visible;margin-left:80px;fill:var(--soft);font-size:13px}
            #lines{display:block;position:absolute;top:0;left:80px;pointer-events:none;background:\
            linear-gradient(90deg,transparent \(layout.pitch / 2)px,var(--rule) 0 \(layout.pitch / 2 + 1)px,transparent 0)\
             0 0/\(layout.pitch)px 1px}
            #rows ol{position:relative;contain-intrinsic-height:var(--size)}
            #rows li{grid-template-columns:80px \(layout.width + 10)px 1fr;padding:0;line-height:\(row)px;white-space:nowrap}
            #rows li svg{width:\(layout.width)px}
            #rows li p{line-height:\(TimelineLayout.lineHeight)px;padding:\((row - TimelineLayout.lineHeight) / 2)px 0}
            #rows .pause{height:\(TimelineLayout.pauseHeight)px;margin:0;border:0;line-height:\(TimelineLayout.pauseHeight)px;padding:0}
            #rows:not(.some) .pause.gap{background:var(--band);border-radius:4px}
            #rows .pause i{position:absolute;left:\(90 + layout.width)px}
            }
            \(blocks.enumerated().map { "#b\($0.offset){--size:\($0.element)px}" }.joined())

            """
    }
}
