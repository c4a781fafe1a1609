package import Delivery

/// What the store does for registrations.
package enum RegistrationOperation: Sendable {
    /// With its endpoint, unless its owner has as many as `limit`. A request that was answered before
    /// gets that answer again.
    case create(Registration, Subscription, credential: UInt32?, limit: Int?, KeptAnswer?)
    /// Takes the place of what it was made of, with a new endpoint perhaps.
    case change(Registration, from: Int64, adding: Subscription?)
    /// Ends it with all its endpoints and messages.
    case end(device: UInt32)

    /// Gives a payload to its engine, and keeps it for whoever fetches; room was reserved unless its
    /// lifetime is zero. A mark that is known makes it a repetition, of which nothing is kept.
    case receive(Message, ReplayMark?, EnginePush)
    /// A push that nobody can read.
    case count(device: UInt32, reason: String)
    case signal(FetchSignal, Address)
    /// Hands out all that waits, and ends it.
    case fetch(device: UInt32)

    /// What something was reserved for.
    var message: Message? {
        if case .receive(let message, _, _) = self, message.needsStore { message } else { nil }
    }
}

package enum RegistrationResult: Equatable, Sendable {
    /// The same request was answered with this.
    case answered([UInt8])
    /// The key of this request was used for another one.
    case otherRequest
    /// The owner has as many as there may be.
    case tooMany
    /// The body had been accepted before.
    case repeated
    /// Taken, but not allowed to touch what had come better protected.
    case outranked
    case fetched(Waiting)
}

package enum RegistrationQuery: Sendable {
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
