import Base

/// What the `Content-Type` of a body says.
package enum MediaType {
    /// Whether it is that type, with or without parameters.
    package static func isOf(_ field: Span<UInt8>, _ type: StaticString) -> Bool {
        var end = field.firstIndex(of: UInt8(ascii: ";")) ?? field.count
        while end > 0, field[end - 1].isBlank { end -= 1 }
        return field.extracting(0..<end).equalsIgnoringCase(type)
    }
}

/// A form of texts, as `curl -F` and web pages send it (RFC 7578).
package struct MultipartForm {
    /// One field of any form.
    package struct Part: Confidential {
        package var name = ""
        package var value: [UInt8] = []
        /// Of a file; nil for a text.
        package var fileName: String?
        package var isFile: Bool { fileName != nil }
        /// Its type is text, or is not said.
        package var isText = true
    }

    private static let fieldLimit = 16
    /// Of the header fields of a part, in bytes.
    private static let headLimit = 4_096
    private static let newline: [UInt8] = [0x0D, 0x0A]

    /// In the order of the form.
    package let fields: [(name: String, value: [UInt8])]

    /// Nil for a form that has a file, or that cannot be read.
    package init?(_ body: [UInt8], boundary: [UInt8]) {
        guard let parts = Self.parts(of: body, boundary: boundary),
            parts.allSatisfy({ $0.isText && !$0.isFile })
        else { return nil }
        fields = parts.map { ($0.name, $0.value) }
    }

    /// All parts of a form, in order; nil if it cannot be read.
    package static func parts(of body: [UInt8], boundary: [UInt8]) -> [Part]? {
        let mark = Array("--".utf8) + boundary
        guard body.starts(with: mark) else { return nil }
        let delimiter = newline + mark
        var parts: [Part] = []
        var rest = body[mark.count...]
        while !rest.starts(with: "--".utf8) {
            guard parts.count < fieldLimit, rest.starts(with: newline),
                let end = place(of: delimiter, in: rest.dropFirst(2)),
                let part = part(rest.dropFirst(2)[..<end])
            else { return nil }
            parts.append(part)
            rest = rest[(end + delimiter.count)...]
        }
        return parts
    }

    /// The boundary in a `Content-Type`; nil if that is no form.
    package static func boundary(_ type: Span<UInt8>) -> [UInt8]? {
        // Most types are none, and each push has one.
        guard !type.isEmpty, type[0].lowercased == UInt8(ascii: "m") else { return nil }
        let text = String(decoding: type.array(type.indices), as: UTF8.self)
        let parts = text.split(separator: ";")
        guard parts.first.map({ word($0) }) == "multipart/form-data" else { return nil }
        return Array((parameter("boundary", of: parts.dropFirst()) ?? "").utf8)
    }

    private static func part(_ bytes: ArraySlice<UInt8>) -> Part? {
        // A part without header fields begins with the empty line.
        guard let end = place(of: newline + newline, in: bytes.prefix(headLimit)) else {
            return nil
        }
        var part = Part(value: Array(bytes[(end + 4)...]))
        var name: String?
        for line in String(decoding: bytes[..<end], as: UTF8.self).split(separator: "\r\n") {
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let parts = line[line.index(after: colon)...].split(separator: ";")
            switch word(line[..<colon]) {
            case "content-disposition":
                guard parts.first.map({ word($0) }) == "form-data" else { return nil }
                name = parameter("name", of: parts.dropFirst())
                part.fileName = parameter("filename", of: parts.dropFirst())
            case "content-type": part.isText = parts.first.map({ word($0) }) == "text/plain"
            default: break
            }
        }
        guard let name else { return nil }
        part.name = name
        return part
    }

    private static func word(_ text: Substring) -> String {
        text.trimmed.lowercased()
    }

    /// A parameter with or without quotation marks.
    private static func parameter(_ name: String, of parts: ArraySlice<Substring>) -> String? {
        for part in parts {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let value = pair.last, pair.count == 2, word(pair[0]) == name else { continue }
            let text = value.trimmed
            let isQuoted = text.count >= 2 && text.hasPrefix("\"") && text.hasSuffix("\"")
            return String(isQuoted ? text.dropFirst().dropLast() : text)
        }
        return nil
    }

    private static func place(of text: [UInt8], in bytes: ArraySlice<UInt8>) -> Int? {
        guard let first = text.first else { return nil }
        var index = bytes.startIndex
        while index + text.count <= bytes.endIndex {
            if bytes[index] == first, bytes[index...].starts(with: text) { return index }
            index += 1
        }
        return nil
    }
}

/// Words of RFC 2047, by which a header field says what is not ASCII: `=?UTF-8?Q?B=C3=BCro?=`.
package enum EncodedWords {
    private struct Word {
        let bytes: [UInt8]
        /// Where the text goes on.
        let end: Int
    }

    /// The text with its words decoded. What cannot be decoded stays as it is.
    package static func decoded(_ text: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var index = 0
        // Where `result` ended after the last word, and the blanks since then.
        var wordEnd: Int?
        while index < text.count {
            if text[index] == UInt8(ascii: "="), let word = word(at: index, of: text) {
                // RFC 2047 section 6.2: blanks between two words only separate them.
                if let wordEnd { result.removeSubrange(wordEnd...) }
                result += word.bytes
                (index, wordEnd) = (word.end, result.count)
                continue
            }
            if text[index] != UInt8(ascii: " "), text[index] != UInt8(ascii: "\t") { wordEnd = nil }
            result.append(text[index])
            index += 1
        }
        return result
    }

    private static func word(at start: Int, of text: [UInt8]) -> Word? {
        var rest = text[start...]
        guard rest.starts(with: [UInt8(ascii: "="), UInt8(ascii: "?")]) else { return nil }
        rest = rest.dropFirst(2)
        guard let charset = part(of: &rest), let encoding = part(of: &rest),
            let value = part(of: &rest), rest.first == UInt8(ascii: "="),
            let bytes = bytes(of: Array(value), encoding)
        else { return nil }
        // RFC 2231 section 5: a language may follow the charset.
        let name = String(
            decoding: charset.prefix { $0 != UInt8(ascii: "*") }, as: UTF8.self
        ).lowercased()
        let end = rest.startIndex + 1
        switch name {
        case "utf-8", "us-ascii": return Word(bytes: bytes, end: end)
        case "iso-8859-1":
            let scalars = bytes.map { Character(Unicode.Scalar($0)) }
            return Word(bytes: Array(String(scalars).utf8), end: end)
        default: return nil
        }
    }

    /// What comes before the next question mark, which is removed as well.
    private static func part(of rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let end = rest.firstIndex(of: UInt8(ascii: "?")) else { return nil }
        defer { rest = rest[(end + 1)...] }
        return rest[..<end]
    }

    private static func bytes(of value: [UInt8], _ encoding: ArraySlice<UInt8>) -> [UInt8]? {
        guard encoding.count == 1, let letter = encoding.first?.lowercased else { return nil }
        switch letter {
        case UInt8(ascii: "b"): return Base64.decode(value)
        // RFC 2047 section 4.2.
        case UInt8(ascii: "q"):
            return PercentEncoding.decoded(
                value, escape: UInt8(ascii: "="), blank: UInt8(ascii: "_"))
        default: return nil
        }
    }
}
