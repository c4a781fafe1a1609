import Base
import Terminal

/// What the view looks like.
extension WatchView {
    /// Fewer rows have no place for the whole text of the selection.
    private static let rowsForDetail = 12
    private static let detailLines = 3
    private static let timeColumns = 6

    private static let keys: [(key: String, meaning: TerminalSentence)] = [
        ("↑ ↓ j k", .moveKeys), ("enter o", .openKeys), ("d", .dismissKeys),
        ("D", .dismissGroupKeys), ("m", .muteKeys), ("u", .unmuteKeys), ("r", .replyKeys),
        ("ctrl-l", .redrawKeys), ("?", .helpKeys), ("q ctrl-c", .quitKeys),
    ]

    mutating func screen(_ size: ScreenSize, now: Int) -> Screen {
        var screen = Screen(size)
        drawTitle(&screen)
        switch mode {
        case .help:
            screen.drawHelp(
                Self.keys.map { ($0.key, context.say($0.meaning)) },
                hint: context.say(.overlayHint))
            return screen
        case .link(let link):
            drawLink(link, &screen)
            return screen
        case .list, .muting, .replying: break
        }
        let bottom = max(size.rows - 2, 1)
        let detail = size.rows >= Self.rowsForDetail ? Self.detailLines + 1 : 0
        drawList(&screen, 1..<max(bottom - detail, 1), now)
        if detail > 0 { drawDetail(&screen, (bottom - detail)..<bottom) }
        drawBottom(&screen)
        return screen
    }

    private func drawTitle(_ screen: inout Screen) {
        let all = engines.reduce(0) { $0 + $1.count }
        let unread = engines.reduce(0) { $0 + $1.unread }
        let count =
            all == 1
            ? context.say(.oneNotification) : context.language.say(.notifications, String(all))
        let parts = [
            unread > 0 ? context.language.say(.unread, String(unread)) : "",
            engines.contains(where: \.isPaused) ? context.say(.paused) : "", count,
        ]
        let state =
            switch connection {
            case .connecting: context.say(.connecting)
            case .away: context.say(.waiting)
            case .open: parts.filter { !$0.isEmpty }.joined(separator: "  ")
            }
        screen.drawTitle(
            "bellwire  " + accounts.joined(separator: ", "), right: state,
            connection == .away ? Style.coloured(.yellow).asReversed : .reversed)
    }

    private mutating func drawList(_ screen: inout Screen, _ rows: Range<Int>, _ now: Int) {
        page = max(rows.count, 1)
        guard !list.items.isEmpty else {
            if connection == .open {
                screen.write(
                    context.say(.noNotifications), row: rows.lowerBound,
                    columns: screen.columns(2), .dim)
            }
            return
        }
        let shown = list.visible(rows.count)
        for (row, index) in zip(rows, shown) {
            switch list.items[index] {
            case .group(let id): group(id).map { drawGroup($0, id.account, &screen, row, now) }
            case .notification(let id, let number):
                group(id)?.notifications.first { $0.facts.id == number }
                    .map { drawNotification($0, &screen, row, now) }
            }
            if index == list.index { screen.paint(row: row, .reversed) }
        }
    }

    private func drawGroup(
        _ group: WatchedGroup, _ account: Int, _ screen: inout Screen, _ row: Int, _ now: Int
    ) {
        let columns = screen.size.columns
        var start = columns
        if let chat = engines[account].chats[group.chat], chat.isMuted(now) {
            let until = chat.mutedUntil.map { " " + context.shortTime($0, now: now) } ?? ""
            start = screen.write(
                context.say(.muted) + until, row: row, endOf: screen.columns(1, to: columns - 1),
                .coloured(.yellow))
        }
        let end = screen.write(
            heading(of: group, in: account), row: row,
            columns: screen.columns(1, to: start - 1), .bold)
        guard group.hidden > 0 else { return }
        screen.write(
            "  +\(group.hidden)", row: row, columns: screen.columns(end, to: start - 1), .dim)
    }

    /// Beside those of other accounts, a chat needs the name of its own.
    private func heading(of group: WatchedGroup, in account: Int) -> String {
        let (title, name) = (title(of: group.chat, in: account), accounts[account])
        return accounts.count == 1 || title == name ? title : "\(name)  \(title)"
    }

    private func drawNotification(
        _ notification: WatchedNotification, _ screen: inout Screen, _ row: Int, _ now: Int
    ) {
        let columns = screen.size.columns
        let end = max(columns - Self.timeColumns, 4)
        let style: Style =
            connection == .away
            ? .dim
            : notification.facts.isCritical
                ? .coloured(.red) : .plain
        screen.write(notification.text, row: row, columns: screen.columns(3, to: end - 1), style)
        if notification.date > 0 {
            screen.write(
                context.shortTime(notification.date, now: now), row: row,
                columns: screen.columns(end),
                .dim)
        }
    }

    /// The whole text of the selection, as far as there is room, and its link.
    private func drawDetail(_ screen: inout Screen, _ rows: Range<Int>) {
        let columns = screen.columns(1, to: screen.size.columns - 1)
        screen.write(
            String(repeating: "─", count: screen.size.columns), row: rows.lowerBound,
            columns: screen.columns(0), .dim)
        guard let notification = selected?.notification else { return }
        let link = notification.facts.link
        let lines = Glyph.wrapped(
            Glyph.line(notification.text), columns.count,
            lines: rows.count - (link.isEmpty ? 1 : 2))
        for (row, line) in zip(rows.dropFirst(), lines) {
            screen.write(line, row: row, columns: columns)
        }
        guard !link.isEmpty else { return }
        screen.write(
            context.language.say(.link, link), row: rows.upperBound - 1, columns: columns,
            .coloured(.cyan))
    }

    private func drawBottom(_ screen: inout Screen) {
        let (rows, columns) = (screen.size.rows, screen.size.columns)
        let width = screen.columns(1)
        switch mode {
        case .muting(_, _, let title):
            let text = Glyph.line(context.language.say(.muteChoice, title))
            let lines = Glyph.wrapped(text, width.count, lines: 2)
            for (row, line) in zip((rows - 2)..<rows, lines) {
                screen.write(line, row: row, columns: width, .bold)
            }
        case .replying(_, _, _, let title, let editor):
            let prompt = Glyph.fitted(
                Glyph.line(context.language.say(.replyPrompt, title)), width.count / 2)
            let start = screen.write(prompt, row: rows - 2, columns: width, .bold)
            let (glyphs, cursor) = editor.shown(in: max(columns - start, 1))
            screen.write(glyphs, row: rows - 2, columns: screen.columns(start))
            screen.showCursor(row: rows - 2, column: start + cursor)
            let hint = message.isEmpty ? context.say(.replyHint) : message
            screen.write(hint, row: rows - 1, columns: width, .dim)
        case .list, .help, .link:
            screen.write(message, row: rows - 2, columns: width, .coloured(.green))
            screen.write(context.say(.watchHints), row: rows - 1, columns: width, .dim)
        }
    }

    private func drawLink(_ link: String, _ screen: inout Screen) {
        let (rows, columns) = (screen.size.rows, screen.size.columns)
        screen.write(context.say(.linkShown), row: 2, columns: screen.columns(1), .bold)
        // From the first column on, so that it can be copied as one.
        let lines = Glyph.wrapped(Glyph.line(link), columns, lines: max(rows - 6, 1))
        for (number, line) in lines.enumerated() {
            screen.write(line, row: number + 4, columns: screen.columns(0), .coloured(.cyan))
        }
        screen.write(context.say(.overlayHint), row: rows - 1, columns: screen.columns(1), .dim)
    }
}
