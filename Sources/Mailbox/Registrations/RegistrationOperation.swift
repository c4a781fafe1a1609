package import Base
package import Delivery

/// Operations on registrations.
package enum RegistrationOperation: Sendable {
    /// Adds the registration with its endpoint, unless its owner has `limit` already. A repeated
    /// request gets its first answer again.
    case create(Registration, Subscription, credential: UInt32?, limit: Int?, KeptAnswer?)
    /// Replaces revision `from`, perhaps adding a new endpoint.
    case change(Registration, from: Int64, adding: Subscription?)
    /// Ends it with all its endpoints and messages.
    case end(device: UInt32)

    /// Gives a payload to its engine and keeps it for fetching. Room was reserved unless its TTL is
    /// zero. A known mark makes it a repetition, which is dropped.
    case receive(Message, ReplayMark?, EnginePush)
    /// Counts a push that nobody can read.
    case count(device: UInt32, reason: String)
    case signal(FetchSignal, Address)
    /// Hands out everything that waits, and deletes it.
    case fetch(device: UInt32)

    /// The message that room was reserved for.
    var message: Message? {
        if case .receive(let message, _, _) = self, message.needsStore { message } else { nil }
    }
}

package enum RegistrationResult: Equatable, Sendable {
    /// The answer that the same request got before.
    case answered([UInt8])
    /// The request's idempotency key was used for a different request.
    case otherRequest
    /// The owner has reached the limit.
    case tooMany
    /// The body was accepted before.
    case repeated
    /// It was accepted, but could not change what arrived with better protection.
    case outranked
    /// It was accepted, but its dialect could not read it; the reason is counted for the owner.
    case notUnderstood(reason: String)
    case fetched(Waiting)
}

package enum RegistrationQuery: Sendable {
    case one(RegistrationID)
    case ofDevice(UInt32)
    /// Those of one owner, or all; the newest of them if a limit is given.
    case all(owner: String?, limit: Int? = nil)
    case waiting(device: UInt32)
}

package enum RegistrationAnswer: Sendable {
    case none
    case one(Registration, undecryptable: [(reason: String, count: Int)])
    case all([Registration])
    case waiting(Waiting)
}

/// An answer that is repeated when the same request arrives again.
package struct KeptAnswer: Sendable, Confidential {
    package static let lifetime: UInt32 = 24 * 3_600

    /// `request` is the hash of owner and key.
    let request: Digest
    let body: Digest
    let answer: [UInt8]

    package init(request: Digest, body: Digest, answer: [UInt8]) {
        self.request = request
        self.body = body
        self.answer = answer
    }
}

/// The messages and signals that wait for a registration's application, or just did.
package struct Waiting: Equatable, Sendable, Confidential {
    package var messages: [Message]
    package var signals: FetchSignals

    package static func == (left: Waiting, right: Waiting) -> Bool {
        left.messages.map(\.id) == right.messages.map(\.id) && left.signals == right.signals
    }
}
