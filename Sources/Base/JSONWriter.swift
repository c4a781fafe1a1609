/// Writes compact JSON. Commas come by themselves; unsafe text is escaped (see `Printable`).
package struct JSONWriter {
    package private(set) var bytes: [UInt8] = []
    private var needsComma = false

    package init() {}

    /// With room for so many bytes.
    package init(capacity: Int) { bytes.reserveCapacity(capacity) }

    package var text: String { String(decoding: bytes, as: UTF8.self) }

    package mutating func object(_ members: (inout JSONWriter) -> Void) {
        separate()
        bytes.append(UInt8(ascii: "{"))
        needsComma = false
        members(&self)
        bytes.append(UInt8(ascii: "}"))
        needsComma = true
    }

    package mutating func array(_ elements: (inout JSONWriter) -> Void) {
        separate()
        bytes.append(UInt8(ascii: "["))
        needsComma = false
        elements(&self)
        bytes.append(UInt8(ascii: "]"))
        needsComma = true
    }

    /// Names the member whose value is written next. In programs names are plain.
    package mutating func name(_ name: StaticString) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: name)
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// A name that somebody else chose.
    package mutating func name(text: String) {
        string(text)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    package mutating func member(_ name: StaticString, _ value: String) {
        self.name(name)
        string(value)
    }

    package mutating func member(text name: String, _ value: String) {
        self.name(text: name)
        string(value)
    }

    package mutating func member(_ name: StaticString, _ value: Int) {
        self.name(name)
        number(value)
    }

    package mutating func member(_ name: StaticString, _ value: Bool) {
        self.name(name)
        raw(value ? "true" : "false")
    }

    package mutating func member(_ name: StaticString, json: String) {
        self.name(name)
        raw(json)
    }

    package mutating func member(text name: String, json: String) {
        self.name(text: name)
        raw(json)
    }

    package mutating func number(_ value: Int) {
        separate()
        bytes.append(decimal: value)
        needsComma = true
    }

    package mutating func string(_ value: String) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        if !appendIfPlain(value) {
            for scalar in value.unicodeScalars { append(scalar) }
        }
        bytes.append(UInt8(ascii: "\""))
        needsComma = true
    }

    /// Most text is printable ASCII without quotes, and needs no look at its characters.
    private mutating func appendIfPlain(_ value: String) -> Bool {
        value.utf8.withContiguousStorageIfAvailable { utf8 in
            guard Self.isPlain(utf8) else { return false }
            bytes.append(contentsOf: utf8)
            return true
        } ?? false
    }

    private static func isPlain(_ utf8: UnsafeBufferPointer<UInt8>) -> Bool {
        let words = UnsafeRawBufferPointer(utf8)
        guard utf8.count >= 8 else {
            return utf8.allSatisfy {
                0x20..<0x7F ~= $0 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
            }
        }
        var index = 0
        while index < utf8.count {
            // The last eight may overlap those before.
            let start = min(index, utf8.count - 8)
            let word = words.loadUnaligned(fromByteOffset: start, as: UInt64.self)
            let deletion = word &+ 0x0101_0101_0101_0101
            guard (word.unplainInJSON | deletion) & 0x8080_8080_8080_8080 == 0 else { return false }
            index += 8
        }
        return true
    }

    /// A value that is JSON already, such as a number or `true`.
    package mutating func raw(_ json: String) {
        separate()
        bytes.append(contentsOf: json.utf8)
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
    }

    private mutating func append(_ scalar: Unicode.Scalar) {
        switch scalar {
        case "\"": bytes.append(contentsOf: #"\""#.utf8)
        case "\\": bytes.append(contentsOf: #"\\"#.utf8)
        case "\n": bytes.append(contentsOf: #"\n"#.utf8)
        case "\t": bytes.append(contentsOf: #"\t"#.utf8)
        case _ where Printable.isUnsafe(scalar): Self.escape(scalar, into: &bytes)
        default: bytes.append(contentsOf: scalar.utf8)
        }
    }

    /// JSON that somebody else wrote, safe to show: outside ASCII it can only be inside strings.
    package mutating func foreign(_ json: Substring) {
        separate()
        for scalar in json.unicodeScalars {
            if !scalar.isASCII, Printable.isUnsafe(scalar) {
                Self.escape(scalar, into: &bytes)
            } else {
                bytes.append(contentsOf: scalar.utf8)
            }
        }
        needsComma = true
    }

    /// `\uXXXX` in lower-case hex, as a surrogate pair beyond the basic plane.
    package static func escape(_ scalar: Unicode.Scalar, into bytes: inout [UInt8]) {
        for unit in scalar.utf16 {
            let digits = String(unit, radix: 16)
            bytes.append(contentsOf: #"\u"#.utf8)
            bytes.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: 4 - digits.utf8.count))
            bytes.append(contentsOf: digits.utf8)
        }
    }
}

extension UInt64 {
    /// Has the highest bit of each of the eight bytes that cannot stand in a JSON string as they are,
    /// or are not of ASCII. What a borrow does to the bytes above such a one does not matter.
    var unplainInJSON: UInt64 {
        let quote = self ^ 0x2222_2222_2222_2222
        let backslash = self ^ 0x5C5C_5C5C_5C5C_5C5C
        let found =
            (quote &- 0x0101_0101_0101_0101) | (backslash &- 0x0101_0101_0101_0101)
            | (self &- 0x2020_2020_2020_2020) | self
        return found & 0x8080_8080_8080_8080
    }
}

extension JSONText {
    /// A text as a JSON string.
    package static func quoted(_ text: String) -> String {
        var writer = JSONWriter()
        writer.string(text)
        return writer.text
    }
}
