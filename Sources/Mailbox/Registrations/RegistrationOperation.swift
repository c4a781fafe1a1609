package import Base

/// What the store does for registrations.
package enum RegistrationOperation: Sendable {
    /// With its endpoint. A request that was answered before gets that answer again.
    case create(Registration, Subscription, credential: UInt32?, KeptAnswer?)
    /// Takes the place of what it was made of, with a new endpoint perhaps.
    case change(Registration, from: Int64, adding: Subscription?)
    /// Ends it with all its endpoints and messages.
    case end(device: UInt32)

    /// Keeps a payload, for which room was reserved unless its lifetime is zero. A mark that is
    /// known makes it a repetition, of which nothing is kept.
    case receive(Message, ReplayMark?)
    /// A push that nobody can read.
    case count(device: UInt32, reason: String)
    case signal(FetchSignal, Address)
    /// Hands out all that waits, and ends it.
    case fetch(device: UInt32)
}

/// By which the body of a push is known again: the first half of a hash of its endpoint, salt and
/// sender's key.
package struct ReplayMark: Equatable, Sendable {
    package static let lifetime: UInt32 = 30 * 86_400

    let bytes: [UInt8]

    package init(_ digest: Digest) { bytes = Array(digest.bytes.prefix(16)) }
}

/// An answer that is given again when the same request comes again.
package struct KeptAnswer: Sendable, Confidential {
    package static let lifetime: UInt32 = 24 * 3_600

    /// Of owner and key; of the body.
    let request: Digest
    let body: Digest
    let answer: [UInt8]

    package init(request: Digest, body: Digest, answer: [UInt8]) {
        self.request = request
        self.body = body
        self.answer = answer
    }
}

/// What waits for the application of a registration, or did until now.
package struct Waiting: Equatable, Sendable, Confidential {
    package var messages: [Message]
    package var signals: FetchSignals

    package static func == (left: Waiting, right: Waiting) -> Bool {
        left.messages.map(\.id) == right.messages.map(\.id) && left.signals == right.signals
    }
}

package enum RegistrationResult: Equatable, Sendable {
    /// The same request was answered with this.
    case answered([UInt8])
    /// The key of this request was used for another one.
    case otherRequest
    case fetched(Waiting)
}

package enum RegistrationRequest: Sendable {
    case one(RegistrationID)
    case ofDevice(UInt32)
    /// Of one owner, or of all.
    case all(owner: String?)
    case waiting(device: UInt32)
}

package enum RegistrationAnswer: Sendable {
    case none
    case one(Registration, undecryptable: [(reason: String, count: Int)])
    case all([Registration])
    case waiting(Waiting)
}
