/// Reads JSON (RFC 8259) token by token and builds no string that nobody asks for.
///
/// The grammar is checked as far as it is read: whoever has seen `.end` has seen a whole, valid
/// text. After the first error every further call throws it again.
package struct JSONScanner {
    package enum Token: Equatable, Sendable {
        case beginObject
        case endObject
        case beginArray
        case endArray
        case name(JSONText)
        case string(JSONText)
        case number(Range<Int>)
        case bool(Bool)
        case null
        case end
    }

    package enum Failure: Error, Equatable {
        case invalid(at: Int)
        case tooDeep
    }

    package static let depthLimit = 100

    package let bytes: [UInt8]
    package private(set) var position: Int
    private let end: Int
    private var containers: [Container] = []
    private var expectation = Expectation.value
    private var failure: Failure?

    package init(_ bytes: [UInt8]) {
        self.init(bytes, in: bytes.startIndex..<bytes.endIndex)
    }

    package init(_ bytes: [UInt8], in range: Range<Int>) {
        self.bytes = bytes
        position = range.lowerBound
        end = range.upperBound
    }

    package mutating func next() throws(Failure) -> Token {
        if let failure { throw failure }
        do throws(Failure) {
            return try scan()
        } catch {
            failure = error
            throw error
        }
    }

    /// Calls `body` at each member of the object that must come next; it reads the member's value.
    package mutating func forEachMember(
        _ body: (JSONText, inout JSONScanner) throws(Failure) -> Void
    ) throws(Failure) {
        guard try next() == .beginObject else { throw .invalid(at: position) }
        while case .name(let name) = try next() { try body(name, &self) }
    }

    /// The same for the elements of the array that must come next.
    package mutating func forEachElement(
        _ body: (inout JSONScanner) throws(Failure) -> Void
    ) throws(Failure) {
        guard try next() == .beginArray else { throw .invalid(at: position) }
        while !isAt(UInt8(ascii: "]")) { try body(&self) }
        _ = try next()
    }

    package mutating func expectEnd() throws(Failure) {
        guard try next() == .end else { throw .invalid(at: position) }
    }

    /// Reads over the value that comes next, whatever it is.
    package mutating func skipValue() throws(Failure) {
        var depth = 0
        repeat {
            switch try next() {
            case .beginObject, .beginArray: depth += 1
            case .endObject, .endArray: depth -= 1
            case .end: throw .invalid(at: position)
            case .name, .string, .number, .bool, .null: break
            }
        } while depth > 0
    }
}

extension JSONScanner {
    private enum Container { case object, array }

    private enum Expectation {
        case value
        case valueOrEndOfArray
        case nameOrEndOfObject
        case name
        case commaOrEnd
        case end
    }

    private mutating func scan() throws(Failure) -> Token {
        skipWhitespace()
        guard position < end else {
            guard expectation == .end else { throw .invalid(at: position) }
            return .end
        }
        let byte = bytes[position]
        switch expectation {
        case .end: throw .invalid(at: position)
        case .value: return try value(byte)
        case .valueOrEndOfArray: return byte == UInt8(ascii: "]") ? close() : try value(byte)
        case .nameOrEndOfObject: return byte == UInt8(ascii: "}") ? close() : try name(byte)
        case .name: return try name(byte)
        case .commaOrEnd: return try commaOrEnd(byte)
        }
    }

    private mutating func commaOrEnd(_ byte: UInt8) throws(Failure) -> Token {
        let isObject = containers.last == .object
        if byte == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) { return close() }
        guard byte == UInt8(ascii: ",") else { throw .invalid(at: position) }
        position += 1
        expectation = isObject ? .name : .value
        return try scan()
    }

    private mutating func close() -> Token {
        position += 1
        let closed = containers.removeLast()
        expectation = containers.isEmpty ? .end : .commaOrEnd
        return closed == .object ? .endObject : .endArray
    }

    private mutating func open(_ container: Container) throws(Failure) -> Token {
        guard containers.count < Self.depthLimit else { throw .tooDeep }
        position += 1
        containers.append(container)
        expectation = container == .object ? .nameOrEndOfObject : .valueOrEndOfArray
        return container == .object ? .beginObject : .beginArray
    }

    private mutating func name(_ byte: UInt8) throws(Failure) -> Token {
        guard byte == UInt8(ascii: "\"") else { throw .invalid(at: position) }
        let text = try string()
        skipWhitespace()
        guard position < end, bytes[position] == UInt8(ascii: ":") else {
            throw .invalid(at: position)
        }
        position += 1
        expectation = .value
        return .name(text)
    }

    private mutating func value(_ byte: UInt8) throws(Failure) -> Token {
        switch byte {
        case UInt8(ascii: "{"): return try open(.object)
        case UInt8(ascii: "["): return try open(.array)
        case UInt8(ascii: "\""): return valueEnded(.string(try string()))
        case UInt8(ascii: "t"): return valueEnded(try word("true", .bool(true)))
        case UInt8(ascii: "f"): return valueEnded(try word("false", .bool(false)))
        case UInt8(ascii: "n"): return valueEnded(try word("null", .null))
        default: return valueEnded(.number(try number()))
        }
    }

    private mutating func valueEnded(_ token: Token) -> Token {
        expectation = containers.isEmpty ? .end : .commaOrEnd
        return token
    }

    private mutating func word(_ word: StaticString, _ token: Token) throws(Failure) -> Token {
        for offset in 0..<word.utf8CodeUnitCount {
            guard position < end, bytes[position] == word.utf8Start[offset] else {
                throw .invalid(at: position)
            }
            position += 1
        }
        return token
    }

    private mutating func skipWhitespace() {
        while position < end, Self.isWhitespace(bytes[position]) { position += 1 }
    }

    private static func isWhitespace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }
}

extension JSONScanner {
    private mutating func number() throws(Failure) -> Range<Int> {
        let start = position
        if peek == UInt8(ascii: "-") { position += 1 }
        if peek == UInt8(ascii: "0") { position += 1 } else { try digits() }
        if peek == UInt8(ascii: ".") {
            position += 1
            try digits()
        }
        if peek == UInt8(ascii: "e") || peek == UInt8(ascii: "E") {
            position += 1
            if peek == UInt8(ascii: "+") || peek == UInt8(ascii: "-") { position += 1 }
            try digits()
        }
        return start..<position
    }

    private var peek: UInt8? { position < end ? bytes[position] : nil }

    private mutating func digits() throws(Failure) {
        let start = position
        while position < end, bytes[position].isDigit { position += 1 }
        guard position > start else { throw .invalid(at: position) }
    }

    /// Leaves `position` behind the closing quote.
    private mutating func string() throws(Failure) -> JSONText {
        position += 1
        let start = position
        var isPlain = true
        while position < end {
            switch bytes[position] {
            case UInt8(ascii: "\""):
                defer { position += 1 }
                return JSONText(range: start..<position, isPlain: isPlain)
            case UInt8(ascii: "\\"):
                isPlain = false
                try escape()
            case 0x00..<0x20: throw .invalid(at: position)
            case 0x20..<0x80: position += 1
            default: try multibyte()
            }
        }
        throw .invalid(at: position)
    }

    private mutating func escape() throws(Failure) {
        guard position + 1 < end else { throw .invalid(at: position) }
        switch bytes[position + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
            UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            position += 2
        case UInt8(ascii: "u"):
            guard position + 6 <= end,
                bytes[position + 2..<position + 6].allSatisfy({ $0.hexValue != nil })
            else { throw .invalid(at: position) }
            position += 6
        default: throw .invalid(at: position)
        }
    }

    /// One UTF-8 sequence by RFC 3629 section 4: shortest form, no surrogates, at most U+10FFFF.
    private mutating func multibyte() throws(Failure) {
        let length: Int
        let second: ClosedRange<UInt8>
        switch bytes[position] {
        case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: throw .invalid(at: position)
        }
        guard position + length <= end, second.contains(bytes[position + 1]),
            bytes[position + 2..<position + length].allSatisfy({ 0x80...0xBF ~= $0 })
        else { throw .invalid(at: position) }
        position += length
    }
}

extension UInt8 {
    package var hexValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

/// A look at what comes next, for callers to whom several shapes are right.
extension JSONScanner {
    package var isAtObject: Bool { isAt(UInt8(ascii: "{")) }
    package var isAtArray: Bool { isAt(UInt8(ascii: "[")) }

    private func isAt(_ byte: UInt8) -> Bool {
        var index = position
        while index < end, Self.isWhitespace(bytes[index]) { index += 1 }
        return index < end && bytes[index] == byte
    }

    /// The string that comes next, or nil after reading over a value of another kind.
    package mutating func stringOrSkip() throws(Failure) -> JSONText? {
        var copy = self
        if case .string(let text) = try copy.next() {
            self = copy
            return text
        }
        try skipValue()
        return nil
    }
}
