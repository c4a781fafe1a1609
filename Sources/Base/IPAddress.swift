/// An address of the internet protocol, version 4 or 6.
///
/// It is stored as 128 bits, IPv4 in its IPv4-mapped form (RFC 4291 section 2.5.5.2): a client on a
/// dual-stack socket is the same client, shown and compared as IPv4.
package struct IPAddress: Hashable, Sendable, CustomStringConvertible {
    package let high: UInt64
    package let low: UInt64

    /// The 128 bits in network byte order.
    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    package init(v4 bits: UInt32) {
        self.init(high: 0, low: 0xFFFF_0000_0000 | UInt64(bits))
    }

    /// The 32 bits of version 4; nil for version 6.
    package var v4: UInt32? {
        high == 0 && low >> 32 == 0xFFFF ? UInt32(truncatingIfNeeded: low) : nil
    }

    package var isLoopback: Bool {
        if let v4 { return v4 >> 24 == 127 }
        return high == 0 && low == 1
    }

    /// The eight groups of version 6.
    var groups: InlineArray<8, UInt16> {
        InlineArray { index in
            UInt16(truncatingIfNeeded: (index < 4 ? high : low) >> UInt64((3 - index % 4) * 16))
        }
    }

    /// The canonical text: RFC 5952 for IPv6, four numbers for IPv4.
    package var description: String {
        if let v4 { return "\(v4 >> 24).\(v4 >> 16 & 0xFF).\(v4 >> 8 & 0xFF).\(v4 & 0xFF)" }
        let gap = longestGap
        var text = ""
        var index = 0
        while index < 8 {
            if index == gap.lowerBound, !gap.isEmpty {
                text += "::"
                index = gap.upperBound
            } else {
                if !text.isEmpty, text.last != ":" { text += ":" }
                text += String(groups[index], radix: 16)
                index += 1
            }
        }
        return text
    }

    /// The groups that "::" replaces: the first of the longest runs of two or more zero groups (RFC
    /// 5952 section 4.2).
    private var longestGap: Range<Int> {
        let groups = groups
        var longest = 0..<0
        var index = 0
        while index < 8 {
            let start = index
            while index < 8, groups[index] == 0 { index += 1 }
            if index - start > max(longest.count, 1) { longest = start..<index }
            if index < 8 { index += 1 }
        }
        return longest
    }

    /// The network of one client: an IPv4 address, or the /64 of an IPv6 address.
    package var network: UInt64 { v4.map(UInt64.init) ?? high }
}

extension IPAddress {
    /// Reads IPv4 or IPv6 in any form of RFC 4291 section 2.2, without zone or brackets.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        self.init(bytes.span)
    }

    package init?(_ text: Span<UInt8>) {
        guard text.firstIndex(of: UInt8(ascii: ":")) != nil else {
            guard let bits = Self.v4Bits(text) else { return nil }
            self.init(v4: bits)
            return
        }
        // A longer text cannot be an address.
        guard text.count <= 45, let (before, after) = Self.halves(text) else { return nil }
        var groups = before
        if let after {
            // "::" stands for at least one group.
            guard before.count + after.count <= 7 else { return nil }
            groups += Array(repeating: 0, count: 8 - before.count - after.count) + after
        }
        guard groups.count == 8 else { return nil }
        self.init(high: Self.bits(groups[..<4]), low: Self.bits(groups[4...]))
    }

    private static func bits(_ groups: ArraySlice<UInt16>) -> UInt64 {
        groups.reduce(0) { $0 << 16 | UInt64($1) }
    }

    /// The groups before and after "::"; nil for the second part if there is none.
    private static func halves(_ text: Span<UInt8>) -> ([UInt16], [UInt16]?)? {
        for index in text.indices.dropLast()
        where text[index] == UInt8(ascii: ":") && text[index + 1] == UInt8(ascii: ":") {
            guard let before = groups(text.extracting(0..<index), mayEndInV4: false),
                let after = groups(text.extracting(index + 2..<text.count), mayEndInV4: true)
            else { return nil }
            return (before, after)
        }
        return groups(text, mayEndInV4: true).map { ($0, nil) }
    }

    private static func groups(_ text: Span<UInt8>, mayEndInV4: Bool) -> [UInt16]? {
        var groups: [UInt16] = []
        var start = 0
        while start < text.count || !groups.isEmpty {
            let end = text.firstIndex(of: UInt8(ascii: ":"), from: start) ?? text.count
            let part = text.extracting(start..<end)
            if end == text.count, mayEndInV4, let bits = v4Bits(part) {
                return groups + [UInt16(bits >> 16), UInt16(truncatingIfNeeded: bits)]
            }
            guard let group = group(part) else { return nil }
            groups.append(group)
            if end == text.count { break }
            start = end + 1
        }
        return groups
    }

    /// One to four hexadecimal digits.
    private static func group(_ text: Span<UInt8>) -> UInt16? {
        guard (1...4).contains(text.count) else { return nil }
        var value: UInt16 = 0
        for index in text.indices {
            let byte = text[index].lowercased
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = value << 4 | UInt16(byte - 48)
            case UInt8(ascii: "a")...UInt8(ascii: "f"): value = value << 4 | UInt16(byte - 87)
            default: return nil
            }
        }
        return value
    }

    /// Four decimal numbers. A leading zero is refused: elsewhere it means octal.
    private static func v4Bits(_ text: Span<UInt8>) -> UInt32? {
        var bits: UInt32 = 0
        var start = 0
        for position in 0..<4 {
            let dot = text.firstIndex(of: UInt8(ascii: "."), from: start)
            guard position < 3 ? dot != nil : dot == nil, start < text.count else { return nil }
            let part = text.extracting(start..<(dot ?? text.count))
            guard part.count <= 3, let number = UInt8(decimalDigits: part),
                part.count == 1 || part[0] != UInt8(ascii: "0")
            else { return nil }
            bits = bits << 8 | UInt32(number)
            start += part.count + 1
        }
        return bits
    }
}

/// The scope of an address (RFC 6890, and IANA's registries that continue it).
extension IPAddress {
    /// Whether it belongs to one machine on the internet. Addresses that wrap another one do not
    /// count: 6to4, Teredo and NAT64 would lead to wherever the inner address points.
    package var isGlobalUnicast: Bool {
        if v4 != nil { return !Self.special4.contains { $0.contains(self) } }
        return high >> 61 == 1 && !Self.special6.contains { $0.contains(self) }
    }

    /// Networks of an organisation or a home (RFC 1918, RFC 4193).
    package var isPrivate: Bool { Self.privateBlocks.contains { $0.contains(self) } }

    private static let privateBlocks = blocks(
        "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7")

    private static let special4 =
        privateBlocks
        + blocks(
            "0.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "192.0.0.0/24",
            "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24",
            "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4")

    /// Special blocks inside 2000::/3; nothing else is global unicast. The first one contains
    /// Teredo, the second is 6to4.
    private static let special6 = blocks("2001::/23", "2002::/16", "2001:db8::/32", "3fff::/20")

    private static func blocks(_ texts: String...) -> [AddressBlock] {
        texts.map { text in
            guard let block = AddressBlock(text) else {
                preconditionFailure("\(text) is not a block of addresses")
            }
            return block
        }
    }
}

/// A block of addresses: `10.0.0.0/8`, `fc00::/7`, or a single address.
package struct AddressBlock: Hashable, Sendable, CustomStringConvertible {
    private let address: IPAddress
    /// The number of fixed bits, out of the 128 that every address has.
    private let length: Int

    /// Nil for an invalid address or length, or if bits after the length are set.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, let address = IPAddress(String(parts[0])) else { return nil }
        let before = address.v4 == nil ? 0 : 96
        var length = 128
        if parts.count == 2 {
            let digits = Array(parts[1].utf8)
            guard let number = Int(decimalDigits: digits.span), number <= 128 - before else {
                return nil
            }
            length = before + number
        }
        self.init(address, length: length)
        guard Self.masked(address, length) == address else { return nil }
    }

    private init(_ address: IPAddress, length: Int) {
        (self.address, self.length) = (address, length)
    }

    package func contains(_ other: IPAddress) -> Bool { Self.masked(other, length) == address }

    package var description: String {
        "\(address)/\(address.v4 == nil ? length : length - 96)"
    }

    private static func masked(_ address: IPAddress, _ length: Int) -> IPAddress {
        IPAddress(
            high: address.high & mask(min(length, 64)),
            low: address.low & mask(max(length - 64, 0)))
    }

    private static func mask(_ length: Int) -> UInt64 {
        length == 0 ? 0 : .max << UInt64(64 - length)
    }
}
