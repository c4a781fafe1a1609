/// Numbers and strings (RFC 8259 sections 6 and 7).
extension JSONScanner {
    mutating func number() throws(Failure) -> Range<Int> {
        let start = position
        if isTolerant { return try looseNumber() }
        guard skip(JSONGrammar.skipNumber) else { throw .invalid(at: position) }
        return start..<position
    }

    private mutating func looseNumber() throws(Failure) -> Range<Int> {
        let start = position
        while let byte = peek, byte.isDigit || "+-.eE".utf8.contains(byte) { position += 1 }
        guard position > start, bytes[start].lowercased != UInt8(ascii: "e") else {
            throw .invalid(at: start)
        }
        return start..<position
    }

    private var peek: UInt8? { position < end ? bytes[position] : nil }

    /// Leaves `position` after the closing quote.
    mutating func string() throws(Failure) -> JSONText {
        position += 1
        let start = position
        var isPlain = true
        while true {
            position = endOfPlainRun()
            guard position < end else { throw .invalid(at: position) }
            switch bytes[position] {
            case UInt8(ascii: "\""):
                defer { position += 1 }
                return JSONText(range: start..<position, isPlain: isPlain)
            case UInt8(ascii: "\\"):
                isPlain = false
                try escape()
            case 0x00..<0x20:
                guard isTolerant else { throw .invalid(at: position) }
                position += 1
            case 0x20..<0x80: position += 1
            default: try multibyte()
            }
        }
    }

    /// The position of the next quote, backslash, control character or non-ASCII byte, or of the
    /// last eight bytes.
    private func endOfPlainRun() -> Int {
        bytes.withUnsafeBytes { bytes in
            var index = position
            while index + 8 <= end {
                let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                let marks = word.unplainInJSON
                guard marks == 0 else {
                    return index + UInt64(littleEndian: marks).trailingZeroBitCount / 8
                }
                index += 8
            }
            return index
        }
    }

    private mutating func escape() throws(Failure) {
        if skip(JSONGrammar.skipEscape) { return }
        guard isTolerant, position + 1 < end, bytes[position + 1] != UInt8(ascii: "u") else {
            throw .invalid(at: position)
        }
        // An escaped character may have several bytes: then the rest is read as ordinary text.
        position += bytes[position + 1] < 0x80 ? 2 : 1
    }

    /// Reads one UTF-8 sequence by RFC 3629 section 4: shortest form, no surrogates, at most
    /// U+10FFFF.
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
