import Base

/// The proof that a server has read the key (RFC 6455 section 4.2.2).
enum WebSocketAccept {
    private static let identifier: StaticString = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

    /// `sha1` comes from outside: this module holds no cryptography.
    static func value<Failure>(
        forKey key: [UInt8], sha1: (Span<UInt8>) throws(Failure) -> [UInt8]
    ) throws(Failure) -> [UInt8] {
        let text = key + identifier.withUTF8Buffer { Array($0) }
        let digest = try sha1(text.span)
        return Base64.encode(digest.span)
    }

    /// 22 digits and two marks, which is how 16 bytes look in base64.
    static func isKey(_ text: [UInt8]) -> Bool {
        text.count == 24 && text[22] == UInt8(ascii: "=") && text[23] == UInt8(ascii: "=")
            && text[..<22].allSatisfy(isBase64Digit)
    }

    private static func isBase64Digit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "+"), UInt8(ascii: "/"):
            true
        default: false
        }
    }
}
