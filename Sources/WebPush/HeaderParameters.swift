import Base

/// The grammar of Encryption and Crypto-Key: a list of entries, each a list of parameters
/// (draft-ietf-httpbis-encryption-encoding-03 sections 3 and 4).
///
///     field     = entry *( OWS "," OWS entry )
///     entry     = parameter *( OWS ";" OWS parameter )
///     parameter = token OWS "=" OWS ( token / quoted-string )
///
/// Real senders pad base64 and end an entry with ";". Both are accepted.
package struct HeaderParameters: ~Copyable {
    package struct Malformed: Error, Equatable {}

    package struct Parameter: Sendable {
        /// Which entry of the list it stands in, from 0.
        package let entry: Int
        package let name: Range<Int>
        /// The value without quotes; escapes of a quoted string are left as they are.
        package let value: Range<Int>
    }

    /// No sender needs more, and the bound keeps the search for repeated names cheap.
    private static let parameterLimit = 32

    private var position = 0
    /// A further character that values may contain besides those of a token.
    private let further: UInt8?

    private init(or further: UInt8?) { self.further = further }

    /// Calls `body` with every parameter in order; returns the number of entries.
    @discardableResult
    package static func forEach(
        in field: Span<UInt8>, or further: UInt8? = nil, _ body: (Parameter) -> Void
    ) throws(Malformed) -> Int {
        var parser = HeaderParameters(or: further)
        return try parser.entries(field, body)
    }

    private mutating func entries(
        _ field: Span<UInt8>, _ body: (Parameter) -> Void
    ) throws(Malformed) -> Int {
        var entry = 0
        while true {
            try parameters(field, entry, body)
            entry += 1
            skipBlanks(field)
            guard position < field.count else { return entry }
            try expect(UInt8(ascii: ","), field)
        }
    }

    private mutating func parameters(
        _ field: Span<UInt8>, _ entry: Int, _ body: (Parameter) -> Void
    ) throws(Malformed) {
        var names = InlineArray<32, Range<Int>>(repeating: 0..<0)
        var count = 0
        repeat {
            let parameter = try parameter(field, entry)
            guard count < Self.parameterLimit else { throw Malformed() }
            for index in 0..<count where isRepeated(parameter.name, names[index], field) {
                throw Malformed()
            }
            names[count] = parameter.name
            count += 1
            body(parameter)
            skipBlanks(field)
        } while separator(field)
    }

    /// Reads ";"; returns whether a parameter follows it.
    private mutating func separator(_ field: Span<UInt8>) -> Bool {
        guard position < field.count, field[position] == UInt8(ascii: ";") else { return false }
        position += 1
        skipBlanks(field)
        return position < field.count && field[position] != UInt8(ascii: ",")
    }

    private mutating func parameter(
        _ field: Span<UInt8>, _ entry: Int
    ) throws(Malformed) -> Parameter {
        skipBlanks(field)
        let name = token(field)
        skipBlanks(field)
        try expect(UInt8(ascii: "="), field)
        skipBlanks(field)
        let value = try value(field)
        guard !name.isEmpty, !value.isEmpty else { throw Malformed() }
        return Parameter(entry: entry, name: name, value: value)
    }

    private mutating func value(_ field: Span<UInt8>) throws(Malformed) -> Range<Int> {
        guard position < field.count, field[position] == UInt8(ascii: "\"") else {
            return try paddedToken(field)
        }
        position += 1
        let start = position
        while position < field.count, field[position] != UInt8(ascii: "\"") {
            position += field[position] == UInt8(ascii: "\\") ? 2 : 1
        }
        guard position < field.count else { throw Malformed() }
        defer { position += 1 }
        return start..<position
    }

    private mutating func paddedToken(_ field: Span<UInt8>) throws(Malformed) -> Range<Int> {
        let token = token(field, or: further)
        guard !token.isEmpty else { return token }
        while position < field.count, position - token.upperBound < Base64URL.paddingLimit,
            field[position] == UInt8(ascii: "=")
        {
            position += 1
        }
        return token
    }

    private mutating func token(
        _ field: Span<UInt8>, or further: UInt8? = nil
    ) -> Range<Int> {
        let start = position
        var end = start
        while end < field.count, field[end].isTokenCharacter || field[end] == further { end += 1 }
        position = end
        return start..<end
    }

    private mutating func expect(_ byte: UInt8, _ field: Span<UInt8>) throws(Malformed) {
        guard position < field.count, field[position] == byte else { throw Malformed() }
        position += 1
    }

    private mutating func skipBlanks(_ field: Span<UInt8>) {
        while position < field.count, field[position].isBlank { position += 1 }
    }

    private func isRepeated(_ left: Range<Int>, _ right: Range<Int>, _ field: Span<UInt8>) -> Bool {
        guard left.count == right.count else { return false }
        return zip(left, right).allSatisfy { field[$0].lowercased == field[$1].lowercased }
    }
}
