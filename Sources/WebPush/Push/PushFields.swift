import Base

/// The header fields of a push, collected in one pass.
///
/// Errors are kept until their turn in the order of checks.
package struct PushFields: Sendable, Confidential {
    enum TTL: Equatable, Sendable {
        case absent
        case malformed
        case negative
        /// Larger numbers are clamped.
        case seconds(UInt32)
    }

    enum TopicField: Equatable, Sendable {
        case absent
        case tooLong
        case malformed
        case name(Topic)
    }

    enum Encoding: Equatable, Sendable {
        case absent
        case unknown
        case known(ContentEncoding)
    }

    private(set) var ttl = TTL.absent
    private(set) var topic = TopicField.absent
    private(set) var encoding = Encoding.absent
    private(set) var urgency: Urgency?
    private(set) var encryption: [UInt8]?
    /// The older drafts of VAPID also put their key here.
    package private(set) var cryptoKey: [UInt8]?
    package private(set) var authorization: [UInt8]?
    /// The version of a simple push, if the sender put it into the query.
    private(set) var version: UInt64?

    package init() {}

    /// Records one field of the request. Repeated list fields are joined; of other fields only the
    /// first counts.
    package mutating func record(_ name: Span<UInt8>, _ value: Span<UInt8>) {
        switch name.count {
        case 3 where ttl == .absent && name.equalsIgnoringCase("ttl"):
            ttl = TTL(value)
        case 5 where topic == .absent && name.equalsIgnoringCase("topic"):
            topic = TopicField(value)
        case 7 where urgency == nil && name.equalsIgnoringCase("urgency"):
            urgency = Urgency(value)
        case 10 where name.equalsIgnoringCase("crypto-key"):
            Self.join(value, to: &cryptoKey)
        case 10 where name.equalsIgnoringCase("encryption"):
            Self.join(value, to: &encryption)
        case 13 where name.equalsIgnoringCase("authorization"):
            Self.join(value, to: &authorization)
        case 16 where encoding == .absent && name.equalsIgnoringCase("content-encoding"):
            encoding = Encoding(value)
        default: break
        }
    }

    /// Records the query of the target.
    package mutating func record(query: Span<UInt8>) {
        var start = 0
        while start < query.count, version == nil {
            var end = start
            while end < query.count, query[end] != UInt8(ascii: "&") { end += 1 }
            version = SimplePush(query.extracting(start..<end))?.version
            start = end + 1
        }
    }

    /// Whether `body` is encrypted with the signing key pair, which RFC 8292 forbids.
    package func isEncrypted(_ body: Span<UInt8>, withKeyOf signer: VAPIDCache.Entry) -> Bool {
        let key = EncryptionParameters.fixedHeaderLength
        guard encoding == .known(.aes128gcm), body.count >= key + UncompressedPoint.length,
            Int(body[key - 1]) == UncompressedPoint.length, body[key] == 0x04
        else { return false }
        return Bits128(body.extracting(key + 1..<key + 17)) == signer.keyStart
    }

    private static func join(_ value: Span<UInt8>, to list: inout [UInt8]?) {
        guard list != nil else {
            list = value.array(value.indices)
            return
        }
        list?.append(contentsOf: ", ")
        list?.append(contentsOf: value)
    }
}

extension PushFields.TTL {
    init(_ value: Span<UInt8>) {
        let isSigned =
            !value.isEmpty && (value[0] == UInt8(ascii: "-") || value[0] == UInt8(ascii: "+"))
        let digits = value.extracting((isSigned ? 1 : 0)..<value.count)
        guard !digits.isEmpty else {
            self = .malformed
            return
        }
        for index in digits.indices where !digits[index].isDigit {
            self = .malformed
            return
        }
        let seconds = UInt32(decimalDigits: digits) ?? .max
        let isNegative = isSigned && value[0] == UInt8(ascii: "-") && seconds > 0
        self = isNegative ? .negative : .seconds(seconds)
    }
}

extension PushFields.TopicField {
    /// Padding is not part of the topic, but counts for its length.
    init(_ value: Span<UInt8>) {
        var end = value.count
        while end > 0, value[end - 1] == UInt8(ascii: "=") { end -= 1 }
        if value.count > Topic.lengthLimit {
            self = .tooLong
        } else if let topic = Topic(value.extracting(0..<end)) {
            self = .name(topic)
        } else {
            self = .malformed
        }
    }
}

extension PushFields.Encoding {
    /// Case does not matter (RFC 9110 section 8.4.1).
    init(_ value: Span<UInt8>) {
        if value.equalsIgnoringCase("aes128gcm") {
            self = .known(.aes128gcm)
        } else if value.equalsIgnoringCase("aesgcm") {
            self = .known(.aesgcm)
        } else {
            self = .unknown
        }
    }
}
