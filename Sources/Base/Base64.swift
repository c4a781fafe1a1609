/// Base64 of RFC 4648 section 4 with padding, made from the URL-safe form by exchanging two
/// characters.
package enum Base64 {
    package static func encode(_ bytes: Span<UInt8>) -> [UInt8] {
        var text = Base64URL.encode(bytes)
        for index in text.indices {
            switch text[index] {
            case UInt8(ascii: "-"): text[index] = UInt8(ascii: "+")
            case UInt8(ascii: "_"): text[index] = UInt8(ascii: "/")
            default: break
            }
        }
        while text.count % 4 != 0 { text.append(UInt8(ascii: "=")) }
        return text
    }

    /// Nil if the text is not base64 of this alphabet. Padding may be missing.
    package static func decode(_ text: [UInt8]) -> [UInt8]? {
        var text = text
        for index in text.indices {
            switch text[index] {
            case UInt8(ascii: "+"): text[index] = UInt8(ascii: "-")
            case UInt8(ascii: "/"): text[index] = UInt8(ascii: "_")
            case UInt8(ascii: "-"), UInt8(ascii: "_"): return nil
            default: break
            }
        }
        return Base64URL.decodeToleratingPadding(text.span)
    }

    package static func text(_ bytes: Span<UInt8>) -> String {
        String(decoding: encode(bytes), as: UTF8.self)
    }
}
