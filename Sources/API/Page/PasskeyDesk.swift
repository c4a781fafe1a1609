import Base
import Crypto
import HTTP
import Mailbox
import PushService
import StatusPage
import System
import WebPush

/// Passkeys: what browsers are asked for, whether they answer it, and who signs in with one.
final class PasskeyDesk {
    /// Where passkeys belong: to one name of the server, whatever others it has.
    struct Place {
        let origin: String
        let host: String

        /// Nil where browsers have none: at an address of digits.
        init?(_ page: PagePlace) {
            guard let origin = page.origin, IPAddress(origin.host) == nil,
                !origin.host.hasPrefix("[")
            else { return nil }
            (self.origin, host) = ("\(origin)", origin.host)
        }
    }

    /// What a form brings that the script has filled in.
    struct Answer {
        let id: [UInt8]
        let data: [UInt8]
        let client: [UInt8]
        let signature: [UInt8]

        private static let longest = 8_192

        /// Nil for what is not base64url.
        init?(_ form: PageForm?) {
            func bytes(_ name: String) -> [UInt8]? {
                guard let text = form?[name], text.utf8.count <= Self.longest else { return nil }
                let bytes = Array(text.utf8)
                return Base64URL.decode(bytes.span)
            }
            guard let id = bytes("id"), let data = bytes("data"), let client = bytes("client"),
                let signature = bytes("signature")
            else { return nil }
            (self.id, self.data, self.client, self.signature) = (id, data, client, signature)
        }
    }

    private let service: ServiceState
    private let dialogue: StoreDialogue
    private let challenges: PasskeyChallenges

    init(_ service: ServiceState, _ dialogue: StoreDialogue, _ challenges: PasskeyChallenges) {
        (self.service, self.dialogue, self.challenges) = (service, dialogue, challenges)
    }

    var place: Place? { Place(service.settings.page) }

    /// What the script passes to the browser. `binding` is what only this browser has.
    func challenge(to binding: String) -> String? {
        challenges.challenge(to: binding, at: Boot.milliseconds)
    }

    func list(of owner: String, then: @escaping ([Passkey]?) -> Void) {
        dialogue.load(.passkeys(.owner(owner))) { answer in
            guard case .passkeys(let passkeys) = answer else { return then(nil) }
            then(passkeys)
        }
    }

    /// Refuses with `.badBody` what makes no passkey.
    func add(
        _ answer: Answer, named name: String, for owner: String, _ binding: String,
        then: @escaping (APIRefusal?) -> Void
    ) {
        guard let made = judged(answer, .make, binding)?.made, made.id == answer.id,
            (try? VerificationKey(made.key)) ?? nil != nil
        else { return then(.badBody("no passkey")) }
        do throws(APIRefusal) { try DeviceRequest.check([name]) } catch { return then(.nameInUse) }
        let passkey = Passkey(owner: owner, name: name, id: made.id, key: made.key, count: 0)
        dialogue.submit(.passkey(.add(passkey))) { outcome in
            switch outcome {
            case .done: then(nil)
            case .full, .conflict: then(.nameInUse)
            default: then(.unavailable)
            }
        }
    }

    func remove(_ row: Int64, of owner: String, then: @escaping (APIRefusal?) -> Void) {
        dialogue.submit(.passkey(.remove(row: row, owner: owner))) { outcome in
            switch outcome {
            case .done: then(nil)
            case .notFound: then(.unknown)
            default: then(.unavailable)
            }
        }
    }

    /// Tells whose passkey has answered; nil for none that is known.
    func use(_ answer: Answer, _ binding: String, then: @escaping (String?) -> Void) {
        guard let judged = judged(answer, .use, binding) else { return then(nil) }
        dialogue.load(.passkeys(.id(answer.id))) { [self] found in
            guard case .passkeys(let known) = found, let passkey = known.first,
                passkey.id == answer.id, isSigned(answer, by: passkey),
                challenges.spend(answer.client)
            else { return then(nil) }
            let operation = PasskeyOperation.use(row: passkey.row, count: judged.count)
            dialogue.submit(.passkey(operation)) { then($0 == .done ? passkey.owner : nil) }
        }
    }

    private func judged(
        _ answer: Answer, _ step: PasskeyAnswer.Step, _ binding: String
    ) -> PasskeyAnswer? {
        guard let place, var hash = try? SHA256(),
            let host = try? hash.digest(of: Array(place.host.utf8).span)
        else { return nil }
        for challenge in challenges.current(for: binding, at: Boot.milliseconds) {
            let terms = PasskeyAnswer.Terms(
                step, challenge: challenge, origin: place.origin, host: host.span.array(0..<32))
            let judged = PasskeyAnswer(
                authenticator: answer.data, client: answer.client, to: terms)
            if let judged { return judged }
        }
        return nil
    }

    /// The signature is over the authenticator's data and the hash of the browser's.
    private func isSigned(_ answer: Answer, by passkey: Passkey) -> Bool {
        guard var hash = try? SHA256(), var key = (try? VerificationKey(passkey.key)) ?? nil,
            let client = try? hash.digest(of: answer.client.span)
        else { return false }
        let signed = answer.data + client.span.array(0..<32)
        guard let digest = try? hash.digest(of: signed.span) else { return false }
        return (try? key.verify(der: answer.signature.span, of: digest)) ?? false
    }
}

/// What browsers are asked to sign: for each something that only this server can have made, for a few
/// minutes, and once. Any thread may use it.
final class PasskeyChallenges: Sendable {
    private static let slot: Int64 = 120_000
    private static let spentLimit = 10_000

    /// Nil without random numbers: then there are no challenges.
    private let key = try? Random.secret(count: 32)
    private let spent = Lock<[[UInt8]]>([])

    func challenge(to binding: String, at now: Int64) -> String? {
        challenge(to: binding, in: now / Self.slot)
    }

    /// Those that may be answered now.
    func current(for binding: String, at now: Int64) -> [String] {
        let slot = now / Self.slot
        return [slot, slot - 1].compactMap { challenge(to: binding, in: $0) }
    }

    /// Whether this answer is used for the first time.
    func spend(_ answer: [UInt8]) -> Bool {
        spent.withLock { spent in
            guard !spent.contains(answer) else { return false }
            spent.append(answer)
            // The oldest are no answers to anything any more.
            if spent.count > Self.spentLimit { spent.removeFirst(Self.spentLimit / 2) }
            return true
        }
    }

    private func challenge(to binding: String, in slot: Int64) -> String? {
        guard let key, var hash = try? SHA256() else { return nil }
        let text = Array("passkey \(slot) \(binding)".utf8)
        let made = try? key.withSpan { key throws(OpenSSLError) in
            try hash.hmac(key: key, text.span)
        }
        return made.map { Base64URL.text($0.span) }
    }
}
