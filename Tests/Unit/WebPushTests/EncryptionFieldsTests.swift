import Base
import TestSupport
import Testing
import WebPush

@Suite("Encryption and Crypto-Key")
struct EncryptionFieldsTests {
    /// Where the specifications leave a choice: padded base64, a trailing semicolon, and an
    /// unmatched keyid beside a single dh are accepted.
    static let tolerated: Set = [
        "ecec-params-ok-quoted-pair-values-with-base64-padding",
        "ecec-params-err-trailing-in-crypto-key-header",
        "ecec-params-err-mismatched-key-ids",
        "ecec-params-err-key-id-with-matching-pair-value-wrong-pair-name",
        "ecec-params-err-unquoted-dh-with-base64-padding",
        "ecec-params-err-unquoted-salt-with-base64-padding",
        "chromium-provider-three-values",
    ]

    @Test("Every vector of the grammar", arguments: try WebPushVector.all("headers"))
    func vector(_ vector: WebPushVector) {
        // Where a vector leaves a choice, it expects the strict reading.
        let strict = vector.must == "either" ? vector.verifiers?.refimpl : vector.expect
        do throws(DecryptionRefusal) {
            let fields = try EncryptionFields(
                encryption: vector.header("encryption"), cryptoKey: vector.header("crypto-key"))
            if !Self.tolerated.contains(vector.id) {
                #expect(fields.salt == bytes(strict?.salt) && fields.dh == bytes(strict?.dh))
                #expect(fields.recordSize == strict?.rs, "\(vector.id)")
            }
        } catch {
            #expect(!Self.tolerated.contains(vector.id), "\(vector.id)")
            #expect(error.rawValue == strict?.error, "\(vector.id)")
        }
    }

    static let encryption = #"keyid=p256dh; salt="lngarbyKfMoi9Z75xYXmkg";rs=4096"#
    static let cryptoKey = "p256ecdsa=AAAA, keyid=a;dh=BNoRDbb84JGm8g5Z5CFxurSqsXWJ11ItfXEWYVLE85Y"

    @Test("A field cut anywhere is refused, or says less and never something else")
    func cutAnywhere() throws {
        let whole = try EncryptionFields(
            encryption: Array(Self.encryption.utf8), cryptoKey: Array(Self.cryptoKey.utf8))
        for prefix in prefixes(of: Array(Self.encryption.utf8)) {
            let fields = try? EncryptionFields(
                encryption: prefix, cryptoKey: Array(Self.cryptoKey.utf8))
            #expect(fields == nil || fields?.salt == whole.salt)
        }
        for prefix in prefixes(of: Array(Self.cryptoKey.utf8)) {
            let fields = try? EncryptionFields(
                encryption: Array(Self.encryption.utf8), cryptoKey: prefix)
            #expect(fields == nil || whole.dh.starts(with: fields?.dh ?? []))
        }
    }

    @Test("An absent field is distinguished from an empty one")
    func absent() {
        func refusal(_ encryption: String?, _ cryptoKey: String?) -> DecryptionRefusal? {
            do throws(DecryptionRefusal) {
                _ = try EncryptionFields(
                    encryption: encryption.map { Array($0.utf8) },
                    cryptoKey: cryptoKey.map { Array($0.utf8) })
                return nil
            } catch {
                return error
            }
        }
        #expect(refusal(nil, nil) == .missingEncryption)
        #expect(refusal("salt=AAAA", nil) == .missingCryptoKey)
        #expect(refusal("", "dh=AAAA") == .badEncryptionHeader)
        #expect(refusal("salt=AAAA", "") == .badCryptoKeyHeader)
    }

    @Test("A thousand parameters are refused at once")
    func bounded() {
        let field = Array(repeating: "a=b", count: 1000).joined(separator: ";")
        #expect(throws: HeaderParameters.Malformed.self) {
            let bytes = Array(field.utf8)
            return try HeaderParameters.forEach(in: bytes.span) { _ in }
        }
    }
}
