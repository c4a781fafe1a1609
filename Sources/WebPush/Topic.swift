/// Names pushes of which only the latest matters (RFC 8030 section 5.4).
package struct Topic: Hashable, Sendable {
    package static let lengthLimit = 32

    package let text: String

    /// Nil unless `text` is 1 to 32 characters of the URL-safe base64 alphabet.
    package init?(_ text: String) {
        let isValid = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
        guard isValid, (1...Self.lengthLimit).contains(text.utf8.count) else { return nil }
        self.text = text
    }
}
