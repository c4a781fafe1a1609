import Base
import Notifications
import System

/// Shows an engine's updates as text.
struct WatchText {
    let hasColour: Bool

    private enum Colour: String {
        case added = "32"
        case removed = "31"
        case changed = "33"
        case other = "2"
    }

    /// Each line ends with a line feed. What only matters to programs is left out.
    func lines(_ message: EngineMessage) -> String {
        if case .update(let update) = message { return lines(update) }
        return Self.sentence(message).map { line("! \($0)", .other) } ?? ""
    }

    private func lines(_ update: EngineUpdate) -> String {
        switch update {
        case .active(let groups):
            let shown = groups.flatMap { group in
                group.notifications.map { line("=", $0, group.id, .other, in: group.title) }
            }
            return line("\(shown.count) shown", .other) + shown.joined()
        case .change(let change):
            let gone = change.removed.map { line("- \(change.group)/\($0)", .removed) }
            let added = change.added.map {
                line("+", $0, change.group, .added, in: change.title)
            }
            return (gone + added).joined()
        case .edit(let group, let notification):
            return line("~", notification, group, .changed, in: "")
        case .badge(let badge): return line("! \(badge.unread) unread", .other)
        case .consent, .refused: return ""
        }
    }

    /// What a message means for the user. Nil if it means nothing.
    private static func sentence(_ message: EngineMessage) -> String? {
        switch message {
        case .fetch(let notice) where notice.reason != "register_device":
            "there is something new that only the application can fetch"
        case .sessionRevoked: "the service has ended this session"
        case .action(let action): "the application is told: \(action.action)"
        case .error(let error): "error: \(error.message.isEmpty ? "unknown" : error.message)"
        default: nil
        }
    }

    private func line(
        _ sign: String, _ notification: EngineNotification, _ group: Int32, _ colour: Colour,
        in chat: String
    ) -> String {
        line(
            "\(sign) \(group)/\(notification.id)  \(Self.sentence(notification, in: chat))", colour)
    }

    private func line(_ text: String, _ colour: Colour) -> String {
        let text = Printable.text(text, limit: 1_000)
        return hasColour ? "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m\n" : text + "\n"
    }

    /// The sender with the text, or with the kind of the notification. `chat` is its title.
    static func sentence(_ notification: EngineNotification, in chat: String) -> String {
        guard notification.kind != .call else {
            return chat.isEmpty ? "incoming call" : "\(chat) is calling"
        }
        let title = notification.title
        guard notification.line.isPresented else {
            let name = title.isEmpty ? notification.sender : title
            return name.isEmpty ? notification.line.text : "\(name): \(notification.line.text)"
        }
        guard !title.isEmpty else { return notification.body }
        let rest = ShownSentence.body(notification.body, under: title, by: notification.sender)
        return rest.isEmpty ? title : "\(title): \(rest)"
    }
}

/// Prints the updates of one account, or of all, also of those that are made while it runs.
final class WatchedAccounts: TimerHandler {
    /// How often it looks for new accounts.
    private static let interval = Interval(.seconds(2))

    private let control: ControlConnection
    /// Only accounts of this application.
    private let app: String?
    /// It is named, so its updates are printed without its name.
    private let isOne: Bool
    private let printsJSON: Bool
    private let loop: EventLoop
    private let text = WatchText(hasColour: StandardOutput.isTerminal && RawTerminal.wantsColour)
    private var feeds: [AccountName: EngineFeed] = [:]
    private var isAway = false
    private var failure: (any Error)?

    init(_ control: ControlConnection, app: String?, isOne: Bool, printsJSON: Bool) throws {
        (self.control, self.app) = (control, app)
        (self.isOne, self.printsJSON) = (isOne, printsJSON)
        loop = try EventLoop()
    }

    /// Ends if nobody reads the output any more, or if the engine refuses the only account.
    func run(_ accounts: [AccountName]) throws -> ExitCode {
        follow(accounts)
        if !isOne { _ = loop.schedule(after: Self.interval, self) }
        _ = loop.run()
        if let failure { throw failure }
        return .success
    }

    func timerFired(_ cookie: UInt64) {
        // While the server is away there is no list; the feeds wait for it.
        if let accounts = try? AccountName.all(control) { follow(accounts) }
        _ = loop.schedule(after: Self.interval, self)
    }

    private func follow(_ accounts: [AccountName]) {
        for account in accounts
        where feeds[account] == nil && (app == nil || account.app == app) {
            let feed = EngineFeed(control.address, account, on: loop) {
                [weak self] event in
                self?.handle(event, of: account)
            }
            feeds[account] = feed
            feed.connect()
        }
    }

    private func handle(_ event: EngineFeed.Event, of account: AccountName) {
        do {
            switch event {
            case .joined: isAway = false
            case .lost: try lost()
            case .unreadable where isOne: throw CommandError.unreadable
            case .unreadable: break
            case .refused(let error) where isOne: throw Command.refusal(error)
            // Its registration has ended; another may come.
            case .refused: break
            case .update(let update): try print(update, of: account)
            }
        } catch {
            failure = error
            loop.drain(within: .zero)
        }
    }

    private func lost() throws {
        // An account that ends takes its connection with it.
        guard !isAway, !control.isThere else { return }
        isAway = true
        if !printsJSON { try StandardOutput.write("the server is gone; waiting for it\n") }
    }

    private func print(_ update: JSONNode, of account: AccountName) throws {
        guard printsJSON else {
            let name = isOne ? "" : Printable.text("\(account)") + "  "
            let lines = (EngineMessage(update).map(text.lines) ?? "")
                .split(separator: "\n").map { "\(name)\($0)\n" }
            return try StandardOutput.write(lines.joined())
        }
        guard !isOne else {
            return try StandardOutput.write(String(decoding: update.source, as: UTF8.self) + "\n")
        }
        let line = JSONWriter.line { writer in
            writer.member("app", account.app)
            writer.member("account", account.account)
            writer.name("update")
            writer.value(update)
        }
        try StandardOutput.write(line)
    }
}
