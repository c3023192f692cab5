/// The style sheet of a timeline's page: a list for narrow windows, lanes for wide ones and for paper.
struct TimelinePageStyle {
    let text: String

    /// The width of the times, in front of the lanes.
    private static let timeWidth = 80
    /// The least width of text on paper.
    private static let paperText = 240

    /// Creates the style sheet of a picture, from its layout and the heights of the blocks of rows.
    init(_ picture: TimelinePicture, _ layout: TimelineLayout, blocks: [Int]) {
        let columns = picture.rows.lazy.map { row in
            switch row {
            case .event(let event): event.columns(withPeople: true)
            case .fold(let fold): MarkupText.columns(fold.title)
            case .pause: 0
            }
        }
        // The width of the margins, the time, the lanes, and generously wide letters, with space for links.
        let wide = 74 + Self.timeWidth + layout.width + ((columns.max() ?? 0) + 14) * 15 / 2
        let paper = Self.timeWidth + layout.width + Self.paperText
        let row = TimelineLayout.rowHeight
        let places = layout.lanes.indices
        // A line for each lane, below the rows.
        let lines = places.map { place in
            "linear-gradient(var(--rule),var(--rule)) calc(\(Self.timeWidth)px + var(--x\(place))) 0/1px 100% no-repeat"
        }
        let heads = places.map { place in
            "#h\(place){left:\(layout.lanes[place] - layout.widths[place] / 2)px;width:\(layout.widths[place])px}"
        }
        let groups = picture.lanes.groups.enumerated().filter { !$0.element.lanes.isEmpty }.map { place, group in
            let start = layout.lanes[group.lanes.lowerBound] - layout.widths[group.lanes.lowerBound] / 2
            return "#g\(place){left:\(start + 5)px;width:\(group.lanes.reduce(0) { $0 + layout.widths[$1] } - 10)px}"
        }
        text = """

            \(TimelineStyle.colors)
            \(TimelineStyle.drawing)
            *{box-sizing:border-box}
            body{margin:0;padding:24px;background:var(--back);color:var(--text);\
            font:14px/20px system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;overflow-wrap:anywhere}
            h1{font-size:20px;line-height:28px;font-weight:600;margin:0}header p{margin:0 0 12px;color:var(--soft)}
            b{font-weight:600}
            pre{white-space:pre-wrap;background:var(--band);padding:12px;border-radius:8px;\
            font:12px/18px ui-monospace,"SF Mono",Menlo,Consolas,monospace}
            ol,ul{list-style:none;margin:0;padding:0}
            .shapes{position:absolute;width:0;height:0}
            .legend{display:flex;flex-wrap:wrap;gap:4px 16px}
            .legend li{display:flex;align-items:center;gap:4px}
            .bar{background:var(--back)}
            form{display:flex;flex-wrap:wrap;gap:8px 16px;align-items:center;padding:12px 0}
            [hidden]{display:none!important}
            form label{display:flex;align-items:center;gap:8px}
            form select,form input{width:10rem;text-overflow:ellipsis}form input{width:14rem}
            input,select,button{font:inherit;color:var(--text);background:var(--back);border:1px solid var(--edge);\
            border-radius:6px;padding:0 8px;height:32px}
            button{cursor:pointer}button:hover{background:var(--band)}
            ::placeholder{color:var(--soft);opacity:1}
            label,output{color:var(--soft)}output{font-variant-numeric:tabular-nums}
            :focus-visible{outline:2px solid var(--link);outline-offset:1px}summary:focus-visible{outline-offset:-2px}
            a{color:var(--link);text-decoration:none;margin-left:6px;white-space:nowrap}a:hover{text-decoration:underline}
            i{font-style:normal;color:var(--soft)}time{color:var(--soft);font-variant-numeric:tabular-nums}
            bdi,b{unicode-bidi:isolate}
            #rows{position:relative}
            #rows ol{content-visibility:auto;contain-intrinsic-height:auto var(--size,2600px)}
            #rows .fold ol{content-visibility:visible}
            li p{margin:0;color:var(--text)}
            #rows li:not(.fold),summary{display:grid;grid-template-columns:70px 28px 1fr;padding:4px 0;\
            scroll-margin-top:24px}
            #rows li>svg,#rows summary svg{width:24px;height:20px;overflow:visible}
            #rows use{transform:translate(10px,10px)}#rows .order[href="#k-command"]{display:none}
            #rows li:target{background:var(--band);box-shadow:inset 3px 0 var(--link)}
            #rows .pause:not(.fold){display:block;margin-top:8px;border-top:1px solid var(--rule);padding-top:8px}
            summary{cursor:pointer;color:var(--soft)}summary:hover{color:var(--text)}
            summary span::after{content:" ▸"}[open] summary span::after{content:" ▾"}
            #lines,.heads,.some .pause i,#rows br{display:none}
            @media (max-width:480px){
            body{padding:12px}form{display:grid;grid-template-columns:1fr 1fr 1fr;gap:8px;padding:12px 0 4px}
            form label{display:block}form label:first-child{grid-column:span 3}form input,form select{width:100%;height:40px}
            button{height:40px}output{grid-column:span 2}
            }
            @media screen and (min-width:\(wide)px),print and (min-width:\(paper)px){
            main{--lanes:\(layout.width)px;\(places.map { "--x\($0):\(layout.lanes[$0])px" }.joined(separator: ";"))}
            .heads{display:\(picture.lanes.all.isEmpty ? "none" : "block");position:relative;height:62px;\
            margin-left:\(Self.timeWidth)px;width:var(--lanes);font-size:12px;line-height:16px;color:var(--soft)}
            .heads>*{position:absolute;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
            .heads b{top:0;height:19px;font-size:13px;color:var(--text);border-bottom:1px solid var(--rule)}
            .heads span{top:23px;text-align:center;padding:0 2px}
            .heads svg{display:block;width:18px;height:18px;margin:0 auto 1px}
            \((heads + groups).joined())
            #rows>ol{background:\(lines.isEmpty ? "none" : lines.joined(separator: ","));print-color-adjust:exact}
            #rows li:not(.fold),summary{grid-template-columns:\(Self.timeWidth)px calc(var(--lanes) + 10px) 1fr;padding:0}
            #rows li>svg,#rows summary svg{width:calc(var(--lanes) + 10px);height:\(row)px}
            #rows li>time,summary time{line-height:\(row)px}
            #rows li p,summary span{line-height:\(TimelineLayout.lineHeight)px;padding:\((row - TimelineLayout.lineHeight) / 2)px 0}
            #rows .order[href="#k-command"]{display:inline}summary use{display:none}
            #rows .fold li use{transform:translate(calc(var(--lanes) - 4px),\(row / 2)px)}
            \(places.map { "#rows li .m\($0){transform:translate(var(--x\($0)),\(row / 2)px)}" }.joined())
            #rows .pause:not(.fold){height:\(TimelineLayout.pauseHeight)px;line-height:\(TimelineLayout.pauseHeight)px;\
            margin:0;border:0;padding:0}
            #rows:not(.some) .pause.gap{background:var(--band);print-color-adjust:exact}
            #rows .pause i{position:absolute;left:calc(\(Self.timeWidth + 10)px + var(--lanes))}
            }
            @media screen and (min-width:\(wide)px){
            html{scroll-padding-top:136px}
            .bar{position:sticky;top:0;z-index:2;border-bottom:1px solid var(--rule)}
            #lines{display:block;position:absolute;top:0;left:\(Self.timeWidth)px;pointer-events:none}
            #rows:not(.live):has([open]) #lines{display:none}
            #rows ol{position:relative;contain-intrinsic-height:var(--size)}
            #rows li,summary{white-space:nowrap;scroll-margin-top:0}#rows br{display:inline}
            }
            @media print{
            @page{margin:12mm}
            body{padding:0;font-size:12px}
            main:not(:has(>.some)) form,form label,form button{display:none}form{padding:0 0 8px}
            main{display:table;width:100%}.bar{display:table-header-group;break-inside:avoid}#rows{display:table-row-group}
            #rows ol{content-visibility:visible}
            li{break-inside:avoid}#rows .pause{break-after:avoid}
            a{color:var(--soft)}
            }
            \(blocks.enumerated().map { "#b\($0.offset){--size:\($0.element)px}" }.joined())

            """
    }
}
