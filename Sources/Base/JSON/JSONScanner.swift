/// Reads JSON (RFC 8259) token by token, without making strings that are not asked for.
///
/// The grammar is checked as far as the text is read: after `.end` the whole text is valid. After
/// the first error every further call throws it again.
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
    package internal(set) var position: Int
    let end: Int
    /// Accepts what TDLib accepts.
    var isTolerant = false
    private var containers = Containers()
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

    /// Calls `body` for each member of the object that must come next; `body` reads the member's
    /// value.
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

    /// Skips the next value, whatever it is.
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

    /// The open objects and arrays, innermost last: one bit each, set for an object.
    private struct Containers {
        private(set) var count = 0
        private var objects: UInt128 = 0

        var isEmpty: Bool { count == 0 }
        var last: Container { objects & 1 == 1 ? .object : .array }

        mutating func append(_ container: Container) {
            objects = objects << 1 | (container == .object ? 1 : 0)
            count += 1
        }

        mutating func removeLast() -> Container {
            defer {
                objects >>= 1
                count -= 1
            }
            return last
        }
    }

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
        guard containers.count < Self.depthLimit + (isTolerant ? 1 : 0) else { throw .tooDeep }
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
        guard skip({ JSONGrammar.skipWord(word, $0, &$1) }) else { throw .invalid(at: position) }
        return token
    }

    private mutating func skipWhitespace() {
        while position < end, JSONGrammar.isWhitespace(bytes[position]) { position += 1 }
    }

    /// Moves `position` over one part of the grammar.
    @inline(__always)
    mutating func skip<Result>(_ part: (Span<UInt8>, inout Int) -> Result) -> Result {
        var place = position
        defer { position = place }
        return part(bytes.span.extracting(first: end), &place)
    }
}

/// Looks ahead, for callers that accept several shapes.
extension JSONScanner {
    package var isAtObject: Bool { isAt(UInt8(ascii: "{")) }
    package var isAtArray: Bool { isAt(UInt8(ascii: "[")) }

    private func isAt(_ byte: UInt8) -> Bool {
        var index = position
        while index < end, JSONGrammar.isWhitespace(bytes[index]) { index += 1 }
        return index < end && bytes[index] == byte
    }

    /// The next string; any other value is skipped and gives nil.
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
