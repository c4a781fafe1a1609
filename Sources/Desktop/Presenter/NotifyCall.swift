import Pictures

/// The arguments of one `Notify`, complete.
package struct NotifyCall: Equatable, Sendable {
    package struct Action: Equatable, Sendable {
        package let key: String
        package let label: String
    }

    /// A hint with the type that servers insist on.
    enum Hint: Equatable, Sendable {
        case byte(UInt8)
        case flag(Bool)
        case text(String)
        case picture(Picture)
    }

    package var appName = ""
    /// The notification to put it in the place of; 0 for none.
    package var replacesID: UInt32 = 0
    package var appIcon = ""
    package var summary = ""
    package var body = ""
    package var actions: [Action] = []
    /// In the order of their names.
    var hints: [(name: String, value: Hint)] = []
    /// In milliseconds; -1 leaves it to the server, 0 is never.
    package var expiry: Int32 = -1

    package init() {}

    subscript(hint name: String) -> Hint? { hints.first { $0.name == name }?.value }

    package static func == (left: Self, right: Self) -> Bool {
        left.appName == right.appName && left.replacesID == right.replacesID
            && left.appIcon == right.appIcon && left.summary == right.summary
            && left.body == right.body && left.actions == right.actions
            && left.hints.elementsEqual(right.hints, by: ==) && left.expiry == right.expiry
    }

    /// Of what a person sees of it (FNV-1a, 64 bits).
    var digest: UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        let labels = actions.flatMap { [$0.key, $0.label] }
        for text in [appName, summary, body] + labels {
            for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
            // No text has this byte: it keeps neighbours apart.
            hash = (hash ^ 0xFF) &* 0x100_0000_01B3
        }
        return hash
    }
}
