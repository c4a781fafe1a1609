import Base
import Crypto
import Mailbox
import Outbound
import WebPush

/// One attempt: the request, its signature, and its result.
extension CallbackService {
    private static let challengeField = "webhook-challenge"

    func attempt(_ courier: Courier) {
        guard let record = courier.record, let head = record.head else { return }
        do {
            let challenge = record.state == .unconfirmed ? try makeChallenge() : nil
            let request = try request(record, head, challenge)
            client.send(request) { [self] result in
                finished(result, challenge: challenge, for: courier)
            }
        } catch {
            // A changed configuration may forbid the callback, or a library failed.
            finished(.failure(.closed), challenge: nil, for: courier)
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

    private func finished(
        _ result: Result<HTTPResponse, RequestFailure>, challenge: String?, for courier: Courier
    ) {
        // The courier may have ended meanwhile.
        guard couriers[courier.callback] === courier else { return }
        courier.record = nil
        courier.hasPlace = false
        var answer = Outbox.Answer.none
        var wasSlow = false
        switch result {
        case .success(let response):
            answer = .status(
                response.status,
                isConfirmed: challenge != nil && response.field(Self.challengeField) == challenge,
                retryAfter: response.field("retry-after").flatMap { UInt32($0) })
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
