import Base

/// The character classes of RFC 9110 and RFC 3986 as bit sets: no table, no memory access.
extension UInt8 {
    /// `unreserved` and `sub-delims` of RFC 3986 section 2, the characters of a host name.
    var isHostByte: Bool { isIn(0x2BFF_7FD2_0000_0000, 0x47FF_FFFE_87FF_FFFE) }

    static let carriageReturn = UInt8(ascii: "\r")
    static let lineFeed = UInt8(ascii: "\n")
}

extension Span<UInt8> {
    /// The first position from `start` on that cannot be in a field value (RFC 9110 section 5.5): a
    /// control character other than a tab, or the end.
    func endOfFieldValue(from start: Int) -> Int {
        var index = skipPrintable(from: start)
        while true {
            index = firstControl(from: index)
            guard index < count, self[index] == 0x09 else { return index }
            index += 1
        }
    }

    /// A position from `start` on before which there is no control character: at most 32 bytes
    /// before the first, or the end.
    private func skipPrintable(from start: Int) -> Int {
        let end = count
        return withUnsafeBytes { bytes in
            var index = start
            while end &- index >= 32 {
                // Like `bytes(below:)` and `bytes(equalTo:)`, on four words at once.
                let words = bytes.loadUnaligned(fromByteOffset: index, as: SIMD4<UInt64>.self)
                let others = words ^ SIMD4(repeating: 0x7F7F_7F7F_7F7F_7F7F)
                let hits =
                    ((words &- SIMD4(repeating: 0x2020_2020_2020_2020)) & ~words)
                    | ((others &- SIMD4(repeating: 0x0101_0101_0101_0101)) & ~others)
                let found = hits[0] | hits[1] | hits[2] | hits[3]
                guard found & 0x8080_8080_8080_8080 == 0 else { return index }
                index &+= 32
            }
            return index
        }
    }

    private func firstControl(from start: Int) -> Int {
        firstIndex(from: start) { word in
            word.bytes(below: 0x20) | word.bytes(equalTo: 0x7F)
        }
    }

    /// The first position from `start` on that cannot be in a request target, or is its "?".
    ///
    /// A target has only visible ASCII without "#", which starts a fragment.
    func endOfTargetPart(from start: Int) -> Int {
        firstIndex(from: start) { word in
            word.bytes(below: 0x21) | word.bytes(equalTo: 0x7F) | word
                | word.bytes(equalTo: UInt8(ascii: "#")) | word.bytes(equalTo: UInt8(ascii: "?"))
        }
    }

    /// The first byte that `hits` marks. `hits` gets eight bytes at a time, and marks a byte by
    /// setting its high bit.
    @inline(__always)
    private func firstIndex(from start: Int, _ hits: (UInt64) -> UInt64) -> Int {
        let highBits: UInt64 = 0x8080_8080_8080_8080
        let end = count
        // Without bounds checks for each load this takes half the time. No load begins less than
        // eight bytes before the end.
        return withUnsafeBytes { bytes in
            var index = start
            // Most texts are long and have no hit: four words need one branch.
            while end &- index >= 32 {
                let found =
                    hits(bytes.word(at: index)) | hits(bytes.word(at: index &+ 8))
                    | hits(bytes.word(at: index &+ 16)) | hits(bytes.word(at: index &+ 24))
                if found & highBits != 0 { break }
                index &+= 32
            }
            while end &- index >= 8 {
                let found = hits(bytes.word(at: index)) & highBits
                if found != 0 { return index + found.trailingZeroBitCount / 8 }
                index &+= 8
            }
            while index < end, hits(UInt64(bytes[index])) & 0x80 == 0 { index += 1 }
            return index
        }
    }

    /// The next element of a comma-separated list without surrounding white space; nil at the end.
    ///
    /// An empty element is an empty range.
    func nextListElement(from position: inout Int) -> Range<Int>? {
        guard position <= count else { return nil }
        let comma = firstIndex(of: UInt8(ascii: ","), from: position) ?? count
        defer { position = comma + 1 }
        return trimmed(position..<comma)
    }

    /// `range` without the spaces and tabs at its ends.
    func trimmed(_ range: Range<Int>) -> Range<Int> {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end, self[start].isBlank { start += 1 }
        while end > start, self[end - 1].isBlank { end -= 1 }
        return start..<end
    }
}

extension UnsafeRawBufferPointer {
    @inline(__always)
    fileprivate func word(at index: Int) -> UInt64 {
        UInt64(littleEndian: loadUnaligned(fromByteOffset: index, as: UInt64.self))
    }
}

/// Compares eight bytes at once; the high bit of each byte is its result. A borrow can falsify only
/// bytes above the lowest hit, so only that one counts.
extension UInt64 {
    fileprivate func bytes(below limit: UInt64) -> UInt64 {
        (self &- limit &* 0x0101_0101_0101_0101) & ~self
    }

    fileprivate func bytes(equalTo byte: UInt8) -> UInt64 {
        let difference = self ^ (UInt64(byte) &* 0x0101_0101_0101_0101)
        return difference.bytes(below: 1)
    }
}

/// The grammar of `uri-host [":" port]` (RFC 3986 section 3.2) in Host fields and targets.
enum HTTPAuthority {
    /// An empty host is refused: no http URL has one (RFC 9110 section 4.2.1).
    static func isValid(_ text: Span<UInt8>) -> Bool {
        guard let end = endOfHost(text), end > 0 else { return false }
        return end == text.count || isPort(text, from: end)
    }

    /// The form that CONNECT requires: with a port (RFC 9112 section 3.2.3).
    static func isValidWithPort(_ text: Span<UInt8>) -> Bool {
        guard let end = endOfHost(text), end > 0 else { return false }
        return end + 1 < text.count && isPort(text, from: end)
    }

    private static func endOfHost(_ text: Span<UInt8>) -> Int? {
        guard !text.isEmpty else { return nil }
        guard text[0] == UInt8(ascii: "[") else { return endOfName(text) }
        var index = 1
        while index < text.count, isAddressByte(text[index]) { index += 1 }
        guard index > 1, index < text.count, text[index] == UInt8(ascii: "]") else { return nil }
        return index + 1
    }

    private static func endOfName(_ text: Span<UInt8>) -> Int? {
        var index = 0
        while index < text.count {
            if text[index].isHostByte {
                index += 1
            } else if text[index] == UInt8(ascii: "%") {
                guard index + 2 < text.count, text[index + 1].hexValue != nil,
                    text[index + 2].hexValue != nil
                else { return nil }
                index += 3
            } else {
                break
            }
        }
        return index
    }

    /// The characters of an IPv6 literal; its numbers are not checked.
    private static func isAddressByte(_ byte: UInt8) -> Bool {
        byte.hexValue != nil || byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".")
    }

    /// ":" and an optional number, to the end.
    private static func isPort(_ text: Span<UInt8>, from colon: Int) -> Bool {
        guard text[colon] == UInt8(ascii: ":") else { return false }
        let digits = text.extracting(colon + 1..<text.count)
        return digits.isEmpty || UInt16(decimalDigits: digits) != nil
    }
}
