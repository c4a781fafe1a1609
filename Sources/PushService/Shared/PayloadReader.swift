import Base
import Crypto
import Delivery
import Mailbox
import Notifications
import System
import WebPush

/// Decrypts pushes for which the server has the keys. Use one for each loop.
struct PayloadReader: ~Copyable {
    struct Payload: Confidential {
        /// Decrypted; the encoding is that in which it came.
        var content: MessageContent
        var level: TrustLevel
        /// Identifies a repetition; nil for an unencrypted body.
        var mark: ReplayMark?
        /// Whether the payload was encrypted under the current secret.
        var usesCurrentSecret = false
    }

    enum Failure: Error, Equatable {
        /// The reason, in a word, is for the owner; the sender must not learn it.
        case undecryptable(String)
        /// The server failed.
        case fault
    }

    /// One push, with all that is needed to decrypt it.
    struct Job: Confidential {
        let content: MessageContent
        let entry: RegistrationCache.Entry
        /// The endpoint that it came to.
        let target: Registration.Target
        let now: StoreTime
    }

    typealias Outcome = Result<Payload, Failure>

    private var decryptor: Decryptor
    private var hash: SHA256

    init() throws(OpenSSLError) {
        let decryptor = try Decryptor()
        let hash = try SHA256()
        self.decryptor = decryptor
        self.hash = hash
    }

    mutating func outcome(of job: Job) -> Outcome {
        CrashMarker.mark(.payload, job.content.body.span) {
            do throws(Failure) { return .success(try read(job)) } catch { return .failure(error) }
        }
    }

    private mutating func read(_ job: Job) throws(Failure) -> Payload {
        let payload = try decrypt(job)
        // Once the application has named a secret, `p` must be encrypted under it.
        guard let secret = job.entry.registration.secret else { return payload }
        return try open(payload, secret, job.now)
    }

    private mutating func decrypt(_ job: Job) throws(Failure) -> Payload {
        var content = job.content
        guard let parameters = try Self.parameters(of: content) else {
            guard job.entry.registration.terms.acceptsClear else {
                throw .undecryptable("not-encrypted")
            }
            return Payload(content: content, level: .clear, mark: nil)
        }
        guard let stored = job.target.keys else { throw .fault }
        let keys = try Self.keys(stored)
        let mark: ReplayMark
        do throws(OpenSSLError) {
            mark = try self.mark(of: parameters, job)
        } catch { throw .fault }
        content.body = try decrypt(content.body, parameters, keys)
        content.headers = PayloadHeaders(encoding: parameters.encoding)
        return Payload(content: content, level: .webpush, mark: mark)
    }

    private static func keys(_ stored: Registration.Keys) throws(Failure) -> ReceiverKeys {
        do throws(OpenSSLError) {
            let key = try stored.privateKey.withSpan { bytes throws(OpenSSLError) in
                try PrivateKey(stored: bytes, publicKey: stored.publicKey)
            }
            if let keys = ReceiverKeys(privateKey: key, auth: stored.auth) { return keys }
        } catch { throw .fault }
        throw .fault
    }

    private mutating func decrypt(
        _ body: [UInt8], _ parameters: EncryptionParameters, _ keys: borrowing ReceiverKeys
    ) throws(Failure) -> [UInt8] {
        do throws(DecryptionError) {
            return try decryptor.decrypt(body.span, parameters, keys: keys)
        } catch {
            guard case .refusal(let refusal) = error else { throw .fault }
            throw .undecryptable(refusal.rawValue)
        }
    }

    /// Nil for a body that does not say that it is encrypted.
    private static func parameters(
        of content: MessageContent
    ) throws(Failure) -> EncryptionParameters? {
        let (body, headers) = (content.body, content.headers)
        let isFolded = isFolded(body)
        do throws(DecryptionRefusal) {
            switch headers?.encoding {
            case .aes128gcm: return try EncryptionParameters(aes128gcm: body.span)
            // A gateway put the header fields into the body.
            case .aesgcm where headers?.encryption == nil && isFolded, nil where isFolded:
                return try EncryptionParameters(gateway: body.span)
            case .aesgcm:
                return try EncryptionParameters(
                    aesgcm: body.span, encryption: headers?.encryption,
                    cryptoKey: headers?.cryptoKey)
            case nil: return nil
            }
        } catch {
            throw .undecryptable(error.rawValue)
        }
    }

    /// Whether it begins like a body into which a gateway put the header fields.
    static func isFolded(_ body: [UInt8]) -> Bool { body.starts(with: gatewayBytes) }

    private static let gatewayBytes = Array("aesgcm\n".utf8)

    private mutating func mark(
        of parameters: EncryptionParameters, _ job: Job
    ) throws(OpenSSLError) -> ReplayMark {
        var bytes: [UInt8] = []
        bytes.append(bigEndian: job.target.subscription)
        bytes.append(contentsOf: parameters.salt.span)
        parameters.senderKey.withSpan { bytes.append(contentsOf: $0) }
        return ReplayMark(
            Digest(try hash.digest(of: bytes.span)), device: job.entry.registration.device)
    }

    /// The second decryption. Once a secret was named, only `p` counts.
    private func open(
        _ payload: Payload, _ pair: Registration.SecretPair, _ now: StoreTime
    ) throws(Failure) -> Payload {
        guard let root = try? JSONDocument(payload.content.body).root, let p = root["p"]?.text
        else {
            throw .undecryptable("no-p")
        }
        let letters = Array(p.utf8)
        var opened = payload
        opened.level = .mtproto
        if let text = try text(letters, under: pair.current) {
            opened.content.body = text
            opened.usesCurrentSecret = true
            return opened
        }
        if let former = pair.former, let end = pair.formerEnds, now < end,
            let text = try text(letters, under: former)
        {
            opened.content.body = text
            return opened
        }
        throw .undecryptable(MTProtoSecret.Refusal.unknownKey.rawValue)
    }

    /// Nil if it was encrypted under another secret.
    private func text(_ p: [UInt8], under secret: Secret) throws(Failure) -> [UInt8]? {
        guard let key = MTProtoSecret(secret) else { throw .fault }
        do throws(MTProtoSecret.Failure) {
            return try key.decrypt(p.span)
        } catch {
            switch error {
            case .refusal(.unknownKey): return nil
            case .refusal(let refusal): throw .undecryptable(refusal.rawValue)
            case .fault: throw .fault
            }
        }
    }
}

/// Decrypts payloads on a thread of its own when a loop has so many that its other connections
/// would have to wait.
// Unchecked: the reader is used only on this thread.
final class PayloadThread: @unchecked Sendable {
    private let group: LoopGroup
    private var reader: PayloadReader

    init() throws {
        let reader = try PayloadReader()
        group = try LoopGroup(count: 1)
        self.reader = reader
        try group.start(name: "payloads")
    }

    /// `then` is called on this thread, or never once it has ended.
    func read(
        _ job: PayloadReader.Job, then: @escaping @Sendable (PayloadReader.Outcome) -> Void
    ) {
        group.loops[0].post { then(self.reader.outcome(of: job)) }
    }

    /// Call this on another thread.
    func end() {
        group.stop()
        _ = group.join()
    }
}
