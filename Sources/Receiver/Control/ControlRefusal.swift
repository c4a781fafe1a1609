import HTTP
import Mailbox
import WebPush

/// Why the control socket does not do what it was asked.
///
/// Each case is one answer; the numbers are those of `docs/errors.md`.
enum ControlRefusal: Error, Equatable {
    case badBody(String)
    case notAllowed
    case unknown
    case nameInUse
    case tooManyDevices
    case ownerExists
    case unavailable
    case http(HTTPRefusal)

    var status: Int {
        switch self {
        case .badBody: 400
        case .notAllowed: 403
        case .unknown: 404
        case .nameInUse, .tooManyDevices, .ownerExists: 409
        case .unavailable: 503
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
        case .unavailable: 1004
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
        case .unavailable: "the store does not answer; try again later"
        case .http(let refusal): refusal.rawValue
        }
    }

    /// `application/json`, in the form of every error of the service.
    var json: [UInt8] {
        ErrorBody.json(
            status: status, number: number, reason: "\(ResponseHead.reasonPhrase(of: status))",
            message: message,
            moreInfo: "docs/errors.md#" + (number.map { "errno-\($0)" } ?? "http"))
    }
}
