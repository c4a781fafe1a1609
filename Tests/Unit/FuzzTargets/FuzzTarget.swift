import Base
import Crypto
import Notifications
import WebPush

/// The parsers that read what strangers send or somebody types. A target may only fail by crashing.
package enum FuzzTarget: String, CaseIterable {
    case recordHeader = "record-header"
    case encryptionFields = "encryption-fields"
    case gateway
    case authorization
    case webToken = "web-token"
    case mtproto
    case base64URL = "base64url"
    case json
    case keyFile = "key-file"
    case http1
    case chunks
    case webSocket = "web-socket"
    case clientMessages = "client-messages"
    case push
    case notify
    case configuration
    case telegram
    case matrix
    case icq
    case zpns
    case declarative
    case plain
    case alertmanager
    case grafana
    case github
    case uptimeKuma = "uptime-kuma"
    case homeAssistant = "home-assistant"
    case engineState = "engine-state"
    case engineEntry = "engine-entry"
    case picture
    case settingsFile = "settings-file"
    case delivery
    case keys
    case screen

    package func read(_ bytes: [UInt8]) {
        switch self {
        case .recordHeader: Self.readRecordHeader(bytes)
        case .encryptionFields: Self.readEncryptionFields(bytes)
        case .gateway: Self.readGateway(bytes)
        case .authorization: Self.readAuthorization(bytes)
        case .webToken: Self.readWebToken(bytes)
        case .mtproto: Self.readMTProto(bytes)
        case .base64URL: Self.readBase64URL(bytes)
        case .json: Self.readJSON(bytes)
        case .keyFile: Self.readKeyFile(bytes)
        case .http1: Self.readHTTP1(bytes)
        case .chunks: Self.readChunks(bytes)
        case .webSocket: Self.readWebSocket(bytes)
        case .clientMessages: Self.forms(of: bytes[...]).forEach(Self.readClientMessages)
        case .push: Self.forms(of: bytes[...]).forEach(Self.readPush)
        case .notify: Self.forms(of: bytes[...]).forEach(Self.readNotification)
        case .configuration: Self.readConfiguration(bytes)
        case .telegram: Self.readPayload(bytes, .telegram)
        case .matrix: Self.readPayload(bytes, .matrix)
        case .icq: Self.readPayload(bytes, .icq)
        case .zpns: Self.readPayload(bytes, .zpns)
        case .declarative: Self.readPayload(bytes, .declarative)
        case .plain: Self.readPayload(bytes, .plain)
        case .alertmanager: Self.readPayload(bytes, .alertmanager)
        case .grafana: Self.readPayload(bytes, .grafana)
        case .github: Self.readPayload(bytes, .github)
        case .uptimeKuma: Self.readPayload(bytes, .uptimeKuma)
        case .homeAssistant: Self.readPayload(bytes, .homeAssistant)
        case .engineState: Self.readState(bytes)
        case .engineEntry: Self.readEntry(bytes)
        case .picture: Self.readPicture(bytes)
        case .settingsFile: _ = KUnifiedPushFile(bytes)
        case .delivery: Self.live(bytes)
        case .keys: Self.readKeys(bytes)
        case .screen: Self.drawText(bytes)
        }
    }
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
