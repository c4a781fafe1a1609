import Base

/// An outgoing push: its body, and the fields that describe its encryption.
package struct EncryptedPush: Sendable, Confidential {
    package let encoding: ContentEncoding
    package let body: [UInt8]
    /// Encryption and Crypto-Key for aesgcm, nothing for aes128gcm.
    package let fields: [(name: String, value: String)]

    package init(
        record: [UInt8], encoding: ContentEncoding, salt: Span<UInt8>,
        senderKey: UncompressedPoint
    ) {
        self.encoding = encoding
        let key = senderKey.withSpan { $0.array($0.indices) }
        switch encoding {
        case .aes128gcm:
            let size = UInt32(ContentEncoding.usualRecordSize)
            let sizeBytes = (0..<4).map { UInt8(truncatingIfNeeded: size >> (24 - 8 * $0)) }
            let header = salt.array(salt.indices) + sizeBytes + [UInt8(key.count)]
            body = header + key + record
            fields = []
        case .aesgcm:
            body = record
            fields = [
                ("Encryption", "salt=" + Base64URL.text(salt)),
                ("Crypto-Key", "dh=" + Base64URL.text(key.span)),
            ]
        }
    }
}

/// The encryption of a push: the value of its Content-Encoding.
package enum ContentEncoding: String, Sendable, CaseIterable {
    /// RFC 8188 with the keys of RFC 8291: all parameters stand in the body.
    case aes128gcm
    /// draft-ietf-webpush-encryption-04, which Telegram and Mastodon still send: salt and key
    /// stand in the fields Encryption and Crypto-Key.
    case aesgcm

    package var word: StaticString {
        switch self {
        case .aes128gcm: "aes128gcm"
        case .aesgcm: "aesgcm"
        }
    }
}

/// Inputs of the key derivation besides keys and salt.
extension ContentEncoding {
    /// The record size that our own sender announces; some receivers accept no other.
    package static let usualRecordSize = 4096

    /// RFC 8291 section 3.4; draft-04 section 3.3.
    package var inputKeyLabel: StaticString {
        switch self {
        case .aes128gcm: "WebPush: info\0"
        case .aesgcm: "Content-Encoding: auth\0"
        }
    }

    package var contentKeyLabel: StaticString {
        switch self {
        case .aes128gcm: "Content-Encoding: aes128gcm\0"
        case .aesgcm: "Content-Encoding: aesgcm\0"
        }
    }

    package static let nonceLabel: StaticString = "Content-Encoding: nonce\0"

    /// draft-04 section 3.5: each public key in the context of aesgcm follows its 16-bit length.
    package static let contextLabel: StaticString = "P-256\0"
    package static let publicKeyLength: StaticString = "\0\u{41}"
}

/// The rules for the one record of a push: its length before, its padding after decryption.
package enum Record {
    /// RFC 8291 section 4: a push is exactly one record; several are refused, and so is a body
    /// without one.
    package static func check(_ parameters: EncryptionParameters) throws(DecryptionRefusal) {
        let length = UInt64(parameters.ciphertext.count)
        guard length > 0 else { throw .noRecord }
        switch parameters.encoding {
        case .aes128gcm:
            guard length >= 17 else { throw .shortRecord }
            guard length <= parameters.recordSize else { throw .multipleRecords }
        case .aesgcm:
            // The draft's record size counts padding and text, not the tag, and a full record
            // says that another one follows (encryption-encoding-03 section 2).
            guard length >= 18 else { throw .shortRecord }
            let fullLength = parameters.recordSize + UInt64(EncryptionParameters.tagLength)
            guard length != fullLength else { throw .truncated }
            guard length < fullLength else { throw .multipleRecords }
        }
    }

    /// Where the text stands in a decrypted record.
    package static func text(
        of record: Span<UInt8>, encoding: ContentEncoding
    ) throws(DecryptionRefusal) -> Range<Int> {
        switch encoding {
        case .aes128gcm: try textBeforeDelimiter(record)
        case .aesgcm: try textAfterPadding(record)
        }
    }

    /// RFC 8188 section 2: text, delimiter 02 of the last record, zeros.
    private static func textBeforeDelimiter(
        _ record: Span<UInt8>
    ) throws(DecryptionRefusal) -> Range<Int> {
        var end = record.count
        while end > 0, record[end - 1] == 0 { end -= 1 }
        guard end > 0 else { throw .noDelimiter }
        guard record[end - 1] == 0x02 else { throw .badDelimiter }
        return 0..<end - 1
    }

    /// encryption-encoding-03 section 2: length of the padding in two bytes, zeros, text.
    private static func textAfterPadding(
        _ record: Span<UInt8>
    ) throws(DecryptionRefusal) -> Range<Int> {
        let start = 2 + (Int(record[0]) << 8 | Int(record[1]))
        guard start <= record.count else { throw .badPadding }
        for index in 2..<start where record[index] != 0 { throw .badPadding }
        return start..<record.count
    }

    /// The record to encrypt for `text` with `padding` bytes of zeros.
    package static func padded(
        _ text: Span<UInt8>, padding: Int, encoding: ContentEncoding
    ) -> [UInt8] {
        let zeros = repeatElement(UInt8(0), count: padding)
        switch encoding {
        case .aes128gcm:
            return text.array(text.indices) + [0x02] + zeros
        case .aesgcm:
            return [UInt8(padding >> 8), UInt8(padding & 0xFF)] + zeros + text.array(text.indices)
        }
    }
}

/// Why a push cannot be decrypted. The texts are for the owner of the keys and for tests; a network
/// peer must never learn which of these it was.
package enum DecryptionRefusal: String, Error, Sendable, CaseIterable {
    case unsupportedEncoding = "unsupported-encoding"
    case tooLarge = "too-large"

    case badPrivateKey = "bad-private-key"
    case badAuthLength = "bad-auth-length"
    case keyMismatch = "key-mismatch"

    case missingEncryption = "missing-encryption"
    case missingCryptoKey = "missing-crypto-key"
    case badEncryptionHeader = "bad-encryption-header"
    case badCryptoKeyHeader = "bad-crypto-key-header"
    case badSalt = "bad-salt"
    case badDH = "bad-dh"
    case badGatewayForm = "bad-gateway-form"

    case shortHeader = "short-header"
    case badRecordSize = "bad-rs"
    case badKeyIDLength = "bad-keyid-length"

    case badPointFormat = "bad-point-format"
    case badPoint = "bad-point"

    case noRecord = "no-record"
    case shortRecord = "short-record"
    case multipleRecords = "multiple-records"
    case truncated = "truncated"

    case badTag = "bad-tag"
    case noDelimiter = "no-delimiter"
    case badDelimiter = "bad-delimiter"
    case badPadding = "bad-padding"
}
