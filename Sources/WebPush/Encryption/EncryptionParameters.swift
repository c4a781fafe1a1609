import Base

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
        let recordSize = (16..<20).reduce(UInt64(0)) { $0 << 8 | UInt64(body[$1]) }
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
