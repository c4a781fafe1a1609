import Base

/// What KUnifiedPush's distributor has stored: its registrations, and the service that it used.
package struct KUnifiedPushFile: Sendable, Confidential {
    /// One registration, as it is in the file.
    package struct Entry: Equatable, Sendable, Confidential {
        package let token: String
        package let service: String
        package let description: String
        /// The key of the application server; empty without one.
        package let applicationKey: String
        /// The generation of the interface.
        package let version: Int
    }

    /// Why a registration cannot be taken over, as far as the file says.
    package enum Objection: String, Error, Sendable {
        case noService = "the file does not say which program it belongs to"
        case badService = "its name is not one that a program can have on the bus"
        case badToken = "its token is not one that UnifiedPush allows"
        case badKey = "the key of its server is not a key"
        case badVersion = "it speaks a later version of UnifiedPush"
    }

    package let entries: [Entry]
    /// `Autopush`, `Ntfy` and so on; empty if none was chosen.
    package let provider: String

    /// Far more than a user has.
    private static let limit = 5_000

    /// Nil if this is no such file.
    package init?(_ bytes: [UInt8]) {
        let file = SettingsFile(bytes)
        let tokens = file.list("Clients/Tokens")
        provider = file.text("PushProvider/Type") ?? ""
        guard !tokens.isEmpty || !provider.isEmpty else { return nil }
        var known: Set<String> = []
        entries = tokens.prefix(Self.limit).filter { known.insert($0).inserted }.map { token in
            func text(_ name: String) -> String { file.text(token + "/" + name) ?? "" }
            return Entry(
                token: token, service: text("ServiceName"), description: text("Description"),
                applicationKey: text("VAPIDKey"),
                // Files of its first versions do not have it.
                version: Int(text("Version")) ?? 1)
        }
    }
}

/// A file of settings as Qt's programs keep them: groups in brackets, `key=value` below them.
///
/// Names are escaped by percent signs, values by backslashes. A value with commas outside of quotes
/// is a list. What is not written that way is left out, and nothing is an error: a file of another
/// kind has no settings.
package struct SettingsFile: Equatable, Sendable, Confidential {
    /// By group and key, joined by a slash.
    private var values: [String: [String]] = [:]

    package init(_ bytes: [UInt8]) {
        var group = ""
        for written in bytes.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
            let line = Self.trimmed(written)
            guard let first = line.first, first != UInt8(ascii: ";"), first != UInt8(ascii: "#")
            else { continue }
            if first == UInt8(ascii: "["), let end = line.lastIndex(of: UInt8(ascii: "]")) {
                group = Self.group(line[line.index(after: line.startIndex)..<end])
            } else if let equals = line.firstIndex(of: UInt8(ascii: "=")) {
                let key = Self.name(Self.trimmed(line[..<equals]))
                values[group + key] = Self.list(line[line.index(after: equals)...])
            }
        }
    }

    package var isEmpty: Bool { values.isEmpty }

    /// Nil if it is missing, or not a text. A list is joined again: a text with commas may have
    /// been written without quotes.
    package func text(_ key: String) -> String? { values[key]?.joined(separator: ", ") }

    package func list(_ key: String) -> [String] {
        let list = values[key] ?? []
        return list == [""] ? [] : list
    }

    private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var text = text.drop { $0 == 0x20 || $0 == 0x09 }
        while let last = text.last, last == 0x20 || last == 0x09 { text = text.dropLast() }
        return text
    }

    /// Keys without a group are under `General`; a group of that name is written otherwise.
    private static func group(_ bytes: ArraySlice<UInt8>) -> String {
        let written = String(decoding: bytes, as: UTF8.self)
        if written == "General" { return "" }
        return (written == "%General" ? "General" : name(bytes)) + "/"
    }

    /// `%XX` is a byte of Latin-1, `%UXXXX` a unit of UTF-16, and a backslash a slash.
    private static func name(_ bytes: ArraySlice<UInt8>) -> String {
        var units: [UInt16] = []
        var rest = bytes
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                units.append(byte == UInt8(ascii: "\\") ? UInt16(UInt8(ascii: "/")) : UInt16(byte))
                continue
            }
            let isLong = rest.first == UInt8(ascii: "U")
            let digits = rest.dropFirst(isLong ? 1 : 0).prefix(isLong ? 4 : 2)
            guard digits.count == (isLong ? 4 : 2), let unit = hexadecimal(digits) else {
                units.append(UInt16(byte))
                continue
            }
            units.append(unit)
            rest = rest[digits.endIndex...]
        }
        return String(decoding: units, as: UTF16.self)
    }

    private static func hexadecimal(_ digits: ArraySlice<UInt8>) -> UInt16? {
        UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
    }

    private static func list(_ bytes: ArraySlice<UInt8>) -> [String]? {
        var reader = ValueReader(bytes)
        let texts = reader.read()
        // Other types are written as `@Type(…)`; a text that begins with @ has two of them.
        if texts == ["@Invalid()"] { return [] }
        guard !texts.contains(where: { $0.hasPrefix("@") && !$0.hasPrefix("@@") }) else {
            return nil
        }
        return texts.map { $0.hasPrefix("@@") ? String($0.dropFirst()) : $0 }
    }
}

/// The escapes of one value.
private struct ValueReader {
    private var rest: ArraySlice<UInt8>
    private var texts: [String] = []
    private var units: [UInt16] = []
    /// The spaces at the end are not part of a text outside of quotes.
    private var kept = 0

    private static let escapes: [UInt8: UInt8] = [
        UInt8(ascii: "a"): 0x07, UInt8(ascii: "b"): 0x08, UInt8(ascii: "f"): 0x0C,
        UInt8(ascii: "n"): 0x0A, UInt8(ascii: "r"): 0x0D, UInt8(ascii: "t"): 0x09,
        UInt8(ascii: "v"): 0x0B,
    ]

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    mutating func read() -> [String] {
        var isQuoted = false
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""):
                isQuoted.toggle()
                kept = units.count
            case UInt8(ascii: "\\"):
                unescape()
                kept = units.count
            case UInt8(ascii: ",") where !isQuoted: end()
            // A comment.
            case UInt8(ascii: ";") where !isQuoted: rest = []
            case 0x20 where !isQuoted && units.isEmpty, 0x09 where !isQuoted && units.isEmpty: break
            default:
                append(byte)
                if isQuoted || (byte != 0x20 && byte != 0x09) { kept = units.count }
            }
        }
        end()
        return texts
    }

    private mutating func end() {
        texts.append(String(decoding: units.prefix(kept), as: UTF16.self))
        units = []
        kept = 0
    }

    /// One byte, or with those after it a character of UTF-8.
    private mutating func append(_ byte: UInt8) {
        guard byte >= 0x80 else { return units.append(UInt16(byte)) }
        let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : 2
        let following = rest.prefix(length - 1).prefix { $0 & 0xC0 == 0x80 }
        units += Array(String(decoding: [byte] + following, as: UTF8.self).utf16)
        rest = rest.dropFirst(following.count)
    }

    private mutating func unescape() {
        guard let byte = rest.popFirst() else { return }
        if let meant = Self.escapes[byte] { return units.append(UInt16(meant)) }
        let isHexadecimal = byte == UInt8(ascii: "x")
        guard isHexadecimal || (UInt8(ascii: "0")...UInt8(ascii: "7")).contains(byte) else {
            return append(byte)
        }
        var value = isHexadecimal ? 0 : UInt32(byte - UInt8(ascii: "0"))
        let radix: UInt32 = isHexadecimal ? 16 : 8
        while let next = rest.first, let digit = Character(UnicodeScalar(next)).hexDigitValue,
            digit < radix
        {
            value = (value &* radix &+ UInt32(digit)) & 0xFFFF
            rest = rest.dropFirst()
        }
        units.append(UInt16(value))
    }
}
