import Base
import Notifications
import Pictures
import System

/// Makes the `Notify` call of a notification for one server.
///
/// Foreign text is never markup: it contains no tag or link that a server could show wrongly. The
/// hint `value` is never set, because some servers then show a bar instead of the text.
struct NotificationComposer {
    let source: PresentedSource
    let consent: SourceConsent
    let server: NotificationServer
    /// "Do not disturb" is on.
    let isInhibited: Bool
    let language: Language

    static let summaryLimit = 200
    static let bodyLimit = 4000
    private static let labelLimit = 60
    /// Every desktop has room for this many buttons.
    private static let buttonLimit = 3

    func call(
        for notification: EngineNotification, in chat: Presenter.Chat, _ picture: Picture? = nil,
        after press: ButtonPress? = nil, isSounding: Bool, tag: String
    ) -> NotifyCall {
        let title = title(of: notification, chat)
        var call = base(
            title: title,
            body: ShownSentence.body(
                body(of: notification), under: title, by: notification.sender),
            isMarkdown: notification.isMarkdown,
            lead: notification.isClear
                ? say(.clearWarning) : press.map { note(of: $0, notification) } ?? "",
            tag: tag)
        let urgency = urgency(of: notification)
        let sound = Self.sound(of: notification)
        // Critical notifications sound in spite of "do not disturb".
        let isHeard = isSounding && (!isInhibited || urgency == 2)
        call.hints.append(("urgency", .byte(urgency)))
        call.hints.append(isHeard ? ("sound-name", .text(sound)) : ("suppress-sound", .flag(true)))
        call.hints.append(("category", .text(Self.category(of: notification))))
        if let picture = Picture(link: notification.icon) ?? picture {
            call.hints.append((server.pictureHint, .picture(picture)))
        }
        call.actions = actions(of: notification, in: chat, after: press)
        // A press is answered on the notification itself, where a server leaves it.
        if notification.actions.contains(where: { $0.kind == .http || $0.kind == .copy }) {
            call.hints.append(("resident", .flag(true)))
        }
        // It stays until it is closed, where a server takes that from us.
        let stays = (notification.isHigh || notification.isQuestion) && !notification.isClear
        if notification.kind == .call || stays { call.expiry = 0 }
        return call.sorted
    }

    /// The notification that stands for all those without room. It says how many each conversation
    /// has.
    func summary(of counts: [(title: String, count: Int)], tag: String) -> NotifyCall {
        let total = counts.reduce(0) { $0 + $1.count }
        let lines = counts.prefix(Self.summaryLines).map { "\($0.title): \($0.count)" }
        let rest = counts.dropFirst(Self.summaryLines).reduce(0) { $0 + $1.count }
        var call = base(
            title: total == 1
                ? say(.oneMore) : Sentence.moreNotifications.text(language, "\(total)"),
            body: (lines + (rest > 0 ? ["…: \(rest)"] : [])).joined(separator: "\n"), tag: tag)
        call.hints.append(("urgency", .byte(1)))
        call.hints.append(("suppress-sound", .flag(true)))
        if server.showsActions, source.service != nil {
            call.actions = [.init(key: ActionKey.open, label: say(.open))]
        }
        return call.sorted
    }

    private static let summaryLines = 8

    /// Replaces another notification and is then closed.
    func placeholder(tag: String) -> NotifyCall {
        var call = base(title: source.name, body: "", tag: tag)
        call.hints.append(("urgency", .byte(0)))
        call.hints.append(("suppress-sound", .flag(true)))
        call.hints.append(("transient", .flag(true)))
        return call.sorted
    }

    private func say(_ sentence: Sentence) -> String { sentence.text(language) }

    /// `lead` says first what must not be cut off: a warning, or what became of a press.
    private func base(
        title: String, body: String, isMarkdown: Bool = false, lead: String = "", tag: String
    ) -> NotifyCall {
        var call = NotifyCall()
        var body = Printable.onScreen(body, limit: Self.bodyLimit, keepsLines: true)
        call.appName = Printable.onScreen(source.name, limit: Self.summaryLimit)
        let text = isMarkdown ? MarkdownText(body) : nil
        body = text?.plain ?? body
        let start = lead.isEmpty ? "" : lead + "\n"
        if server.showsBodies {
            call.summary = Printable.onScreen(title, limit: Self.summaryLimit)
            switch server.reading {
            case .text: call.body = start + body
            case .markup:
                let markup = text?.markup(hasLinks: server.showsLinks)
                call.body = Printable.markup(start) + (markup ?? Printable.markup(body))
            case .unknown: call.body = Self.defused(start + body)
            }
        } else {
            let all = [lead + (lead.isEmpty ? "" : " ") + title, body]
            call.summary = Printable.onScreen(
                all.filter { !$0.isEmpty }.joined(separator: ": "), limit: Self.summaryLimit)
        }
        call.hints = [("desktop-entry", .text(source.desktopEntry))]
        if let hint = server.tagHint, !source.tag.isEmpty { call.hints.append((hint, .text(tag))) }
        return call
    }

    /// The conversation's name in a summary.
    func conversation(of notification: EngineNotification?, _ chat: Presenter.Chat) -> String {
        let known = chat.title.isEmpty ? source.name : chat.title
        let name = notification.map { title(of: $0, chat) } ?? known
        return Printable.onScreen(name, limit: Self.labelLimit)
    }

    private func title(of notification: EngineNotification, _ chat: Presenter.Chat) -> String {
        let titles = [notification.title, chat.title, notification.sender, source.name]
        let title = titles.first { !$0.allSatisfy(\.isWhitespace) } ?? ""
        let signs = notification.tags.compactMap { TagSign.of[$0] }
        let urgent = notification.isHigh ? [Self.highSign] : []
        return (urgent + signs + [title]).joined(separator: " ")
    }

    /// Notification servers know no urgency between usual and critical.
    private static let highSign = "❗"

    private func body(of notification: EngineNotification) -> String {
        let body =
            switch notification.kind {
            case .message: notification.body.isEmpty ? say(.newMessage) : notification.body
            case .secretChat: say(.newSecretChat)
            case .call: say(.incomingCall)
            }
        let tags = notification.tags.filter { TagSign.of[$0] == nil }
        guard !tags.isEmpty else { return body }
        return "\(body)\n" + Sentence.tags.text(language, tags.joined(separator: ", "))
    }

    /// Breaks tags and entities without changing how the text looks: an invisible character
    /// (U+2060) follows each character that could start one.
    private static func defused(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            result.unicodeScalars.append(scalar)
            if scalar == "<" || scalar == "&" { result.unicodeScalars.append("\u{2060}") }
        }
        return result
    }

    /// An unencrypted notification, which anybody may have sent, must not stay above all others.
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

    /// The sound as a name of the sound theme. A file name loses its suffix; without a name, our
    /// own sound is used.
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

    /// Whether a click on the notification opens something: a link, or an application that can be
    /// started.
    private func opens(_ notification: EngineNotification) -> Bool {
        let link = ExternalLink(notification.link)
        return source.service != nil || !notification.defaultLabel.isEmpty
            || link.map { consent.allows($0.scheme) } == true
    }

    private func actions(
        of notification: EngineNotification, in chat: Presenter.Chat, after press: ButtonPress?
    ) -> [NotifyCall.Action] {
        guard server.showsActions, !notification.isClear else { return [] }
        var actions: [(key: String, label: String)] = []
        switch notification.kind {
        case .call:
            actions = [(ActionKey.accept, say(.accept)), (ActionKey.decline, say(.decline))]
        case .secretChat: if opens(notification) { actions = [(ActionKey.open, say(.open))] }
        case .message:
            let label = notification.defaultLabel
            if opens(notification) {
                actions = [(ActionKey.open, label.isEmpty ? say(.open) : label)]
            }
            let own = notification.actions.prefix(ActionKey.ownLimit).enumerated()
                .filter { $0.element != notification.replyAction }
                .compactMap { index, action in
                    self.label(of: action, after: press)
                        .map { (key: ActionKey.own(index), label: $0) }
                }
            actions += own.prefix(Self.buttonLimit)
            if notification.messageID != 0 {
                actions.append((ActionKey.markRead, say(.markAsRead)))
                if server.takesReplies,
                    consent.takesReplies || notification.replyAction != nil
                {
                    actions.append((ActionKey.reply, say(.reply)))
                }
            }
            if chat.id != 0 {
                // The first action is not a button.
                let isFirst = actions.first?.key == ActionKey.open
                let room = max(Self.buttonLimit + (isFirst ? 1 : 0) - actions.count, 0)
                // The sender's own buttons need the room more than a second way to mute.
                let most = notification.actions.isEmpty ? ActionKey.mutes.count : 1
                for mute in ActionKey.mutes.prefix(min(room, most)) {
                    actions.append((mute.key, say(mute.label)))
                }
            }
        }
        return actions.map { action in
            let label = Printable.onScreen(action.label, limit: Self.labelLimit)
            return .init(key: action.key, label: label.isEmpty ? action.key : label)
        }
    }
}

/// Buttons of the sender.
extension NotificationComposer {
    /// Nil for one that would do nothing.
    private func label(of action: Presentation.Action, after press: ButtonPress?) -> String? {
        switch action.kind {
        case .own, .copy, .answer: return action.label
        case .view:
            let link = ExternalLink(action.link)
            return link.map { consent.allows($0.scheme) } == true ? action.label : nil
        case .http:
            guard let host = ButtonRequest.host(of: action) else { return nil }
            let isAgain = press?.isAgain(action.name) == true
            let label = isAgain ? Sentence.again.text(language, action.label) : action.label
            return Self.label(label, to: host)
        }
    }

    /// The user sees before the first press where it goes. The host is at the front, because screens cut
    /// long labels at their end; of a long host, its end says whose it is.
    private static func label(_ label: String, to host: String) -> String {
        let start = (host.count > hostLimit ? "…" + host.suffix(hostLimit - 1) : host) + ": "
        return start + Printable.onScreen(label, limit: labelLimit - start.count)
    }

    private static let hostLimit = 30

    /// What became of a press.
    private func note(of press: ButtonPress, _ notification: EngineNotification) -> String {
        guard let action = notification.actions.first(where: { $0.name == press.button }) else {
            return ""
        }
        let label = Printable.onScreen(action.label, limit: Self.labelLimit)
        let value = Printable.onScreen(action.value, limit: Self.bodyLimit, keepsLines: true)
        return press.text(on: label, value: value, language)
    }
}

/// The action keys given to a server. Foreign names are not used, because a server may give them a
/// meaning.
enum ActionKey {
    /// A click on the notification itself.
    static let open = "default"
    static let markRead = "mark-read"
    static let reply = "inline-reply"
    static let accept = "accept"
    static let decline = "decline"
    /// How long to mute the chat; more than a year is for good.
    static let mutes: [(key: String, label: Sentence, seconds: Int32)] = [
        ("mute-hour", .muteForHour, 3600), ("mute", .mute, .max),
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

/// The tags that are shown as a sign before the title. ntfy's users know these words; other tags
/// are listed below the text.
enum TagSign {
    static let of: [String: String] = [
        "+1": "👍", "-1": "👎", "alarm_clock": "⏰", "battery": "🔋", "bell": "🔔", "bug": "🐛",
        "camera": "📷", "computer": "💻", "cd": "💿", "door": "🚪", "droplet": "💧",
        "envelope": "✉️", "eyes": "👀", "facepalm": "🤦", "fire": "🔥", "floppy_disk": "💾",
        "green_circle": "🟢", "heavy_check_mark": "✔️", "hourglass": "⌛", "house": "🏠",
        "information_source": "ℹ️", "key": "🔑", "lock": "🔒", "loudspeaker": "📢", "moneybag": "💰",
        "no_entry": "⛔", "no_entry_sign": "🚫", "package": "📦", "partying_face": "🥳",
        "red_circle": "🔴", "rocket": "🚀", "rotating_light": "🚨", "skull": "💀", "snowflake": "❄️",
        "star": "⭐", "tada": "🎉", "thermometer": "🌡️", "triangular_flag_on_post": "🚩",
        "unlock": "🔓", "warning": "⚠️", "white_check_mark": "✅", "wrench": "🔧", "x": "❌",
        "yellow_circle": "🟡", "zap": "⚡",
    ]
}

extension EngineNotification {
    /// It is shown until it is answered, or has ended.
    var isQuestion: Bool { actions.contains { $0.kind == .answer } }

    /// The answer that the reader writes; nil if the question takes none.
    var replyAction: Presentation.Action? {
        actions.first { $0.kind == .answer && !$0.value.isEmpty }
    }
}
