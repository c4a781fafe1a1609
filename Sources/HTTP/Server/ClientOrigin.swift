package import Base
import System

/// Finds the client of a request behind proxies.
package enum ClientAddress {
    /// Reads `X-Forwarded-For` from its right end, where each trusted proxy has added the address
    /// it got the request from. Anything left of the first untrusted address may be forged.
    ///
    /// `peer` is nil if the other end has no address. An element that is not an address ends the
    /// search: the last trusted proxy is then the best that is known.
    package static func client(
        peer: IPAddress?, isPeerTrusted: Bool, trusted: [IPAddress], forwardedFor: [UInt8]?
    ) -> IPAddress? {
        guard isPeerTrusted, let forwardedFor else { return peer }
        var client = peer
        for element in forwardedFor.split(
            separator: UInt8(ascii: ","), omittingEmptySubsequences: false
        ).reversed() {
            guard let address = address(element) else { return client }
            client = address
            guard trusted.contains(address) else { return client }
        }
        return client
    }

    /// `192.0.2.1`, `2001:db8::1`, and the forms with brackets or a port that some proxies write.
    private static func address(_ element: ArraySlice<UInt8>) -> IPAddress? {
        let text = String(decoding: element, as: UTF8.self)
        var trimmed = Substring(text)
        while let first = trimmed.first, first == " " || first == "\t" { trimmed.removeFirst() }
        while let last = trimmed.last, last == " " || last == "\t" { trimmed.removeLast() }
        if let address = IPAddress(String(trimmed)) { return address }
        if trimmed.hasPrefix("["), let end = trimmed.firstIndex(of: "]") {
            return IPAddress(String(trimmed[trimmed.index(after: trimmed.startIndex)..<end]))
        }
        guard let colon = trimmed.lastIndex(of: ":") else { return nil }
        return IPAddress(String(trimmed[..<colon]))
    }
}

/// The header in which a proxy names its client, in version 1 or 2 of the PROXY protocol.
///
/// It is a pure value: it looks at the bytes in the socket and returns how many belong to the
/// header, so that nothing after it is consumed.
struct ProxyHeader {
    enum Progress: Equatable {
        case needsMore
        /// Nil if the proxy connects for itself, or for a client without an address.
        case client(SocketAddress?)
        case malformed
    }

    /// The start of version 2, which no other protocol has.
    private static let signature: [UInt8] = [
        0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A,
    ]
    private static let fixedCount = 16
    private static let lineLimit = 107
    /// The addresses, and extensions that are ignored.
    private static let restLimit = 2_048

    private var bytes: [UInt8] = []

    /// Consumes the front of `input` as far as it belongs to the header.
    mutating func next(_ input: Span<UInt8>) -> (taken: Int, Progress) {
        var taken = 0
        while taken < input.count, bytes.count < Self.signature.count {
            bytes.append(input[taken])
            taken += 1
            guard isPossible else { return (taken, .malformed) }
        }
        guard bytes.count >= Self.signature.count else { return (taken, .needsMore) }
        let rest = input.extracting(taken..<input.count)
        let (more, progress) = bytes[0] == Self.signature[0] ? nextBinary(rest) : nextLine(rest)
        return (taken + more, progress)
    }

    private var isPossible: Bool {
        let isBinary = bytes.elementsEqual(Self.signature.prefix(bytes.count))
        return isBinary || bytes.prefix(6).elementsEqual("PROXY ".utf8.prefix(bytes.count))
    }

    /// Takes the bytes up to the line feed, and none after it.
    private mutating func nextLine(_ input: Span<UInt8>) -> (Int, Progress) {
        for index in input.indices {
            bytes.append(input[index])
            if input[index] == .lineFeed { return (index + 1, lineProgress) }
            if bytes.count >= Self.lineLimit { return (index + 1, .malformed) }
        }
        return (input.count, .needsMore)
    }

    private var lineProgress: Progress {
        let line = String(decoding: bytes, as: UTF8.self)
        guard line.hasSuffix("\r\n") else { return .malformed }
        let words = line.dropLast().split(separator: " ", omittingEmptySubsequences: false)
        guard words.count >= 2 else { return .malformed }
        if words[1] == "UNKNOWN" { return .client(nil) }
        guard words.count == 6, words[1] == "TCP4" || words[1] == "TCP6" else { return .malformed }
        let isV6 = words[1] == "TCP6"
        guard let address = Self.address(words[2], isV6), Self.address(words[3], isV6) != nil,
            let port = Self.port(words[4]), Self.port(words[5]) != nil
        else { return .malformed }
        return .client(.ip(address, port: port))
    }

    private static func address(_ word: Substring, _ isV6: Bool) -> IPAddress? {
        word.contains(":") == isV6 ? IPAddress(String(word)) : nil
    }

    /// Accepts digits only, without a sign.
    private static func port(_ word: Substring) -> UInt16? {
        word.utf8.allSatisfy(\.isDigit) ? UInt16(word) : nil
    }

    private mutating func nextBinary(_ input: Span<UInt8>) -> (Int, Progress) {
        var taken = 0
        while taken < input.count, bytes.count < Self.fixedCount {
            bytes.append(input[taken])
            taken += 1
        }
        guard bytes.count >= Self.fixedCount else { return (taken, .needsMore) }
        let rest = Int(bytes[14]) << 8 | Int(bytes[15])
        guard bytes[12] >> 4 == 2, bytes[12] & 0xF <= 1, rest <= Self.restLimit else {
            return (taken, .malformed)
        }
        let count = min(Self.fixedCount + rest - bytes.count, input.count - taken)
        bytes.append(contentsOf: input.extracting(taken..<taken + count))
        taken += count
        return (taken, bytes.count < Self.fixedCount + rest ? .needsMore : binaryProgress(rest))
    }

    private func binaryProgress(_ rest: Int) -> Progress {
        guard bytes[12] & 0xF == 1 else { return .client(nil) }
        switch bytes[13] >> 4 {
        case 1 where rest >= 12:
            let address = IPAddress(v4: UInt32(truncatingIfNeeded: number(at: 16, 4)))
            return .client(.ip(address, port: UInt16(number(at: 24, 2))))
        case 2 where rest >= 36:
            let address = IPAddress(high: number(at: 16, 8), low: number(at: 24, 8))
            return .client(.ip(address, port: UInt16(number(at: 48, 2))))
        case 1, 2: return .malformed
        default: return .client(nil)
        }
    }

    private func number(at start: Int, _ count: Int) -> UInt64 {
        bytes[start..<start + count].reduce(0) { $0 << 8 | UInt64($1) }
    }
}
