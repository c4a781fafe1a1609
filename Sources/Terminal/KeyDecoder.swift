/// What the user typed.
package enum Key: Equatable, Sendable {
    /// One scalar; a character may come as several.
    case text(String)
    case paste(String)
    case enter, escape, tab, backTab, backspace, delete
    case up, down, left, right, home, end, pageUp, pageDown
    /// A letter with Ctrl, in lower case.
    case control(Character)
    /// A key that means nothing here.
    case other
}

/// Turns the bytes of a terminal into keys. A sequence may come in any number of pieces.
package struct KeyDecoder: Sendable {
    /// A longer sequence is no key.
    private static let sequenceLimit = 32
    /// The most bytes of a pasted text; what follows is left out.
    private static let pasteLimit = 16 << 10
    private static let escape: UInt8 = 0x1B
    private static let pasteEnd = Array("\u{1B}[201~".utf8)

    private var pending: [UInt8] = []
    /// The text that is being pasted.
    private var pasted: [UInt8]?

    package init() {}

    /// Whether the bytes so far may be a key or the beginning of one. After a moment without more,
    /// call `flush`.
    package var isUndecided: Bool { pasted == nil && !pending.isEmpty }

    package mutating func decode(_ bytes: some Sequence<UInt8>) -> [Key] {
        pending += bytes
        var keys: [Key] = []
        while !pending.isEmpty {
            if pasted != nil {
                guard let text = takePaste() else { break }
                keys.append(.paste(text))
                continue
            }
            guard let (key, count) = Self.next(pending[...]) else { break }
            pending.removeFirst(count)
            switch key {
            case .key(let key): keys.append(key)
            case .pasteBegins: pasted = []
            case .nothing: break
            }
        }
        return keys
    }

    /// Nothing follows: an escape alone is the key of that name.
    package mutating func flush() -> [Key] {
        guard isUndecided else { return [] }
        let isEscape = pending.first == Self.escape
        pending = []
        return isEscape ? [.escape] : []
    }

    /// Nil until the end of the paste has come.
    private mutating func takePaste() -> String? {
        let length = Self.pasteEnd.count
        let end = pending.indices.dropLast(length - 1).first { start in
            pending[start...].starts(with: Self.pasteEnd)
        }
        // The last bytes may be the beginning of the end.
        let taken = end ?? max(pending.count - (length - 1), 0)
        let room = max(Self.pasteLimit - (pasted?.count ?? 0), 0)
        pasted?.append(contentsOf: pending[..<taken].prefix(room))
        pending.removeFirst(end == nil ? taken : taken + length)
        guard end != nil else { return nil }
        return pasted.take().map { String(decoding: $0, as: UTF8.self) }
    }
}

extension KeyDecoder {
    private enum Found {
        case key(Key)
        case pasteBegins
        /// Bytes that mean nothing.
        case nothing
    }

    /// Nil if more bytes are needed.
    private static func next(_ bytes: ArraySlice<UInt8>) -> (Found, Int)? {
        guard let first = bytes.first else { return nil }
        switch first {
        case escape: return sequence(bytes)
        case 0x0D, 0x0A: return (.key(.enter), 1)
        case 0x09: return (.key(.tab), 1)
        case 0x08, 0x7F: return (.key(.backspace), 1)
        case 0x01...0x1A:
            return (.key(.control(Character(Unicode.Scalar(first + 0x60)))), 1)
        case 0x00, 0x1C...0x1F: return (.key(.other), 1)
        default: return scalar(bytes, first)
        }
    }

    private static func scalar(_ bytes: ArraySlice<UInt8>, _ first: UInt8) -> (Found, Int)? {
        let length =
            switch first {
            case 0x20...0x7E: 1
            case 0xC2...0xDF: 2
            case 0xE0...0xEF: 3
            case 0xF0...0xF4: 4
            default: 0
            }
        guard length > 0 else { return (.nothing, 1) }
        let part = bytes.prefix(length)
        let rest = part.dropFirst()
        // A byte that cannot follow begins something new.
        guard rest.allSatisfy({ $0 & 0xC0 == 0x80 }) else { return (.nothing, 1) }
        guard part.count == length else { return nil }
        guard let text = String(validating: part, as: UTF8.self),
            let scalar = text.unicodeScalars.first, !(0x80...0x9F).contains(scalar.value)
        else { return (.nothing, length) }
        return (.key(.text(text)), length)
    }

    private static func sequence(_ bytes: ArraySlice<UInt8>) -> (Found, Int)? {
        guard let second = bytes.dropFirst().first else { return nil }
        switch second {
        case UInt8(ascii: "["): return control(bytes)
        case UInt8(ascii: "O"):
            guard let third = bytes.dropFirst(2).first else { return nil }
            return (.key(named(third)), 3)
        // The second one may begin a sequence of its own.
        case escape: return (.key(.escape), 1)
        // A key with Alt.
        default: return (.key(.other), 2)
        }
    }

    /// ECMA-48 section 5.4: parameters, intermediate bytes, one final byte.
    private static func control(_ bytes: ArraySlice<UInt8>) -> (Found, Int)? {
        let body = bytes.dropFirst(2)
        let parameters = body.prefix { (0x30...0x3F).contains($0) }
        let between = body.dropFirst(parameters.count).prefix { (0x20...0x2F).contains($0) }
        let count = 2 + parameters.count + between.count
        guard count < sequenceLimit else { return (.key(.other), sequenceLimit) }
        guard let final = bytes.dropFirst(count).first else { return nil }
        guard (0x40...0x7E).contains(final) else { return (.key(.other), count) }
        guard final == UInt8(ascii: "~") else { return (.key(named(final)), count + 1) }
        // What follows a semicolon says which other keys are held.
        switch String(decoding: parameters.prefix { $0 != UInt8(ascii: ";") }, as: UTF8.self) {
        case "1", "7": return (.key(.home), count + 1)
        case "3": return (.key(.delete), count + 1)
        case "4", "8": return (.key(.end), count + 1)
        case "5": return (.key(.pageUp), count + 1)
        case "6": return (.key(.pageDown), count + 1)
        case "200": return (.pasteBegins, count + 1)
        case "201": return (.nothing, count + 1)
        default: return (.key(.other), count + 1)
        }
    }

    private static func named(_ final: UInt8) -> Key {
        switch final {
        case UInt8(ascii: "A"): .up
        case UInt8(ascii: "B"): .down
        case UInt8(ascii: "C"): .right
        case UInt8(ascii: "D"): .left
        case UInt8(ascii: "F"): .end
        case UInt8(ascii: "H"): .home
        case UInt8(ascii: "M"): .enter
        case UInt8(ascii: "Z"): .backTab
        default: .other
        }
    }
}
