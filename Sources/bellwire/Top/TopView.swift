import Base
import Terminal
import WebPush

/// `bellwire top` on a terminal, as a value: keys and reports go in, actions and screens come out.
struct TopView {
    enum Action: Equatable {
        case quit
        case pause
        case redraw
    }

    let context: ViewContext
    var report: Overview
    var rates = OverviewRates()
    var table = OverviewTable.registrations
    /// A row is named by its place, because events have no names.
    var list = ScrollingList<Int>()
    var showsHelp = false
    /// Why there is no newer report; empty if there is one.
    var trouble = ""
    /// How many rows the table had when it was drawn.
    var page = 1

    init(_ report: Overview, _ context: ViewContext, at time: Double) {
        self.report = report
        self.context = context
        received(report, at: time)
    }

    mutating func received(_ report: Overview, at time: Double) {
        self.report = report
        rates.add(report, at: time)
        trouble = ""
        list.update(Array(0..<table.count(report)))
    }

    /// A report could not be had. `message` is the server's reason; nil if there was no answer.
    mutating func missed(_ message: String?) {
        trouble = message.map { context.language.say(.refused, $0) } ?? context.say(.waiting)
    }

    mutating func typed(_ key: Key) -> [Action] {
        switch key {
        case .control("c"): return [.quit]
        case .control("z"): return [.pause]
        case .control("l"): return [.redraw]
        default: break
        }
        if showsHelp {
            showsHelp = false
            return []
        }
        if list.take(key, page: page) { return [] }
        let tables = OverviewTable.allCases
        switch key {
        case .text("q"): return [.quit]
        case .text("?"): showsHelp = true
        case .tab, .right: show(tables[(table.rawValue + 1) % tables.count])
        case .backTab, .left: show(tables[(table.rawValue + tables.count - 1) % tables.count])
        case .text(let text):
            if let number = Int(text), (1...tables.count).contains(number) {
                show(tables[number - 1])
            }
        default: break
        }
        return []
    }

    private mutating func show(_ table: OverviewTable) {
        self.table = table
        list = ScrollingList()
        list.update(Array(0..<table.count(report)))
    }
}

/// What the view looks like.
extension TopView {
    /// Title, rates, counts, load, names of the tables, header of the table.
    private static let rowsAbove = 6
    private static let rowsBelow = 2

    private static let keys: [(key: String, meaning: TerminalSentence)] = [
        ("tab ← →", .nextTableKeys), ("1 2 3 4", .tableKeys), ("↑ ↓ j k", .moveKeys),
        ("ctrl-l", .redrawKeys), ("?", .helpKeys), ("q ctrl-c", .quitKeys),
    ]

    mutating func screen(_ size: ScreenSize, now: Int) -> Screen {
        var screen = Screen(size)
        let text = OverviewText(report: report, context: context)
        let isWell = trouble.isEmpty && report.isUsable
        screen.drawTitle(
            text.title,
            right: !trouble.isEmpty
                ? trouble : report.isUsable ? text.uptime : context.say(.unusable),
            isWell ? .reversed : Style.coloured(.yellow).asReversed)
        guard !showsHelp else {
            screen.drawHelp(
                Self.keys.map { ($0.key, context.say($0.meaning)) },
                hint: context.say(.overlayHint))
            return screen
        }
        let columns = screen.columns(1, to: size.columns - 1)
        drawRate(&screen, columns)
        screen.write(text.totals, row: 2, columns: columns)
        screen.write(text.load, row: 3, columns: columns)
        drawTables(&screen)
        let rows = Self.rowsAbove..<max(size.rows - Self.rowsBelow, Self.rowsAbove)
        drawTable(&screen, rows, now)
        guard size.rows > Self.rowsAbove else { return screen }
        if let row = list.selected {
            screen.write(
                table.detail(report, row: row, context), row: size.rows - 2, columns: columns,
                .coloured(.cyan))
        }
        screen.write(context.say(.topHints), row: size.rows - 1, columns: columns, .dim)
        return screen
    }

    private func drawRate(_ screen: inout Screen, _ columns: Range<Int>) {
        guard let rate = rates.current else { return }
        let words = context.language.say(.rate, OverviewText.tenths(rate))
        let start = screen.write(words, row: 1, columns: columns, .bold) + 2
        guard start < columns.upperBound else { return }
        screen.write(
            Sparkline.text(rates.values, width: columns.upperBound - start), row: 1,
            columns: screen.columns(start, to: columns.upperBound), .coloured(.green))
    }

    private func drawTables(_ screen: inout Screen) {
        var column = 1
        for table in OverviewTable.allCases {
            let text = "\(table.rawValue + 1) \(context.say(table.title)) (\(table.count(report)))"
            let style: Style = table == self.table ? .reversed : .plain
            column = screen.write(
                text, row: 4, columns: screen.columns(column),
                style)
            column += 2
        }
    }

    private mutating func drawTable(_ screen: inout Screen, _ rows: Range<Int>, _ now: Int) {
        page = max(rows.count, 1)
        let cells = table.rows(report, context, now: now).map { $0.map(Glyph.line) }
        let header = table.header(context).map(Glyph.line)
        guard !cells.isEmpty else {
            screen.write(
                context.say(.nothing), row: rows.lowerBound, columns: 1..<screen.size.columns,
                .dim)
            return
        }
        let natural = header.indices.map { column in
            ([header] + cells).map { Glyph.width($0[column]) }.max() ?? 0
        }
        let widths = ColumnWidths.fit(natural, into: screen.size.columns - 2)
        draw(header, widths, &screen, rows.lowerBound - 1, .bold)
        for (row, index) in zip(rows, list.visible(rows.count)) where cells.indices.contains(index)
        {
            draw(cells[index], widths, &screen, row, .plain)
            if index == list.index { screen.paint(row: row, .reversed) }
        }
    }

    private func draw(
        _ cells: [[Glyph]], _ widths: [Int], _ screen: inout Screen, _ row: Int, _ style: Style
    ) {
        var column = 1
        for (cell, width) in zip(cells, widths) where width > 0 {
            screen.write(cell, row: row, columns: column..<(column + width), style)
            column += width + ColumnWidths.gap
        }
    }
}
