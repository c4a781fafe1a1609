import Base

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
