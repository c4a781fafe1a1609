package import Base

/// The name of a topic in an address: 1 to 64 letters, digits, hyphens and underscores.
///
/// A name may be all that protects a topic, so it is printed nowhere.
package struct TopicName: Hashable, Sendable, Confidential {
    package let text: String

    package static let longest = 64

    /// Nil for what is no name.
    package init?(_ text: some StringProtocol) {
        guard (1...Self.longest).contains(text.utf8.count),
            text.utf8.allSatisfy(\.isWordCharacter)
        else { return nil }
        self.text = String(text)
    }

    /// A new secret name, of random bits.
    package init(secret bits: Bits128) {
        var text = Array(Self.secretPrefix.utf8)
        bits.appendBase64URL(to: &text)
        self.text = String(decoding: text, as: UTF8.self)
    }

    /// Other addresses of the server begin with this name.
    package var isReserved: Bool { Self.reserved.contains(text) }

    /// An application that uses UnifiedPush has made up the name: `up` and 12 letters or digits, or
    /// `upk` and 32 hexadecimal digits.
    package var isUnifiedPush: Bool {
        switch text.utf8.count {
        case 14: text.hasPrefix("up") && text.dropFirst(2).allSatisfy { $0.isLetter || $0.isNumber }
        case 35: text.hasPrefix("upk") && text.dropFirst(3).allSatisfy(\.isHexDigit)
        default: false
        }
    }

    /// The prefix of names that are secrets.
    package static let secretPrefix = "s_"

    /// In the order in which `/v1/config` lists them.
    package static let reserved: [String] = [
        "docs", "static", "file", "app", "metrics", "account", "settings", "signup", "login", "v1",
        "wpush", "m", "u", "_matrix", "api", "health", "__heartbeat__", "__lbheartbeat__",
        "__version__", "status", "ui", "hooks", "message", "stream", "application", "client",
        "current", "version", "user", "plugin", "image", "gotify", "gotifyinfo", "auth",
    ]
}
