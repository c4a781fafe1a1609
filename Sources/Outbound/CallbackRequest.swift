import Base
package import System

/// A POST of JSON to whoever asked for it.
package struct CallbackRequest: Sendable, Confidential {
    package let target: CallbackTarget
    package let rights: CallbackRights
    package let fields: [(name: String, value: String)]
    package let body: [UInt8]

    package init(
        target: CallbackTarget, rights: CallbackRights, fields: [(name: String, value: String)],
        body: [UInt8]
    ) {
        self.target = target
        self.rights = rights
        self.fields = fields
        self.body = body
    }
}

/// Why a request had no answer.
package enum CallbackFailure: Error, Sendable, CustomStringConvertible {
    /// It took longer than it may.
    case timedOut
    case refused(DialRefusal)
    case socket(HeldSocket.Failure)
    case failed(CurlError)
    /// The client was closed.
    case closed

    package var description: String {
        switch self {
        case .timedOut: "no answer in time"
        case .refused(let refusal): refusal.rawValue
        case .socket(let failure): failure.description
        case .failed(let error): error.description
        case .closed: "the server is stopping"
        }
    }
}
