package import Base
package import Crypto
package import Delivery
package import Topics
package import WebPush

/// 128 random bits that name something.
package protocol RandomName: Hashable, Sendable {
    var bits: Bits128 { get }
    init(_ bits: Bits128)
}

extension MessageID: RandomName {}
extension LocationID: RandomName {}
extension ChannelID: RandomName {}
extension UserAgentID: RandomName {}

extension RandomName {
    package var high: UInt64 { bits.high }
    package var low: UInt64 { bits.low }

    package init(high: UInt64, low: UInt64) { self.init(Bits128(high: high, low: low)) }

    package init(from random: inout RandomSupply) throws(OpenSSLError) {
        self.init(high: try random.word(), low: try random.word())
    }

    /// Nil unless there are 16 bytes.
    init?(_ bytes: Span<UInt8>) {
        guard let bits = Bits128(bytes) else { return nil }
        self.init(bits)
    }

    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(bigEndian: high)
        bytes.append(bigEndian: low)
        return bytes
    }
}

/// The last part of an endpoint's path: 160 random bits, then a 64-bit mark of this server.
package struct EndpointToken: Sendable, Confidential {
    package static let randomLength = 20
    package static let length = randomLength + 8

    fileprivate let storage: InlineArray<28, UInt8>

    fileprivate init(_ storage: InlineArray<28, UInt8>) { self.storage = storage }

    /// Makes a token from our own records. Tokens from outside go through `EndpointMint.token`.
    init?(recorded bytes: [UInt8]) {
        guard bytes.count == Self.length else { return nil }
        storage = InlineArray { bytes[$0] }
    }

    package var bytes: [UInt8] { storage.span.array(storage.indices) }
}

/// Makes endpoint tokens and checks whether a token is ours. Use one per thread.
package struct EndpointMint: ~Copyable {
    /// The hash already contains the key, so each mark starts from it.
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
        return EndpointToken(InlineArray { bytes[$0] })
    }

    /// Nil unless `text`, the last part of a path, is a token made under this key.
    package mutating func token(_ text: Span<UInt8>) throws(OpenSSLError) -> EndpointToken? {
        var bytes = InlineArray<28, UInt8>(repeating: 0)
        var output = bytes.mutableSpan
        guard Base64URL.decode(text, filling: &output) else { return nil }
        let expected = try mark(of: bytes.span.extracting(0..<EndpointToken.randomLength))
        // One comparison of two words takes the same time whatever they are.
        guard bytes.span.word(at: EndpointToken.randomLength) == expected else { return nil }
        return EndpointToken(bytes)
    }

    /// The key for look-ups. Neither memory nor the file holds the token in a readable form.
    package mutating func digest(of token: EndpointToken) throws(OpenSSLError) -> Digest {
        Digest(try hash.digest(of: token.storage.span))
    }

    private mutating func mark(of random: Span<UInt8>) throws(OpenSSLError) -> UInt64 {
        try mark(of: random, Span())
    }

    /// Marks two texts; the first always has the same length.
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

/// Locations that tell, to who has the key, whose push it was: its notification can be taken back
/// although the store no longer has the push, or never had it.
extension EndpointMint {
    package mutating func location(for device: UInt32) throws(OpenSSLError) -> LocationID {
        let high = try random.word()
        return try location(high, try random.word(), device)
    }

    /// Anything if the location is not such a one.
    mutating func device(of location: LocationID) throws(OpenSSLError) -> UInt32 {
        let masked = UInt32(truncatingIfNeeded: location.low)
        return UInt32(
            truncatingIfNeeded: try self.location(location.high, location.low, masked).low)
    }

    /// The id of the topic's message that a push became. It tells nothing of the location.
    package mutating func message(at location: LocationID) throws(OpenSSLError) -> TopicMessageID {
        let bytes = location.bytes
        return TopicMessageID(number: try mark(of: bytes.span, Self.messageLabel.span))
    }

    private static let messageLabel = Array("topic".utf8)

    private mutating func location(
        _ high: UInt64, _ low: UInt64, _ device: UInt32
    ) throws(OpenSSLError) -> LocationID {
        let start = low & ~UInt64(UInt32.max)
        var bytes: [UInt8] = []
        bytes.append(bigEndian: high)
        bytes.append(bigEndian: start)
        let mask = UInt32(truncatingIfNeeded: try mark(of: bytes.span))
        return LocationID(high: high, low: start | UInt64(device ^ mask))
    }
}

extension EndpointMint {
    package mutating func repetitionMark(
        of token: EndpointToken, name: Span<UInt8>
    ) throws(OpenSSLError) -> RepetitionMark {
        RepetitionMark(key: try mark(of: token.storage.span, name))
    }

    /// For what comes to the name of a topic instead. No token has so many zeros.
    package mutating func repetitionMark(
        ofTopic device: UInt32, name: Span<UInt8>
    ) throws(OpenSSLError) -> RepetitionMark {
        var bytes = [UInt8](repeating: 0, count: EndpointToken.length - 8)
        bytes.append(bigEndian: UInt64(device))
        return RepetitionMark(key: try mark(of: bytes.span, name))
    }
}
