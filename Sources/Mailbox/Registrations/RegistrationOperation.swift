package import Base
package import Delivery
package import Topics

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
    /// zero. A known mark makes it a repetition, which is dropped. The history of its topic has it
    /// in the same transaction, and then `.stored` tells its place there.
    case receive(Message, ReplayMark?, EnginePush, TopicPost? = nil)
    /// Only the history of the topic, and its readers, get it: `.stored` tells its place. A
    /// repetition of it is recognised by the mark.
    case post(TopicPost, Address, RepetitionMark? = nil)
    /// The same at a later time, for the engine of the topic, too. `.full` if too many wait.
    case schedule(ScheduledPost)
    /// The history of the topic gets what another server has kept: `.taken` says what became of each.
    /// A trial only says it.
    case take([TopicPost], Address, isTrial: Bool)
    /// `.notFound` if the history does not have the message. Of very many messages only some are
    /// erased at once, and the result is `.partly`: ask again.
    case erase(TopicErasure)
    /// `.notFound` if the history has none of the messages, and `.conflict` for an open question that
    /// would be deleted.
    case mark(OwnerMark)
    /// The topic has this picture from now on, or none.
    case setPicture(TopicPicture?, of: UInt32)
    /// Counts a push that nobody can read.
    case count(device: UInt32, reason: String)
    case signal(FetchSignal, Address)
    /// Hands out everything that waits, and deletes it.
    case fetch(device: UInt32)
    case question(QuestionOperation)

    /// The message that room was reserved for.
    var message: Message? {
        switch self {
        case .receive(let message, _, _, _) where message.needsStore,
            .question(.ask(_, let message, _)) where message.needsStore:
            message
        default: nil
        }
    }
}

package enum RegistrationResult: Equatable, Sendable {
    /// The answer that the same request got before.
    case answered([UInt8])
    /// The request's idempotency key was used for a different request.
    case otherRequest
    /// The owner has reached the limit.
    case tooMany
    /// Another topic has the name.
    case nameTaken
    /// The body was accepted before.
    case repeated
    /// It was accepted, but could not change what arrived with better protection.
    case outranked
    /// It was accepted, but its dialect could not read it; the reason is counted for the owner.
    case notUnderstood(reason: String)
    case fetched(WaitingPushes)
    /// What became of the messages, in their order, and what more the history has room for.
    case taken([TakenPost], room: GrowthLimits.Room)
    /// Ask again for the rest.
    case partly
    /// The question as it is now.
    case question(Question)
    case questionRefused(Question.Refusal)
}

package enum RegistrationQuery: Sendable {
    case one(RegistrationID)
    case ofDevice(UInt32)
    /// The registrations of one owner, or all; the newest of them if a limit is given.
    case all(owner: String?, limit: Int? = nil)
    case waiting(device: UInt32)
}

package enum RegistrationAnswer: Sendable {
    case none
    case one(Registration, undecryptable: [(reason: String, count: Int)])
    case all([Registration])
    case waiting(WaitingPushes)
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
package struct WaitingPushes: Equatable, Sendable, Confidential {
    package var messages: [Message]
    package var signals: FetchSignals

    package static func == (left: WaitingPushes, right: WaitingPushes) -> Bool {
        left.messages.map(\.id) == right.messages.map(\.id) && left.signals == right.signals
    }
}

/// Changes of a registration. Each one raises the revision, and the caller passes the time in.
extension Registration {
    /// How long the former endpoint stays valid.
    private static let grace: UInt32 = 7 * 86_400
    private static let secretGrace: UInt32 = 48 * 3_600
    /// With more rotations than this within the grace time, the oldest endpoint ends early.
    private static let targetLimit = 8

    /// Puts a new endpoint with new keys first.
    package mutating func rotate(to target: Target, at now: StoreTime) {
        let end = now.adding(seconds: Self.grace)
        targets[0].ends = end
        targets.insert(target, at: 0)
        for index in targets.indices.dropFirst(Self.targetLimit) { targets[index].ends = now }
        reminded = now
        change(at: now)
    }

    /// The callback is told again what to call `registerDevice` with.
    mutating func remind(at now: StoreTime) {
        reminded = now
        revision += 1
    }

    package mutating func replaceSecret(_ new: Secret, at now: StoreTime) {
        secret = SecretPair(new, after: secret, until: now.adding(seconds: Self.secretGrace))
        change(at: now)
    }

    /// A payload arrived under the current secret, so the sender knows it.
    package mutating func forgetFormerSecret() {
        secret?.dropFormer()
        revision += 1
    }

    /// The application gave a sign of life. False if the change is too small to write.
    package mutating func recordSignOfLife(at now: StoreTime) -> Bool {
        guard nextSignOfLife <= now else { return false }
        change(at: now)
        return true
    }

    /// When the next sign of life is worth writing.
    var nextSignOfLife: StoreTime {
        guard isThere else { return StoreTime(milliseconds: .min) }
        let step = Int64(min(terms.lifetime, terms.sessionTimeout)) * 1_000 / 24
        return StoreTime(milliseconds: seen.milliseconds + step)
    }

    /// Another client of the account is in use.
    package mutating func pause(isMobile: Bool = false) {
        isPaused = true
        isOtherMobile = isMobile
        revision += 1
    }

    mutating func setMobile(_ isMobile: Bool) {
        self.isMobile = isMobile
        revision += 1
    }

    private mutating func change(at now: StoreTime) {
        seen = max(seen, now)
        isPaused = false
        isAway = false
        isWarned = false
        revision += 1
    }

    /// When `settle` next has something to do.
    var due: StoreTime {
        let warning = terms.callback == nil || isWarned ? nil : warning
        let reminder = terms.callback == nil ? nil : nextReminder
        let session = tellsSessionEnd ? sessionEnd : nil
        let ends = targets.map(\.ends) + [secret?.formerEnds, warning, reminder, session, expiry]
        return ends.compactMap(\.self).min() ?? expiry
    }

    /// What changed because time passed.
    struct Settlement {
        /// Ended subscriptions.
        var ended: [UInt32] = []
        /// Tell the callback that the registration will end.
        var warns = false
        /// Tell the callback what to call `registerDevice` with.
        var reminds = false
        /// Tell the callback that the user is no longer online.
        var leaves = false
    }

    /// Drops everything that has expired; nil if the registration itself has.
    mutating func settle(at now: StoreTime) -> Settlement? {
        guard now < expiry else { return nil }
        func isOver(_ end: StoreTime?) -> Bool { end.map { $0 <= now } ?? false }
        var settlement = Settlement()
        settlement.ended = targets.filter { isOver($0.ends) }.map(\.subscription)
        targets.removeAll { isOver($0.ends) }
        if isOver(secret?.formerEnds) { secret?.dropFormer() }
        if terms.callback != nil, !isWarned, warning <= now {
            isWarned = true
            settlement.warns = true
        }
        if terms.callback != nil, nextReminder <= now {
            reminded = now
            settlement.reminds = true
        }
        if tellsSessionEnd, sessionEnd <= now {
            isAway = true
            settlement.leaves = true
        }
        revision += 1
        return settlement
    }
}
