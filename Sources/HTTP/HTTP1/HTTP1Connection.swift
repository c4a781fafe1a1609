/// When an HTTP/1.1 connection goes on, when its patience ends, and how it is closed.
///
/// Pure state beside the parser: it is told what happened and when. All times are measured from one
/// fixed start.
package struct HTTP1Connection: Sendable {
    private enum Phase {
        case idle
        case head
        case body
        /// The request is whole, the answer is not written yet.
        case answering
        case lingering
        case closed
    }

    /// What to do once an answer is written.
    package enum Continuation: Sendable {
        case nextRequest
        case close
        /// Half-close and read on for a while (`LingeringClose`).
        /// Closing at once would reset the connection, and the sender might never see its answer.
        case linger
    }

    /// What a deadline that passed asks for.
    package enum Expiry: Equatable, Sendable {
        case nothing
        case close
        case refuse(HTTPRefusal)
    }

    /// When to call `expired`; nil while an answer is being made.
    package private(set) var deadline: Duration?

    private let patience: HTTP1Patience
    private var phase = Phase.idle
    private var requestCount = 0
    private var keepsAlive = true
    private var isHTTP10 = false
    private var isStopping = false

    package init(patience: HTTP1Patience = HTTP1Patience(), at now: Duration) {
        self.patience = patience
        deadline = now + patience.idle
    }

    /// No request is under way, so the connection can be closed without harm.
    package var isIdle: Bool {
        if case .idle = phase { true } else { false }
    }

    /// What the answer that is written now has to say.
    package var persistence: HTTP1Persistence {
        guard keepsAlive, !isStopping, case .answering = phase else { return .close }
        return isHTTP10 ? .keepAlive : .implied
    }

    /// The running answer is the last one.
    package mutating func stop() { isStopping = true }

    /// A byte of a request has come. Further bytes buy it no more time.
    package mutating func requestBegan(at now: Duration) {
        guard case .idle = phase else { return }
        phase = .head
        deadline = now + patience.head
    }

    package mutating func headRead(_ head: borrowing RequestHead, at now: Duration) {
        requestCount += 1
        keepsAlive = head.keepsAlive && requestCount < patience.requestCount
        isHTTP10 = head.version == .http10
        phase = .body
        deadline = now + patience.body
    }

    package mutating func requestEnded() {
        phase = .answering
        deadline = nil
    }

    /// The last byte of an answer, or of a refusal, has left. `hasUnreadInput` means that bytes of
    /// the peer lie unread.
    package mutating func answered(hasUnreadInput: Bool, at now: Duration) -> Continuation {
        switch persistence {
        case .implied, .keepAlive:
            phase = .idle
            deadline = now + patience.idle
            return .nextRequest
        case .close:
            if case .answering = phase, !hasUnreadInput {
                close()
                return .close
            }
            phase = .lingering
            deadline = now + patience.lingering
            return .linger
        }
    }

    package mutating func expired(at now: Duration) -> Expiry {
        guard let deadline, now >= deadline else { return .nothing }
        switch phase {
        case .head, .body:
            self.deadline = nil
            keepsAlive = false
            return .refuse(.timeout)
        case .idle, .answering, .lingering, .closed:
            close()
            return .close
        }
    }

    private mutating func close() {
        phase = .closed
        deadline = nil
    }
}
