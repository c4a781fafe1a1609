package import Base

/// Everything about an encrypted push that is known before any key is used.
package struct EncryptionParameters: Sendable {
    package typealias Salt = InlineArray<16, UInt8>

    package let encoding: ContentEncoding
    package let salt: Salt
    package let senderKey: UncompressedPoint
    /// The size that the sender announced. It is not authenticated, so it decides nothing about
    /// memory.
    package let recordSize: UInt64
    /// Where the encrypted record stands in the body.
    package let ciphertext: Range<Int>

    package static let tagLength = 16

    package init(
        encoding: ContentEncoding, salt: Salt, senderKey: UncompressedPoint, recordSize: UInt64,
        ciphertext: Range<Int>
    ) {
        self.encoding = encoding
        self.salt = salt
        self.senderKey = senderKey
        self.recordSize = recordSize
        self.ciphertext = ciphertext
    }
}

/// aes128gcm: salt(16) | rs(4) | idlen(1) | keyid(idlen) | record (RFC 8188 section 2.1).
extension EncryptionParameters {
    package static let fixedHeaderLength = 21

    package init(aes128gcm body: Span<UInt8>) throws(DecryptionRefusal) {
        guard body.count >= Self.fixedHeaderLength else { throw .shortHeader }
        let keyIDLength = Int(body[20])
        let headerLength = Self.fixedHeaderLength + keyIDLength
        guard body.count >= headerLength else { throw .shortHeader }

        // RFC 8188 section 2.1: a record has room for tag, delimiter and one byte.
        let recordSize = UInt64(body.halfWord(at: 16))
        guard recordSize >= 18 else { throw .badRecordSize }

        guard keyIDLength == UncompressedPoint.length else { throw .badKeyIDLength }
        let keyID = body.extracting(Self.fixedHeaderLength..<headerLength)
        guard let senderKey = UncompressedPoint(keyID) else { throw .badPointFormat }
        self.init(
            encoding: .aes128gcm, salt: Salt { body[$0] }, senderKey: senderKey,
            recordSize: recordSize, ciphertext: headerLength..<body.count)
    }
}

/// aesgcm: the body is the record alone.
extension EncryptionParameters {
    package init(
        aesgcm body: Span<UInt8>, encryption: [UInt8]?, cryptoKey: [UInt8]?
    ) throws(DecryptionRefusal) {
        let fields = try EncryptionFields(encryption: encryption, cryptoKey: cryptoKey)
        try self.init(fields, ciphertext: 0..<body.count)
    }

    /// The body that UnifiedPush's aesgcm gateway makes: a line `aesgcm`, the two fields a line
    /// each, then the record, which may itself hold line feeds.
    package init(gateway body: Span<UInt8>) throws(DecryptionRefusal) {
        let lineFeed = UInt8(ascii: "\n")
        guard let first = body.firstIndex(of: lineFeed),
            let second = body.firstIndex(of: lineFeed, from: first + 1),
            let third = body.firstIndex(of: lineFeed, from: second + 1),
            body.extracting(0..<first).elementsEqual("aesgcm"),
            let encryption = Self.value(of: "Encryption:", in: body, first + 1..<second),
            let cryptoKey = Self.value(of: "Crypto-Key:", in: body, second + 1..<third)
        else { throw .badGatewayForm }
        let fields = try EncryptionFields(
            encryption: body.array(encryption), cryptoKey: body.array(cryptoKey))
        try self.init(fields, ciphertext: third + 1..<body.count)
    }

    private init(
        _ fields: EncryptionFields, ciphertext: Range<Int>
    ) throws(DecryptionRefusal) {
        guard fields.salt.count == 16 else { throw .badSalt }
        guard let senderKey = UncompressedPoint(fields.dh.span) else { throw .badPointFormat }
        let salt = Salt { fields.salt[$0] }
        self.init(
            encoding: .aesgcm, salt: salt, senderKey: senderKey,
            recordSize: fields.recordSize, ciphertext: ciphertext)
    }

    private static func value(
        of name: StaticString, in body: Span<UInt8>, _ line: Range<Int>
    ) -> Range<Int>? {
        let start = line.lowerBound + name.utf8CodeUnitCount
        guard start <= line.upperBound,
            body.extracting(line.lowerBound..<start).equalsIgnoringCase(name)
        else { return nil }
        return start..<line.upperBound
    }
}

/// The fields Encryption and Crypto-Key of an aesgcm body.
///
/// `keyid` is ignored: with one salt and one dh there is nothing to choose.
package struct EncryptionFields: Equatable, Sendable {
    package let salt: [UInt8]
    package let dh: [UInt8]
    package let recordSize: UInt64

    /// draft-ietf-httpbis-encryption-encoding-03 section 3.1.
    private static let recordSizeLimit: UInt64 = (1 << 36) - 31

    package init(
        encryption: [UInt8]?, cryptoKey: [UInt8]?
    ) throws(DecryptionRefusal) {
        guard let encryption else { throw .missingEncryption }
        guard let cryptoKey else { throw .missingCryptoKey }
        let (saltRange, recordSizeRange) = try Self.saltAndRecordSize(encryption.span)
        // draft-ietf-webpush-encryption-04 section 4: at most one entry has a dh.
        let dhRange = try Self.cryptoKeyParameter("dh", in: cryptoKey.span)

        salt = try Self.base64URL(encryption.span, saltRange, else: .badSalt)
        if let range = recordSizeRange {
            guard let size = UInt64(decimalDigits: encryption.span.extracting(range)),
                size > 1, size <= Self.recordSizeLimit
            else { throw .badRecordSize }
            recordSize = size
        } else {
            recordSize = UInt64(ContentEncoding.usualRecordSize)
        }
        dh = try Self.base64URL(cryptoKey.span, dhRange, else: .badDH)
    }

    private static func saltAndRecordSize(
        _ field: Span<UInt8>
    ) throws(DecryptionRefusal) -> (salt: Range<Int>?, recordSize: Range<Int>?) {
        var salt: Range<Int>?
        var recordSize: Range<Int>?
        let entries = try? HeaderParameters.forEach(in: field) { parameter in
            let name = field.extracting(parameter.name)
            if name.equalsIgnoringCase("salt") { salt = parameter.value }
            if name.equalsIgnoringCase("rs") { recordSize = parameter.value }
        }
        // draft-ietf-webpush-encryption-04 section 4: exactly one entry.
        guard entries == 1 else { throw .badEncryptionHeader }
        return (salt, recordSize)
    }

    /// The one parameter `name` of a Crypto-Key field; several of them are an error.
    package static func cryptoKeyParameter(
        _ name: StaticString, in field: Span<UInt8>
    ) throws(DecryptionRefusal) -> Range<Int>? {
        var value: Range<Int>?
        var count = 0
        do {
            try HeaderParameters.forEach(in: field) { parameter in
                guard field.extracting(parameter.name).equalsIgnoringCase(name) else { return }
                value = parameter.value
                count += 1
            }
        } catch {
            throw .badCryptoKeyHeader
        }
        guard count <= 1 else { throw .badCryptoKeyHeader }
        return value
    }

    private static func base64URL(
        _ field: Span<UInt8>, _ value: Range<Int>?, else refusal: DecryptionRefusal
    ) throws(DecryptionRefusal) -> [UInt8] {
        guard let value,
            let bytes = Base64URL.decodeToleratingPadding(field.extracting(value))
        else { throw refusal }
        return bytes
    }
}

/// A P-256 public key in the uncompressed form of X9.62: 04, x, y. It is not yet known to lie on
/// the curve.
package struct UncompressedPoint: Equatable, Hashable, Sendable {
    package static let length = 65

    private let storage: InlineArray<65, UInt8>

    /// Nil unless it has 65 bytes and starts with 04 (RFC 8291 section 4).
    package init?(_ bytes: Span<UInt8>) {
        guard bytes.count == Self.length, bytes[0] == 0x04 else { return nil }
        storage = InlineArray { bytes[$0] }
    }

    /// The first half of x.
    package var start: Bits128? { Bits128(storage.span.extracting(1..<17)) }

    package func withSpan<Result: ~Copyable, Failure>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(storage.span)
    }

    package static func == (left: Self, right: Self) -> Bool {
        left.storage.span.elementsEqual(right.storage.span)
    }

    package func hash(into hasher: inout Hasher) {
        for index in storage.indices { hasher.combine(storage[index]) }
    }
}

extension UncompressedPoint {
    package var base64URL: String { withSpan(Base64URL.text) }

    package init?(base64URL text: String) {
        guard let bytes = Base64URL.decode(text) else { return nil }
        self.init(bytes.span)
    }
}
