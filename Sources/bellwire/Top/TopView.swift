import Base
import Terminal

/// `bellwire top` on a terminal, as a value: keys and reports go in, actions and screens come out.
struct TopView {
    enum Action: Equatable {
        case quit
        case pause
        case redraw
    }

    let context: ViewContext
    var report: OverviewReport
    var rates = OverviewRates()
    var table = OverviewTable.registrations
    /// A row is named by its place, because events have no names.
    var list = ScrollingList<Int>()
    var showsHelp = false
    /// Why there is no newer report; empty if there is one.
    var trouble = ""
    /// How many rows the table had when it was drawn.
    var page = 1

    init(_ report: OverviewReport, _ context: ViewContext, at time: Double) {
        self.report = report
        self.context = context
        received(report, at: time)
    }

    mutating func received(_ report: OverviewReport, at time: Double) {
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
