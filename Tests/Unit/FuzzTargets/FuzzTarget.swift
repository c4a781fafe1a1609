import Base
import Crypto
import Notifications
import WebPush

/// A parser that reads what strangers send or somebody types. It may only fail by crashing.
package struct FuzzTarget: Sendable, CustomStringConvertible {
    package let name: String
    /// A new dialect has no seeds of its own yet.
    package let isDialect: Bool
    package let read: @Sendable ([UInt8]) -> Void

    private init(
        _ name: String, isDialect: Bool = false, _ read: @escaping @Sendable ([UInt8]) -> Void
    ) {
        (self.name, self.isDialect, self.read) = (name, isDialect, read)
    }

    package var description: String { name }

    /// Every dialect is one. What `auto` detects, the others read.
    package static let all =
        Dialect.allCases.filter { $0 != .auto }.map { dialect in
            FuzzTarget(dialect.word, isDialect: true) { readPayload($0, dialect) }
        } + [
            FuzzTarget("record-header", readRecordHeader),
            FuzzTarget("encryption-fields", readEncryptionFields),
            FuzzTarget("gateway", readGateway),
            FuzzTarget("authorization", readAuthorization),
            FuzzTarget("web-token", readWebToken),
            FuzzTarget("mtproto", readMTProto),
            FuzzTarget("base64url", readBase64URL),
            FuzzTarget("json", readJSON),
            FuzzTarget("key-file", readKeyFile),
            FuzzTarget("http1", readHTTP1),
            FuzzTarget("chunks", readChunks),
            FuzzTarget("web-socket", readWebSocket),
            FuzzTarget("tls-records", readTLSRecords),
            FuzzTarget("client-messages") { forms(of: $0[...]).forEach(readClientMessages) },
            FuzzTarget("push") { forms(of: $0[...]).forEach(readPush) },
            FuzzTarget("notify") { forms(of: $0[...]).forEach(readNotification) },
            FuzzTarget("configuration", readConfiguration),
            FuzzTarget("engine-state", readState),
            FuzzTarget("engine-entry", readEntry),
            FuzzTarget("picture", readPicture),
            FuzzTarget("settings-file") { _ = KUnifiedPushFile($0) },
            FuzzTarget("delivery", live),
            FuzzTarget("keys", readKeys),
            FuzzTarget("screen", drawText),
            FuzzTarget("topic-publish", readPublication),
            FuzzTarget("topic-json", readPublishedJSON),
            FuzzTarget("topic-template", readTemplate),
            FuzzTarget("topic-actions", readActions),
            FuzzTarget("topic-delay", readDelay),
            FuzzTarget("topic-service", readService),
            FuzzTarget("topic-hook", readHook),
            FuzzTarget("topic-request", readRequest),
            FuzzTarget("topic-caller", readCaller),
            FuzzTarget("topic-token", readTokenRequest),
            FuzzTarget("zone-file", readZoneFile),
            FuzzTarget("gotify", readGotify),
        ]
}

extension FuzzTarget {
    /// A receiver whose keys never change, so that a found input fails again.
    private static func keys() -> ReceiverKeys? {
        let scalar = [UInt8](repeating: 0, count: 31) + [7]
        let auth = [UInt8](repeating: 1, count: 16)
        guard let privateKey = try? PrivateKey(scalar.span) else { return nil }
        return ReceiverKeys(privateKey: privateKey, auth: Secret(auth.span))
    }

    private static func decrypt(_ body: [UInt8], _ parameters: EncryptionParameters) {
        guard var decryptor = try? Decryptor(), let keys = keys() else { return }
        do throws(DecryptionError) {
            _ = try decryptor.decrypt(body.span, parameters, keys: keys)
        } catch {
            // A fault would be ours: no input may bring one about.
            if case .fault(let fault) = error { preconditionFailure("\(fault)") }
        }
    }

    private static func readRecordHeader(_ bytes: [UInt8]) {
        guard let parameters = try? EncryptionParameters(aes128gcm: bytes.span) else { return }
        decrypt(bytes, parameters)
    }

    /// The first line is Encryption, the second Crypto-Key, the rest the body.
    private static func readEncryptionFields(_ bytes: [UInt8]) {
        let parts = bytes.split(
            separator: UInt8(ascii: "\n"), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else { return }
        let body = Array(parts[2])
        let parameters = try? EncryptionParameters(
            aesgcm: body.span, encryption: Array(parts[0]), cryptoKey: Array(parts[1]))
        if let parameters { decrypt(body, parameters) }
    }

    private static func readGateway(_ bytes: [UInt8]) {
        guard let parameters = try? EncryptionParameters(gateway: bytes.span) else { return }
        decrypt(bytes, parameters)
    }

    private static func readAuthorization(_ bytes: [UInt8]) {
        let parts = bytes.split(
            separator: UInt8(ascii: "\n"), maxSplits: 1, omittingEmptySubsequences: false)
        guard var verifier = try? VAPIDVerifier(capacity: 4) else { return }
        let policy = VAPIDPolicy(now: 0, origins: [], leeway: 0)
        do throws(VAPIDError) {
            _ = try verifier.verify(
                authorization: parts.first.map(Array.init),
                cryptoKey: parts.count > 1 ? Array(parts[1]) : nil, policy: policy)
        } catch {
            if case .fault(let fault) = error { preconditionFailure("\(fault)") }
        }
    }

    private static func readWebToken(_ bytes: [UInt8]) {
        guard let token = try? JSONWebToken(bytes.span) else { return }
        _ = try? token.claims(under: .webPush)
        _ = try? token.claims(under: .vapid)
    }

    private static func readMTProto(_ bytes: [UInt8]) {
        let key = [UInt8](repeating: 3, count: MTProtoSecret.length)
        guard let secret = MTProtoSecret(Secret(key.span)) else { return }
        _ = try? secret.decrypt(bytes.span)
        // Past the check of the key id, which random bytes never pass.
        var frame = (0..<8).map { UInt8(truncatingIfNeeded: secret.keyID >> (8 * Int64($0))) }
        frame += bytes
        let encoded = Base64URL.encode(frame.span)
        _ = try? secret.decrypt(encoded.span)
    }

    private static func readBase64URL(_ bytes: [UInt8]) {
        if let decoded = Base64URL.decode(bytes.span) {
            let encoded = Base64URL.encode(decoded.span)
            precondition(encoded == bytes, "two texts for one value")
        }
        _ = Base64URL.decodeToleratingPadding(bytes.span)
        _ = try? HeaderParameters.forEach(in: bytes.span) { _ in }
    }

    private static func readJSON(_ bytes: [UInt8]) {
        var scanner = JSONScanner(bytes)
        do throws(JSONScanner.Failure) {
            while true {
                switch try scanner.next() {
                case .name(let text), .string(let text): _ = scanner.string(text)
                case .number(let range): _ = Double(String(decoding: bytes[range], as: UTF8.self))
                case .end: return
                default: break
                }
            }
        } catch {
            return
        }
    }

    private static func readKeyFile(_ bytes: [UInt8]) {
        if let key = try? StoredKey(json: bytes) { _ = key.publicParts }
    }
}
