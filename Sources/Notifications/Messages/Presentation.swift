/// How a payload wants to be shown, beyond what TDLib's types can express.
package struct Presentation: Equatable, Sendable {
    /// The numbers are stored.
    package enum Urgency: UInt8, CaseIterable, Sendable {
        case normal = 0
        case critical = 1
        case low = 2
        /// More urgent than usual, but not critical.
        case high = 3
    }

    package var title: String
    package var body: String
    /// The body has marks of Markdown.
    package var isMarkdown = false
    /// A sound name of the theme without a path, or empty.
    package var sound: String
    /// A link to a picture, or one that holds it.
    package var icon: String
    /// By what a client asks its server for a picture; empty if there is none. The host gives it.
    package var picture = ""
    /// The data for the application that opens it: the text of a JSON object, which this program
    /// has written, or empty.
    package var data: String
    package var link = ""
    package var language = ""
    package var direction = ""
    /// The label of the default action.
    package var defaultAction = ""
    package var actions: [Action] = []
    package var tags: [String] = []
    package var urgency = Urgency.normal

    package var isCritical: Bool { urgency == .critical }
    package var isHigh: Bool { urgency == .high }
    package var isLow: Bool { urgency == .low }

    /// The most bytes of data; larger data is dropped.
    package static let dataLimit = 4096

    package init(
        title: String = "", body: String = "", sound: String = "", icon: String = "",
        data: String = ""
    ) {
        self.title = title
        self.body = body
        self.sound = sound
        self.icon = icon
        self.data = data
    }

    /// A sound name of the theme; empty if the name is a path.
    package static func bareSound(_ name: String) -> String {
        name.utf8.contains(UInt8(ascii: "/")) || name.utf8.first == UInt8(ascii: ".") ? "" : name
    }
}

/// A sentence of a template under its title, which is the sender's or the chat's name. Most templates
/// were made to stand alone and contain that name.
package enum ShownSentence {
    /// The sentence without the name: "Ann @ Family: hello" under "Family" is "Ann: hello".
    ///
    /// Only the beginning, and the ends that templates have behind the sender's name, are changed:
    /// what somebody wrote stays as it is.
    package static func body(_ sentence: String, under title: String, by sender: String) -> String {
        guard !title.isEmpty else { return sentence }
        if sentence.hasPrefix(title + ": ") { return String(sentence.dropFirst(title.count + 2)) }
        guard !sender.isEmpty, sender != title, sentence.hasPrefix(sender + " ") else {
            return sentence
        }
        let start = "\(sender) @ \(title): "
        if sentence.hasPrefix(start) {
            return "\(sender): \(sentence.dropFirst(start.count))"
        }
        for ending in [" to the group ", " in the group "] {
            if sentence.hasSuffix(ending + title) {
                return String(sentence.dropLast(ending.count + title.count))
            }
        }
        let isOfGroup = sentence.hasSuffix(" the group " + title)
        return isOfGroup ? String(sentence.dropLast(title.count + 1)) : sentence
    }
}

/// How well a payload was protected. A weaker payload cannot change what a stronger one has set. It
/// is stored as its number.
package enum TrustLevel: UInt8, Comparable, Sendable {
    case clear = 0
    case webpush = 1
    case mtproto = 2

    package var name: String {
        switch self {
        case .clear: "clear"
        case .webpush: "webpush"
        case .mtproto: "mtproto"
        }
    }

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
