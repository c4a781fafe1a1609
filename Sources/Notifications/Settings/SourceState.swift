package import Base

/// The state of an account's source: when it may ring, and how it looks.
package struct SourceState: Equatable, Sendable {
    /// Which of a source's messages ring. It is stored as its number.
    package enum NotifyMode: UInt8, Sendable, CaseIterable {
        case disabled = 0
        case sendOnlyOne = 1
        case sendOnePerConversation = 2
        case applePushNotification = 3

        /// Ignores case: ICQ itself writes `Disabled` and `disabled`.
        package init?(name: String) {
            let mode = Self.allCases.first { "\($0)".lowercased() == name.lowercased() }
            guard let mode else { return nil }
            self = mode
        }
    }

    package var notifyMode = NotifyMode.applePushNotification
    /// Seconds without any activity until the session ends; nil for never.
    package var sessionTimeout: Int32?
    package var presentation = SourcePresentation()
    package var lastActivity: Double = 0
    /// Nothing rings until then, because another client of the account is in use.
    package var pausedUntil: Double = 0
    /// Nothing rings until then, because the user asked for quiet.
    package var quietUntil: Double = 0
    package var sessionEnded = false
    /// Others see the user as using a mobile client.
    package var isMobile = true
    /// Conversations that have rung already; the empty key stands for the whole source.
    package var rung: Set<String> = []

    package init() {}

    func isPaused(at now: Double) -> Bool { now < max(pausedUntil, quietUntil) }

    static let rungLimit = 10_000

    /// Whether the source limits which messages ring, or can be offline.
    package var isSelective: Bool {
        notifyMode != .applePushNotification || sessionTimeout != nil
    }
}

/// A registration's defaults for notifications, used where a payload leaves something out.
package struct SourcePresentation: Equatable, Sendable {
    package var sound = ""
    /// A sentence with `{1}`, `{2}` and so on as placeholders for `arguments`.
    package var sentence = ""
    /// The names of the arguments: srcName, srcId, destName, timestamp, message.
    package var arguments: [String] = []
    /// The application's own sentences for keys of Apple's payloads, as in its
    /// `Localizable.strings`.
    package var sentences: [String: String] = [:]
    /// The label of the default action.
    package var defaultAction = ""
    package var showsBadge = true

    package init() {}

    /// Whether it has a default that payloads of every dialect can use.
    var completes: Bool { !sound.isEmpty || !defaultAction.isEmpty }

    /// Reads the members `sound`, `loc_key`, `loc_args`, `loc_keys`, `action_loc_key` and `badge`.
    package init(_ node: JSONNode) {
        sound = Presentation.bareSound(node["sound"]?.text ?? "")
        sentence = node["loc_key"]?.text ?? ""
        defaultAction = node["action_loc_key"]?.text ?? ""
        // ICQ's documentation calls it a boolean but describes a text.
        let badge = node["badge"]
        showsBadge = badge?.bool ?? !["0", "false", "no"].contains(badge?.textOrNumber)
        for (key, sentence) in node["loc_keys"]?.members ?? [] {
            sentences[key] = sentence.text
        }
        let list = node["loc_args"]
        arguments = list?.elements.compactMap(\.text) ?? []
        if let names = list?.text {
            arguments = names.split(separator: ",").map { $0.filter { $0 != " " } }
        }
    }
}

extension Presentation {
    /// Fills in what the payload left out.
    mutating func complete(from source: SourcePresentation) {
        if sound.isEmpty { sound = source.sound }
        if defaultAction.isEmpty { defaultAction = source.defaultAction }
    }
}

/// Which screens a notification leaves that somebody closes on one of them.
package enum DismissalReach: String, CaseIterable, Sendable {
    case everywhere
    /// The others show it until it is closed there.
    case here
}

/// What an application allows when it registers; a payload cannot grant this itself.
package struct SourceConsent: Equatable, Sendable {
    /// It accepts replies typed into a notification.
    package var takesReplies = false
    /// The link schemes allowed besides `https`. Those that open files or run programs cannot be
    /// allowed.
    package var linkSchemes: Set<String> = []
    /// What somebody closes on one screen leaves the others, too.
    package var dismissal = DismissalReach.everywhere

    package init() {}

    /// Reads the members `replies`, `link_schemes` and `dismiss`.
    package init(_ node: JSONNode) {
        takesReplies = node["replies"]?.bool ?? false
        let schemes = (node["link_schemes"]?.elements ?? []).compactMap(\.text)
        linkSchemes = Set(schemes.filter(Self.mayAllow))
        dismissal = node["dismiss"]?.text.flatMap(DismissalReach.init) ?? .everywhere
    }

    func members(_ writer: inout JSONWriter) {
        writer.member("replies", takesReplies)
        writer.name("link_schemes")
        writer.array { writer in for scheme in linkSchemes.sorted() { writer.string(scheme) } }
        if dismissal != .everywhere { writer.member("dismiss", dismissal.rawValue) }
    }

    package static func mayAllow(_ scheme: String) -> Bool {
        URLScheme.isScheme(scheme) && !barred.contains(scheme)
    }

    private static let barred: Set = ["file", "javascript", "data", "vbscript"]

    package func allows(_ scheme: String) -> Bool {
        scheme == "https" || linkSchemes.contains(scheme)
    }
}
