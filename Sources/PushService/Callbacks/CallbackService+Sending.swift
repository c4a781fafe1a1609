package import Base
package import Crypto
import Mailbox
import Outbound
import System
import Topics
import WebPush

/// One attempt: the request, its signature, and its result.
extension CallbackService {
    private static let challengeField = "webhook-challenge"

    func attempt(_ courier: Courier) {
        guard let record = courier.record, let head = record.head else { return }
        switch record.callback.kind {
        case .webhook: call(record, head, courier)
        case .push(let target): push(head, of: record.callback, to: target, courier)
        }
    }

    private func call(
        _ record: CallbackRecord, _ head: CallbackRecord.Head, _ courier: Courier
    ) {
        do {
            let challenge = record.state == .unconfirmed ? try makeChallenge() : nil
            let request = try request(record, head, challenge)
            client.send(request) { [self] result in
                finished(result, for: courier) { response in
                    .status(
                        response.status,
                        isConfirmed: challenge != nil
                            && response.field(Self.challengeField) == challenge,
                        retryAfter: response.field("retry-after").flatMap { UInt32($0) })
                }
            }
        } catch {
            // A changed configuration may forbid the callback, or a library failed.
            finished(.failure(.closed), for: courier) { _ in .none }
        }
    }

    /// Encrypts only now, so that the first of many is on its way before the last is encrypted.
    private func push(
        _ head: CallbackRecord.Head, of callback: Callback, to target: PushTarget,
        _ courier: Courier
    ) {
        let now = surroundings.wall()
        if let rest = forwards.pause(before: callback.url, at: now) {
            giveUpPlace(of: courier)
            let end = surroundings.now().adding(seconds: rest)
            return perform(courier.outbox.hold(until: end), for: courier)
        }
        guard let message = ForwardedMessage.decoded(head.body) else {
            return finished(
                .failure(.closed), for: courier, without: .push(.unsendable)
            ) { _ in .none }
        }
        do {
            let push = try forwards.push(
                message, to: callback.url, target, isShort: head.refusals > 0, at: now)
            let request = try settings.request(
                to: callback.url, for: .anyone, fields: push.fields, body: push.body)
            client.send(request) { [self] result in
                finished(result, for: courier, without: .push(.none)) { response in
                    .push(
                        forwards.meaning(
                            of: response, from: callback.url, token: push.token,
                            at: surroundings.wall()))
                }
            }
        } catch {
            finished(.failure(.closed), for: courier, without: .push(.none)) { _ in .none }
        }
    }

    private func makeChallenge() throws -> String {
        let name = try MessageID(from: &random).bytes
        return Base64URL.text(name.span)
    }

    private func request(
        _ record: CallbackRecord, _ head: CallbackRecord.Head, _ challenge: String?
    ) throws -> LoopRequest {
        let now = surroundings.now()
        let secrets = record.callback.secrets.filter { $0.expiry.map { $0 > now } ?? true }
        let id = head.id.bytes
        var fields = try signer.fields(
            id: Base64URL.text(id.span), seconds: Int64(surroundings.wall()), body: head.body,
            secrets: secrets.map(\.secret))
        fields.append(("content-type", "application/json"))
        if let challenge { fields.append((Self.challengeField, challenge)) }
        return try settings.request(
            to: record.callback.url, for: CallbackRights(userID: record.callback.userID),
            fields: fields, body: head.body)
    }

    /// `failed`: what it means that there is no answer.
    private func finished(
        _ result: Result<HTTPResponse, RequestFailure>, for courier: Courier,
        without failed: Outbox.Answer = .none, _ meaning: (HTTPResponse) -> Outbox.Answer
    ) {
        // The courier may have ended meanwhile.
        guard couriers[courier.callback] === courier else { return }
        courier.record = nil
        courier.hasPlace = false
        var answer = failed
        var wasSlow = false
        switch result {
        case .success(let response): answer = meaning(response)
        case .failure(.timedOut): wasSlow = true
        case .failure: break
        }
        count(result, for: courier)
        lanes.finish(host: courier.host, wasSlow: wasSlow)
        dropIdleClients()
        // Without randomness, couriers retry at the same time.
        let random = (try? random.word()) ?? 0
        perform(
            courier.outbox.answered(answer, at: surroundings.now(), random: random), for: courier)
        giveOutPlaces()
    }

    private func count(_ result: Result<HTTPResponse, RequestFailure>, for courier: Courier) {
        service.metrics.count(result)
        let status = (try? result.get())?.status ?? 0
        guard !(200..<300).contains(status) else { return }
        service.record(
            ServerEvent(.callback, status: status, device: courier.callback))
    }
}

/// A callback with work to do: its outbox, its timer and what it is sending.
final class Courier {
    let callback: UInt32
    var outbox: Outbox
    /// The host whose places in `HostLanes` it uses; known once its record was read.
    var host = ""
    var hasPlace = false
    var timer: TimerID?
    /// The record that is being sent.
    var record: CallbackRecord?

    init(of callback: UInt32) {
        self.callback = callback
        outbox = Outbox(of: callback)
    }
}

/// Signs requests by Standard Webhooks, version 1: HMAC-SHA-256 over id, time and body.
struct WebhookSigner: ~Copyable {
    private var hash: SHA256

    init() throws(OpenSSLError) { hash = try SHA256() }

    /// The three header fields of a request, with a signature for each secret.
    mutating func fields(
        id: String, seconds: Int64, body: [UInt8], secrets: [Secret]
    ) throws(OpenSSLError) -> [(name: String, value: String)] {
        var signatures: [String] = []
        for secret in secrets {
            signatures.append(
                "v1," + (try signature(id: id, seconds: seconds, body: body, secret)))
        }
        return [
            ("webhook-id", id), ("webhook-timestamp", "\(seconds)"),
            ("webhook-signature", signatures.joined(separator: " ")),
        ]
    }

    private mutating func signature(
        id: String, seconds: Int64, body: [UInt8], _ secret: Secret
    ) throws(OpenSSLError) -> String {
        let start = Array("\(id).\(seconds).".utf8)
        try secret.withSpan { key throws(OpenSSLError) in try hash.beginHMAC(key: key) }
        try hash.update(start.span)
        try hash.update(body.span)
        let digest = try hash.finishHMAC()
        return Base64.text(digest.span)
    }
}

/// The secret that signs the requests of one callback.
package enum WebhookSecret {
    private static let length = 32
    private static let prefix = "whsec_"

    package static func make() throws(OpenSSLError) -> Secret { try Random.secret(count: length) }

    /// The secret in the format of Standard Webhooks, which is shown once, to the client that made
    /// the callback.
    package static func text(of secret: Secret) -> String {
        prefix + secret.withSpan(Base64.text)
    }
}

/// A problem with a callback that the administrator may want to know of. It names only the number
/// of the registration.
package enum CallbackTrouble: Sendable {
    package typealias Report = @Sendable (CallbackTrouble) -> Void

    /// Its receiver answered 410.
    case gone(UInt32)
    /// Nobody confirmed it within an hour.
    case lapsed(UInt32)
    /// The receiver kept refusing an event, which was set aside.
    case parked(UInt32)
    /// An event was given up because it was too old.
    case dead(UInt32)
    /// A push service does not take a message.
    case refused(UInt32)

    package var callback: UInt32 {
        switch self {
        case .gone(let callback), .lapsed(let callback), .parked(let callback),
            .dead(let callback), .refused(let callback):
            callback
        }
    }

    package var reason: String {
        switch self {
        case .gone: "the receiver answered 410"
        case .lapsed: "nobody confirmed it"
        case .parked: "the receiver refuses an event"
        case .dead: "an event became too old"
        case .refused: "the push service refuses a message"
        }
    }
}
