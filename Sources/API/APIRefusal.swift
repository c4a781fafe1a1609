import HTTP
import Mailbox
import PushService
import WebPush

/// Why the API or the control socket refuses a request. Each case is one answer; `docs/errors.md`
/// lists the numbers.
enum APIRefusal: Error, Equatable {
    case badBody(String)
    case notAllowed
    case unknown
    case nameInUse
    /// Somebody else has taken over the token of another server.
    case tokenOfAnother
    case topicExists
    case tooManyDevices
    case tooManyTokens
    case ownerExists
    case tooManyRegistrations
    /// Too many answers to requests with an Idempotency-Key are stored.
    case tooManyKeys
    /// Callbacks must not go to this target.
    case badCallback(CallbackSettings.Objection)
    /// Forwards must not go to this endpoint.
    case badEndpoint(CallbackSettings.Objection)
    case tooManyForwards
    /// It was not this code that was pushed there.
    case wrongCode
    case unavailable
    /// The server crashed on this request twice.
    case setAside
    /// The request has no credential of a device, or an unknown one.
    case unauthorized
    /// The device can only subscribe and receive.
    case receiveOnly
    /// The device has to be confirmed after a restore.
    case unconfirmed
    /// The Idempotency-Key was used with another body.
    case otherRequest
    /// The key of a question was used for another one.
    case askedOtherwise
    case tooManyQuestions
    /// There is no room for another message now.
    case full
    /// The master key cannot be replaced now, or cannot be replaced at all.
    case cannotRotate
    /// The master key cannot be replaced now; the text says why.
    case cannotRotateYet(String)
    /// Another export is under way, or has just ended.
    case exporting
    /// There is no status page; the text says why.
    case noPage(String)
    /// A page of another site sent it.
    case foreignPage
    case http(HTTPRefusal)

    var status: Int {
        switch self {
        case .badBody, .badCallback, .badEndpoint: 400
        case .unauthorized: 401
        case .notAllowed, .foreignPage, .receiveOnly, .wrongCode: 403
        case .unknown: 404
        case .nameInUse, .tokenOfAnother, .topicExists, .tooManyDevices, .tooManyTokens,
            .ownerExists, .tooManyRegistrations, .tooManyForwards, .otherRequest, .askedOtherwise,
            .cannotRotate, .cannotRotateYet, .noPage:
            409
        case .tooManyKeys, .tooManyQuestions, .full: 429
        case .unavailable, .setAside, .unconfirmed, .exporting: 503
        case .http(let refusal): refusal.status
        }
    }

    var number: Int? {
        switch self {
        case .badBody: 1000
        case .notAllowed: 1001
        case .unknown: 1002
        case .nameInUse: 1003
        case .tokenOfAnother: 1036
        case .topicExists: 1028
        case .tooManyDevices: 1020
        case .tooManyTokens: 1030
        case .ownerExists: 1021
        case .tooManyRegistrations: 1022
        case .tooManyKeys: 1023
        case .badCallback: 1009
        case .badEndpoint: 1038
        case .tooManyForwards: 1039
        case .wrongCode: 1040
        case .unavailable, .setAside: 1004
        case .unauthorized: 1005
        case .receiveOnly: 1029
        case .unconfirmed: 1024
        case .exporting: 1026
        case .noPage: 1027
        case .otherRequest: 1006
        case .askedOtherwise: 1031
        case .tooManyQuestions: 1032
        case .full: 1037
        case .foreignPage: 1007
        case .cannotRotate, .cannotRotateYet: 1008
        case .http: nil
        }
    }

    var message: String {
        switch self {
        case .badBody(let reason), .noPage(let reason), .cannotRotateYet(let reason): reason
        case .notAllowed: "this user has no rights here"
        case .unknown: "it does not exist, or belongs to somebody else"
        case .nameInUse: "this owner already has a device or a token with that name"
        case .tokenOfAnother: "somebody else has this token"
        case .topicExists: "a topic with that name already exists"
        case .tooManyDevices: "this owner already has \(OwnerLimits.devices) devices"
        case .tooManyTokens: "this owner already has \(OwnerLimits.tokens) tokens"
        case .ownerExists: "an owner with that name already exists"
        case .tooManyRegistrations:
            "this owner has reached its limit of registrations or callbacks"
        case .tooManyKeys: "too many requests with an Idempotency-Key within a day"
        case .badCallback(let objection): "callback: \(objection)"
        case .badEndpoint(let objection): "endpoint: \(objection)"
        case .tooManyForwards: "this owner has reached its limit of forwards"
        case .wrongCode: "this is not the code that was pushed there"
        case .setAside: "the server crashed on this twice, and refuses it until its next update"
        case .unavailable: "the store does not answer; try again later"
        case .unauthorized: "the bearer secret of a device is needed"
        case .receiveOnly: "this device can only receive"
        case .unconfirmed: "the server was restored from a backup; this device is not confirmed yet"
        case .askedOtherwise: "this sequence id was used for another question"
        case .tooManyQuestions: "too many open questions at this topic"
        case .full: "there is no room for it now; try again later"
        case .otherRequest: "this Idempotency-Key was used for another request"
        case .foreignPage: "requests from pages of other sites are refused"
        case .cannotRotate: "the master key cannot be replaced now; the server's log says why"
        case .exporting: "another export is under way, or has just ended; try again later"
        case .http(let refusal): refusal.rawValue
        }
    }

    private var retryAfter: UInt32? {
        switch self {
        case .full, .tooManyQuestions: RetryAfter.whenFull
        case .unconfirmed: RetryAfter.trouble
        default: status == 503 ? RetryAfter.shortPause : nil
        }
    }

    /// The answer, in the form that all errors of the server have.
    func answer(_ page: ErrorPage) -> RefusalAnswer {
        RefusalAnswer(
            status,
            ErrorBody.json(
                status: status, number: number,
                reason: "\(ResponseHead.reasonPhrase(of: status))", message: message,
                moreInfo: number == nil ? page.placeOfMalformed : page.place(of: number)),
            retryAfter: retryAfter)
    }
}

/// An answer of the API or the control socket: a status with JSON, or a refusal.
typealias APIResult = Result<(status: Int, body: [UInt8]), APIRefusal>

extension HTTPExchange {
    func respond(_ result: APIResult, _ service: ServiceState) {
        switch result {
        case .success(let answer):
            var head = self.answer(answer.status)
            if !answer.body.isEmpty { head.fields.append("Content-Type", "application/json") }
            head.fields.append("Cache-Control", "no-store")
            send(head, answer.body)
        case .failure(let refusal):
            let answer = refusal.answer(service.errorPage)
            send(answer.head(for: self), answer.body)
        }
    }

    private func send(_ head: consuming ResponseHead, _ body: [UInt8]) {
        head.fields.append("Referrer-Policy", "no-referrer")
        respond(consume head, body: body)
    }

    /// A web page cannot send this type without a CORS preflight.
    var isJSON: Bool { hasType("application/json") }

    /// Whether the body is of this media type, whatever its parameters are.
    func hasType(_ wanted: String) -> Bool {
        guard let value = head.fields.firstValue(of: "content-type") else { return false }
        let type = head.text(value).prefix { $0 != ";" && $0 != " " }
        return type.lowercased() == wanted
    }
}

extension APIResult {
    /// The answer to the removal of a device or an owner, or to the confirmation of a device.
    init(ofRemoval outcome: StoreOutcome) {
        switch outcome {
        case .done: self = .success((204, []))
        case .notFound: self = .failure(.unknown)
        default: self = .failure(.unavailable)
        }
    }
}
