import Testing

@testable import WebPush

@Suite("Fields that describe the encryption of a push")
struct PayloadHeadersTests {
    static let salt = "XZwpWJlf_gQYCzsKq1pr-A"
    static let dh = "BPnF0Vzw"

    private func headers(
        _ encoding: String?, _ encryption: String?, _ cryptoKey: String?,
        kind: SubscriptionKind = .channel
    ) throws(PushRefusal) -> PayloadHeaders? {
        var push = TestPush(fields: [("ttl", "1")], kind: kind)
        for (name, value) in [
            ("content-encoding", encoding), ("encryption", encryption), ("crypto-key", cryptoKey),
        ] {
            if let value { push.fields.append((name, value)) }
        }
        return try push.request().content.headers
    }

    private func fault(
        _ encoding: String?, _ encryption: String?, _ cryptoKey: String?,
        kind: SubscriptionKind = .channel
    ) -> EncryptionFault? {
        do throws(PushRefusal) {
            _ = try headers(encoding, encryption, cryptoKey, kind: kind)
            return nil
        } catch {
            guard case .encryption(let fault) = error else { return nil }
            return fault
        }
    }

    private func text(_ bytes: [UInt8]?) -> String? {
        bytes.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(
        "Quotes and padding are removed, everything else stays",
        arguments: [
            (
                #"keyid="http://x/1";salt="XZwpKwAw==""#, "keyid=http://x/1;salt=XZwpKwAw"
            ),
            ("salt=AAAA=", "salt=AAAA"), ("salt=AAAA== , rs=5", "salt=AAAA, rs=5"),
            ("salt=AAAA==,rs=5", "salt=AAAA,rs=5"), ("salt=AAAA==;rs=5;x=y=", "salt=AAAA;rs=5;x=y"),
            ("salt=AAAA;", "salt=AAAA;"), (" salt=AAAA ; rs=4096", " salt=AAAA ; rs=4096"),
            ("a=b=c;salt=AAAA", "a=b=c;salt=AAAA"), ("Salt=AAAA", "Salt=AAAA"),
            ("salt=AAAA;\trs=1", "salt=AAAA; rs=1"),
        ])
    func normalised(field: String, result: String) throws {
        #expect(text(try headers("aesgcm", field, nil)?.encryption) == result)
    }

    @Test("Unknown parameters of Crypto-Key are passed on, in order")
    func cryptoKey() throws {
        let field = #"keyid=p256dh;dh="BPnF0Vzw==",p256ecdsa=BAAA="#
        let headers = try headers("aesgcm", "salt=AAAA", field)
        #expect(text(headers?.cryptoKey) == "keyid=p256dh;dh=BPnF0Vzw,p256ecdsa=BAAA")
        let old = try self.headers("aes128gcm", "keyid=a;rs=4096", "p256ecdsa=BAAA==")
        #expect(text(old?.cryptoKey) == "p256ecdsa=BAAA")
        #expect(text(old?.encryption) == "keyid=a;rs=4096")
    }

    @Test("Lines of one field are joined")
    func joined() throws {
        var push = TestPush.complete([("content-encoding", "aesgcm"), ("encryption", "salt=AAAA")])
        push.fields += [("crypto-key", "dh=AAAA"), ("crypto-key", "p256ecdsa=\"BB==\"")]
        #expect(text(try push.request().content.headers?.cryptoKey) == "dh=AAAA, p256ecdsa=BB")
    }

    @Test(
        "Values that do not fit the encoding are refused",
        arguments: [
            (nil, nil, nil, EncryptionFault.missingEncoding), ("gzip", nil, nil, .unknownEncoding),
            ("", nil, nil, .unknownEncoding),
            ("aesgcm", nil, nil, .missingEncryption), ("aesgcm", "rs=1", nil, .missingSalt),
            ("aesgcm", "", nil, .missingSalt), ("aesgcm", "salt=A", nil, .badSalt),
            ("aesgcm", "salt=AA+A", nil, .badSalt), ("aesgcm", "salt=AA AA", nil, .badSalt),
            ("aesgcm", "salt= ,", nil, .badEncryption),
            ("aesgcm", "salt=AAAA,salt=/", nil, .badSalt), ("aesgcm", "salt=", nil, .badEncryption),
            ("aesgcm", "salt", nil, .badEncryption), ("aesgcm", "salt=AAAA;x", nil, .badEncryption),
            ("aesgcm", "salt=AAAA;é=1", nil, .badEncryption),
            ("aesgcm", "salt=AAAA", "p256ecdsa=AA", .missingDH),
            ("aesgcm", "salt=AAAA", "", .missingDH), ("aesgcm", "salt=AAAA", "dh=*", .badDH),
            ("aesgcm", "salt=AAAA", "dh", .badCryptoKey),
            ("aes128gcm", "salt=AAAA", nil, .needlessSalt),
            ("aes128gcm", nil, "dh=AAAA", .needlessDH), ("aes128gcm", "x", nil, .badEncryption),
            ("aes128gcm", nil, "x", .badCryptoKey),
        ] as [(String?, String?, String?, EncryptionFault)])
    func faults(
        encoding: String?, encryption: String?, cryptoKey: String?, fault: EncryptionFault
    ) {
        #expect(self.fault(encoding, encryption, cryptoKey) == fault)
    }

    @Test("The name of an encoding may have any case, and is passed on in lower case")
    func anyCase() throws {
        #expect(try headers("AES128GCM", nil, nil)?.encoding == .aes128gcm)
        #expect(try headers("AesGcm", "salt=AAAA", nil)?.encoding == .aesgcm)
    }

    @Test("aesgcm needs no Crypto-Key, and a receiver's push no Content-Encoding")
    func absent() throws {
        let headers = try headers("aesgcm", "salt=AAAA", nil)
        #expect(headers?.cryptoKey == nil)
        #expect(try self.headers(nil, nil, nil, kind: .receiver) == nil)
        #expect(fault("gzip", nil, nil, kind: .receiver) == .unknownEncoding)
    }

    @Test("For a receiver the fields stay as the sender wrote them")
    func raw() throws {
        let field = #"keyid="http://x/1";salt="XZwpKwAw==""#
        let headers = try headers("aesgcm", field, "dh=AAAA=", kind: .receiver)
        #expect(text(headers?.encryption) == field && text(headers?.cryptoKey) == "dh=AAAA=")
    }

    @Test("With an empty body encryption fields are neither read nor passed on")
    func emptyBody() throws {
        var push = TestPush(fields: [("ttl", "1")], body: [])
        #expect(try push.request().content.headers == nil)
        push.fields += [("content-encoding", "x"), ("encryption", "y"), ("crypto-key", "z")]
        #expect(try push.request().content.headers == nil)
    }
}
