import HTTP
import Mailbox
import PushService
import WebPush

/// Why the control socket, or the API, does not do what it was asked.
///
/// Each case is one answer; the numbers are those of `docs/errors.md`.
enum APIRefusal: Error, Equatable {
    case badBody(String)
    case notAllowed
    case unknown
    case nameInUse
    case tooManyDevices
    case ownerExists
    case tooManyRegistrations
    /// So many answers of the last day are kept that there is no room for another.
    case tooManyKeys
    /// It may not lead where it does.
    case badCallback(CallbackSettings.Objection)
    case unavailable
    /// The server has failed on it twice.
    case setAside
    /// No credential of a device, or none that is known.
    case unauthorized
    /// The key of a request serves for one body only.
    case otherRequest
    /// The master key cannot be replaced, or not now.
    case cannotRotate
    /// Asked by a page of another site.
    case foreignPage
    case http(HTTPRefusal)

    var status: Int {
        switch self {
        case .badBody, .badCallback: 400
        case .unauthorized: 401
        case .notAllowed, .foreignPage: 403
        case .unknown: 404
        case .nameInUse, .tooManyDevices, .ownerExists, .tooManyRegistrations, .otherRequest,
            .cannotRotate:
            409
        case .tooManyKeys: 429
        case .unavailable, .setAside: 503
        case .http(let refusal): refusal.status
        }
    }

    var number: Int? {
        switch self {
        case .badBody: 1000
        case .notAllowed: 1001
        case .unknown: 1002
        case .nameInUse: 1003
        case .tooManyDevices: 1020
        case .ownerExists: 1021
        case .tooManyRegistrations: 1022
        case .tooManyKeys: 1023
        case .badCallback: 1009
        case .unavailable, .setAside: 1004
        case .unauthorized: 1005
        case .otherRequest: 1006
        case .foreignPage: 1007
        case .cannotRotate: 1008
        case .http: nil
        }
    }

    var message: String {
        switch self {
        case .badBody(let reason): reason
        case .notAllowed: "this user has no rights here"
        case .unknown: "there is no such thing, or it belongs to somebody else"
        case .nameInUse: "this owner has a device of that name"
        case .tooManyDevices: "this owner has \(OwnerLimits.devices) devices"
        case .ownerExists: "there is an owner of that name"
        case .tooManyRegistrations:
            "this owner has as many registrations, or callbacks, as it may"
        case .tooManyKeys: "too many requests with an Idempotency-Key within a day"
        case .badCallback(let objection): "callback: \(objection)"
        case .setAside: "set aside until the server is updated"
        case .unavailable: "the store does not answer; try again later"
        case .unauthorized: "the bearer secret of a device is needed"
        case .otherRequest: "this Idempotency-Key was used for another request"
        case .foreignPage: "pages of other sites have no business here"
        case .cannotRotate: "the master key cannot be replaced now; the server's log says why"
        case .http(let refusal): refusal.rawValue
        }
    }

    /// In the form of every error of the service.
    var answer: RefusalAnswer {
        RefusalAnswer(
            status,
            ErrorBody.json(
                status: status, number: number,
                reason: "\(ResponseHead.reasonPhrase(of: status))", message: message,
                moreInfo: "docs/errors.md#" + (number.map { "errno-\($0)" } ?? "http")),
            retryAfter: status == 503 ? RetryAfter.shortPause : nil)
    }
}
