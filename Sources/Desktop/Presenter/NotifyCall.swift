import Pictures

/// The arguments of one `Notify`.
package struct NotifyCall: Equatable, Sendable {
    package struct Action: Equatable, Sendable {
        package let key: String
        package let label: String
    }

    /// A hint, typed as servers require.
    enum Hint: Equatable, Sendable {
        case byte(UInt8)
        case flag(Bool)
        case text(String)
        case picture(Picture)
    }

    package var appName = ""
    /// The id of the notification to replace; 0 for none.
    package var replacesID: UInt32 = 0
    package var appIcon = ""
    package var summary = ""
    package var body = ""
    package var actions: [Action] = []
    /// Sorted by name.
    var hints: [(name: String, value: Hint)] = []
    /// In milliseconds; -1 is the server's default, 0 is never.
    package var expiry: Int32 = -1

    package init() {}

    subscript(hint name: String) -> Hint? { hints.first { $0.name == name }?.value }

    package var isSilent: Bool { self[hint: "suppress-sound"] == .flag(true) }

    /// The tag by which a server recognises what it has already; nil for one without tags.
    package var tag: String? {
        guard case .text(let tag)? = self[hint: "x-canonical-private-synchronous"] else {
            return nil
        }
        return tag
    }

    package static func == (left: Self, right: Self) -> Bool {
        left.appName == right.appName && left.replacesID == right.replacesID
            && left.appIcon == right.appIcon && left.summary == right.summary
            && left.body == right.body && left.actions == right.actions
            && left.hints.elementsEqual(right.hints, by: ==) && left.expiry == right.expiry
    }

    /// A hash of what the user sees (FNV-1a, 64 bits).
    var digest: UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        let labels = actions.flatMap { [$0.key, $0.label] }
        for text in [appName, summary, body] + labels {
            for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
            // No text contains this byte, so it separates neighbours.
            hash = (hash ^ 0xFF) &* 0x100_0000_01B3
        }
        return hash
    }
}
