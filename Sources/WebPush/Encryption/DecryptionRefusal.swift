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
