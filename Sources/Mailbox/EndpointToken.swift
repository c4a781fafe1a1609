package import Base
package import Crypto
package import Delivery

/// The last part of an endpoint's path: 160 random bits, and 64 bits by which we know it for ours.
package struct EndpointToken: Sendable, Confidential {
    package static let randomLength = 20
    package static let length = randomLength + 8

    package let bytes: [UInt8]

    /// From our own records; what comes from outside goes through `EndpointMint.token`.
    init(recorded bytes: [UInt8]) { self.bytes = bytes }
}

/// Makes endpoint tokens, and tells ours from others. One for each thread.
package struct EndpointMint: ~Copyable {
    /// Has taken in the key: a mark goes on from there.
    private var hash: SHA256
    private var random = RandomSupply()

    package init(key: Secret) throws(OpenSSLError) {
        var keyed = try SHA256()
        try key.withSpan { key throws(OpenSSLError) in try keyed.beginHMAC(key: key) }
        hash = keyed
    }

    package mutating func make() throws(OpenSSLError) -> EndpointToken {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(EndpointToken.length)
        try random.append(EndpointToken.randomLength, to: &bytes)
        bytes.append(bigEndian: try mark(of: bytes.span))
        return EndpointToken(recorded: bytes)
    }

    /// Nil unless `bytes` is a token that was made under this key.
    package mutating func token(_ bytes: [UInt8]) throws(OpenSSLError) -> EndpointToken? {
        guard bytes.count == EndpointToken.length else { return nil }
        let expected = try mark(of: bytes.span.extracting(0..<EndpointToken.randomLength))
        // One comparison of two words: its time tells nothing.
        guard bytes.span.word(at: EndpointToken.randomLength) == expected else { return nil }
        return EndpointToken(recorded: bytes)
    }

    /// By which it is looked up: what stands in memory and in the file does not give it away.
    package mutating func digest(of token: EndpointToken) throws(OpenSSLError) -> Digest {
        let bytes = token.bytes
        return Digest(try hash.digest(of: bytes.span))
    }

    private mutating func mark(of random: Span<UInt8>) throws(OpenSSLError) -> UInt64 {
        try mark(of: random, Span())
    }

    /// Of two texts, the first of which has always the same length.
    mutating func mark(
        of first: Span<UInt8>, _ second: Span<UInt8>
    ) throws(OpenSSLError) -> UInt64 {
        hash.beginHMACUnderSameKey()
        try hash.update(first)
        try hash.update(second)
        let digest = try hash.finishHMAC()
        return digest.span.word(at: 0)
    }
}

extension EndpointMint {
    package mutating func repetitionMark(
        of token: EndpointToken, name: Span<UInt8>
    ) throws(OpenSSLError) -> RepetitionMark {
        let bytes = token.bytes
        return RepetitionMark(key: try mark(of: bytes.span, name))
    }
}
