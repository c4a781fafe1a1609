import Base
import Notifications
import Pictures

/// Makes of a notification the call that shows it, for one server.
///
/// Texts of strangers are never markup: no tag or link is ever written, so that there is none that
/// a server could show wrongly. `value` is never set: some servers then show a bar and no text.
struct NotificationComposer {
    let source: PresentedSource
    let consent: SourceConsent
    let server: NotificationServer
    /// Somebody asked not to be disturbed.
    let isInhibited: Bool

    static let summaryLimit = 200
    static let bodyLimit = 4000
    private static let labelLimit = 60
    /// As many buttons are there room for on every desktop.
    private static let buttonLimit = 3

    func call(
        for notification: EngineNotification, in chat: Presenter.Chat, isSounding: Bool, tag: String
    ) -> NotifyCall {
        var call = base(
            title: title(of: notification, chat), body: body(of: notification),
            warning: notification.isClear ? Self.clearWarning : "", tag: tag)
        let urgency = urgency(of: notification)
        let sound = Self.sound(of: notification)
        // What is urgent may be heard in spite of the wish not to be disturbed.
        let isHeard = isSounding && (!isInhibited || urgency == 2)
        call.hints.append(("urgency", .byte(urgency)))
        call.hints.append(isHeard ? ("sound-name", .text(sound)) : ("suppress-sound", .flag(true)))
        call.hints.append(("category", .text(Self.category(of: notification))))
        if let picture = Picture(link: notification.icon) {
            call.hints.append((server.pictureHint, .picture(picture)))
        }
        call.actions = actions(of: notification, in: chat)
        if notification.kind == .call { call.expiry = 0 }
        return call.sorted
    }

    /// Instead of all those for which there is no room: how many each conversation has.
    func summary(of counts: [(title: String, count: Int)], tag: String) -> NotifyCall {
        let total = counts.reduce(0) { $0 + $1.count }
        let lines = counts.prefix(Self.summaryLines).map { "\($0.title): \($0.count)" }
        let rest = counts.dropFirst(Self.summaryLines).reduce(0) { $0 + $1.count }
        var call = base(
            title: total == 1 ? "1 more notification" : "\(total) more notifications",
            body: (lines + (rest > 0 ? ["…: \(rest)"] : [])).joined(separator: "\n"), tag: tag)
        call.hints.append(("urgency", .byte(1)))
        call.hints.append(("suppress-sound", .flag(true)))
        if server.showsActions { call.actions = [.init(key: ActionKey.open, label: "Open")] }
        return call.sorted
    }

    private static let summaryLines = 8

    /// Takes the place of another one, to be closed at once.
    func placeholder(tag: String) -> NotifyCall {
        var call = base(title: source.name, body: "", tag: tag)
        call.hints.append(("urgency", .byte(0)))
        call.hints.append(("suppress-sound", .flag(true)))
        call.hints.append(("transient", .flag(true)))
        return call.sorted
    }

    /// What comes in clear may be forged, and servers cut long texts: this stands in front of them.
    private static let clearWarning = "Not encrypted, may be from anybody:"

    private func base(title: String, body: String, warning: String = "", tag: String) -> NotifyCall
    {
        var call = NotifyCall()
        var body = Printable.onScreen(body, limit: Self.bodyLimit, keepsLines: true)
        call.appName = Printable.onScreen(source.name, limit: Self.summaryLimit)
        if server.showsBodies {
            if !warning.isEmpty { body = "\(warning)\n\(body)" }
            call.summary = Printable.onScreen(title, limit: Self.summaryLimit)
            switch server.reading {
            case .text: call.body = body
            case .markup: call.body = Self.escaped(body)
            case .unknown: call.body = Self.defused(body)
            }
        } else {
            let all = [warning + (warning.isEmpty ? "" : " ") + title, body]
            call.summary = Printable.onScreen(
                all.filter { !$0.isEmpty }.joined(separator: ": "), limit: Self.summaryLimit)
        }
        call.hints = [("desktop-entry", .text(source.desktopEntry))]
        if let hint = server.tagHint { call.hints.append((hint, .text(tag))) }
        return call
    }

    /// What the summary calls it.
    func conversation(of notification: EngineNotification?, _ chat: Presenter.Chat) -> String {
        let name = notification.map { title(of: $0, chat) } ?? source.name
        return Printable.onScreen(name, limit: Self.labelLimit)
    }

    private func title(of notification: EngineNotification, _ chat: Presenter.Chat) -> String {
        let titles = [notification.title, chat.title, notification.sender, source.name]
        return titles.first { !$0.allSatisfy(\.isWhitespace) } ?? ""
    }

    private func body(of notification: EngineNotification) -> String {
        switch notification.kind {
        case .message: notification.body.isEmpty ? "New message" : notification.body
        case .secretChat: "New secret chat"
        case .call: "Incoming call"
        }
    }

    /// Neither tag nor entity, and still the same to the eye: what would begin one is followed by an
    /// invisible character (U+2060) that neither may have there.
    private static func defused(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            result.unicodeScalars.append(scalar)
            if scalar == "<" || scalar == "&" { result.unicodeScalars.append("\u{2060}") }
        }
        return result
    }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// What anybody may have sent cannot stay in front of everything else.
    private func urgency(of notification: EngineNotification) -> UInt8 {
        if notification.kind == .call || notification.isCritical {
            return notification.isClear ? 1 : 2
        }
        return notification.isLow ? 0 : 1
    }

    private static func category(of notification: EngineNotification) -> String {
        switch notification.kind {
        case .message: "im.received"
        case .secretChat: "im"
        case .call: "call.incoming"
        }
    }

    /// A name of the sound theme: a file's name loses its suffix, and anything else is ours.
    private static func sound(of notification: EngineNotification) -> String {
        let name = notification.sound.prefix { $0 != "." }
        let isBare =
            !name.isEmpty && name.utf8.count <= labelLimit && !notification.sound.contains("/")
            && name.utf8.allSatisfy { isThemeName($0) }
        if isBare, name != "default" { return String(name) }
        return notification.kind == .call ? "phone-incoming-call" : "message-new-instant"
    }

    private static func isThemeName(_ byte: UInt8) -> Bool {
        byte.isDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte.lowercased)
            || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }

    private func actions(
        of notification: EngineNotification, in chat: Presenter.Chat
    ) -> [NotifyCall.Action] {
        guard server.showsActions, !notification.isClear else { return [] }
        var actions: [(key: String, label: String)] = []
        switch notification.kind {
        case .call: actions = [(ActionKey.accept, "Accept"), (ActionKey.decline, "Decline")]
        case .secretChat: actions = [(ActionKey.open, "Open")]
        case .message:
            let label = notification.defaultLabel
            actions = [(ActionKey.open, label.isEmpty ? "Open" : label)]
            for (index, action) in notification.actions.prefix(ActionKey.ownLimit).enumerated() {
                actions.append((ActionKey.own(index), action.label))
            }
            if notification.messageID != 0 {
                actions.append((ActionKey.markRead, "Mark as read"))
                if server.takesReplies, consent.takesReplies {
                    actions.append((ActionKey.reply, "Reply"))
                }
            }
            if chat.id != 0 {
                // The first one is no button.
                let room = max(Self.buttonLimit + 1 - actions.count, 0)
                for mute in ActionKey.mutes.prefix(room) { actions.append((mute.key, mute.label)) }
            }
        }
        return actions.map { action in
            let label = Printable.onScreen(action.label, limit: Self.labelLimit)
            return .init(key: action.key, label: label.isEmpty ? action.key : label)
        }
    }
}

/// The keys of the actions that we give a server. Names of strangers are not among them: they could
/// be keys that mean something to it.
enum ActionKey {
    /// A click on the notification itself.
    static let open = "default"
    static let markRead = "mark-read"
    static let reply = "inline-reply"
    static let accept = "accept"
    static let decline = "decline"
    /// Seconds for which the chat is muted; more than a year is for good.
    static let mutes: [(key: String, label: String, seconds: Int32)] = [
        ("mute-hour", "Mute for 1 hour", 3600), ("mute", "Mute", .max),
    ]
    static let ownLimit = 4

    static func own(_ index: Int) -> String { "action-\(index)" }

    static func ownIndex(_ key: String) -> Int? {
        (0..<ownLimit).first { own($0) == key }
    }
}

extension NotifyCall {
    fileprivate var sorted: Self {
        var call = self
        call.hints.sort { $0.name < $1.name }
        return call
    }
}
