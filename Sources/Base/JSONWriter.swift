/// Writes compact JSON. Commas come by themselves; unsafe text is escaped (see `Printable`).
package struct JSONWriter {
    package private(set) var bytes: [UInt8] = []
    private var needsComma = false

    package init() {}

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

    /// Names the member whose value is written next.
    package mutating func name(_ name: String) {
        string(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    package mutating func member(_ name: String, _ value: String) {
        self.name(name)
        string(value)
    }

    package mutating func member(_ name: String, _ value: Int) {
        self.name(name)
        raw(String(value))
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
        var value = value
        return value.withUTF8 { utf8 in
            for byte in utf8 {
                guard 0x20..<0x7F ~= byte, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\")
                else { return false }
            }
            bytes.append(contentsOf: utf8)
            return true
        }
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

extension JSONText {
    /// A text as a JSON string.
    package static func quoted(_ text: String) -> String {
        var writer = JSONWriter()
        writer.string(text)
        return writer.text
    }
}
