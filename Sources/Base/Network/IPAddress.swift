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
