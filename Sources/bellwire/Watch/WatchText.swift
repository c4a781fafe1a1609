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

    /// Each line ends with a line feed. Updates that only matter to programs are left out.
    func lines(_ update: JSONNode) -> String {
        switch update["@type"]?.text {
        case "updateActiveNotifications":
            let groups = update["groups"]?.elements ?? []
            let shown = groups.flatMap { group in
                (group["notifications"]?.elements ?? []).map { notification in
                    line("=", notification, number(group["id"]), .other, in: group)
                }
            }
            return line("\(shown.count) shown", .other) + shown.joined()
        case "updateNotificationGroup":
            let group = number(update["notification_group_id"])
            let gone = update["removed_notification_ids"]?.elements ?? []
            return gone.map { line("- \(group)/\(number($0))", .removed) }.joined()
                + (update["added_notifications"]?.elements ?? [])
                .map { line("+", $0, group, .added, in: update) }.joined()
        case "updateNotification":
            guard let notification = update["notification"] else { return "" }
            return line("~", notification, number(update["notification_group_id"]), .changed)
        case "updateHavePendingNotifications", "updateOption", nil: return ""
        case let type?: return sentence(of: type, update).map { line("! \($0)", .other) } ?? ""
        }
    }

    /// What an update means for the user. Nil if it means nothing.
    private func sentence(of type: String, _ update: JSONNode) -> String? {
        switch type {
        case "bellwire.updateFetchRequired":
            update["reason"]?.text == "register_device"
                ? nil : "there is something new that only the application can fetch"
        case "bellwire.updateUnreadBadge": "\(number(update["count"])) unread"
        case "bellwire.updateSessionRevoked": "the service has ended this session"
        case "bellwire.updateNotificationAction":
            "the application is told: \(update["action"]?.text ?? "an action")"
        case "error": "error: \(update["message"]?.text ?? "unknown")"
        default: nil
        }
    }

    private func line(
        _ sign: String, _ notification: JSONNode, _ group: String, _ colour: Colour,
        in chat: JSONNode? = nil
    ) -> String {
        let sentence = Self.sentence(notification, in: chat?["bellwire.chat_title"]?.text ?? "")
        return line("\(sign) \(group)/\(number(notification["id"]))  \(sentence)", colour)
    }

    private func line(_ text: String, _ colour: Colour) -> String {
        let text = Printable.text(text, limit: 1_000)
        return hasColour ? "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m\n" : text + "\n"
    }

    private func number(_ node: JSONNode?) -> String { node?.textOrNumber ?? "?" }

    /// The sender with the text, or with the kind of the notification. `chat` is its title.
    static func sentence(_ notification: JSONNode, in chat: String) -> String {
        let type = notification["type"]
        if type?["@type"]?.text == "notificationTypeNewCall" {
            return chat.isEmpty ? "incoming call" : "\(chat) is calling"
        }
        let content = type?["content"] ?? type?["message"]?["content"]
        let presentation = type?["bellwire.presentation"]
        let body =
            content?["text"]?.text ?? content?["text"]?["text"]?.text ?? kind(content ?? type)
        let title = presentation?["title"]?.text
        if let sentence = presentation?["body"]?.text {
            guard let title else { return sentence }
            let rest = ShownSentence.body(
                sentence, under: title, by: type?["sender_name"]?.text ?? "")
            return rest.isEmpty ? title : "\(title): \(rest)"
        }
        return [title ?? type?["sender_name"]?.text, body].compactMap(\.self)
            .joined(separator: ": ")
    }

    private static func kind(_ node: JSONNode?) -> String {
        var name = node?["@type"]?.text ?? ""
        for prefix in ["pushMessageContent", "notificationType", "message"]
        where name.hasPrefix(prefix) {
            name = String(name.dropFirst(prefix.count))
        }
        return "(\(name))"
    }
}

/// Prints the updates of all accounts, also of those that are made while it runs.
final class WatchedAccounts: TimerHandler {
    /// How often it looks for new accounts.
    private static let interval = Interval(.seconds(2))

    private let control: ControlConnection
    /// Only accounts of this application.
    private let app: String?
    private let printsJSON: Bool
    private let loop: EventLoop
    private let text = WatchText(hasColour: StandardOutput.isTerminal && RawTerminal.wantsColour)
    private var feeds: [AccountName: EngineFeed] = [:]
    private var isAway = false
    private var failure: (any Error)?

    init(_ control: ControlConnection, app: String?, printsJSON: Bool) throws {
        self.control = control
        self.app = app
        self.printsJSON = printsJSON
        loop = try EventLoop()
    }

    /// Ends only if nobody reads the output any more.
    func run(_ accounts: [AccountName]) throws -> ExitCode {
        follow(accounts)
        _ = loop.schedule(after: Self.interval, self)
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
            let feed = EngineFeed(control.address, opening: account.opening, on: loop) {
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
            let name = Printable.text("\(account)")
            let lines = text.lines(update).split(separator: "\n").map { "\(name)  \($0)\n" }
            return try StandardOutput.write(lines.joined())
        }
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("app", account.app)
            writer.member("account", account.account)
            writer.name("update")
            writer.value(update)
        }
        try StandardOutput.write(writer.text + "\n")
    }
}
