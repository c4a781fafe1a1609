/// Decides when an HTTP/2 connection or a stream times out, and how the connection closes.
///
/// It is pure state beside the session. All times count from one fixed start.
package struct HTTP2Connection: Sendable {
    /// What to do at a deadline.
    package enum Expiry: Equatable, Sendable {
        case nothing
        /// Call the session's `rest`.
        case rest
        /// Answer the request on this stream with 408.
        case refuse(HTTP2StreamID)
        /// The peer does not read its answer, or has read it and does not end its request.
        case reset(HTTP2StreamID, HTTP2ErrorCode)
        /// Call the session's `shutDown`.
        case shutDown
        /// Call the session's `fail`.
        case fail(HTTP2Failure)
        case close
    }

    private enum Phase {
        case open
        /// The peer was told that the connection will end.
        case announced(until: Duration)
        /// No new streams are accepted.
        case draining
        /// The connection has failed; bytes of the peer are still read and dropped.
        case lingering(until: Duration)
        case closed
    }

    private struct Stream {
        let id: HTTP2StreamID
        /// Nil while an answer is being made, and while a stream waits.
        var deadline: Duration?
        var stage = Stage.request
    }

    private enum Stage {
        case request, answer, lingering
        /// The answer is a stream, which lasts for as long as its reader stays.
        case streaming
        /// The stream was reset, but the peer does not even read that.
        case reset
    }

    private let patience: HTTP2Patience
    private var phase = Phase.open
    private var streams: [Stream] = []
    private var headDeadline: Duration?
    private var idleDeadline: Duration?
    private var restDeadline: Duration?

    package init(patience: HTTP2Patience = HTTP2Patience(), at now: Duration) {
        self.patience = patience
        headDeadline = now + patience.head
    }

    package var isIdle: Bool { streams.isEmpty }

    /// A whole request has no answer yet, or not all of it is sent. Streams are not counted.
    package var owesAnswer: Bool {
        streams.contains { stream in
            switch stream.stage {
            case .request: stream.deadline == nil
            case .answer: true
            case .lingering, .streaming, .reset: false
            }
        }
    }

    /// When to call `expired`.
    package var deadline: Duration? {
        var earliest = Self.earlier(headDeadline, restDeadline)
        switch phase {
        case .open, .draining: earliest = Self.earlier(earliest, idleDeadline)
        case .announced(let until): earliest = Self.earlier(earliest, until)
        case .lingering(let until): return until
        case .closed: return nil
        }
        for stream in streams { earliest = Self.earlier(earliest, stream.deadline) }
        return earliest
    }

    /// All input was read; `isInHead` is the session's.
    package mutating func received(isInHead: Bool, at now: Duration) {
        if !isInHead {
            headDeadline = nil
            if streams.isEmpty, idleDeadline == nil { beginIdling(at: now) }
        } else if headDeadline == nil {
            headDeadline = now + patience.head
        }
    }

    package mutating func handle(_ event: HTTP2Event, at now: Duration) {
        switch event {
        case .head(let id):
            streams.append(Stream(id: id, deadline: now + patience.body))
            (idleDeadline, restDeadline) = (nil, nil)
        case .end(let id):
            guard let index = index(of: id) else { return }
            streams[index].deadline = nil
        case .refused(let id, _):
            if let index = index(of: id) {
                streams[index].deadline = nil
            } else {
                streams.append(Stream(id: id, deadline: nil))
                (idleDeadline, restDeadline) = (nil, nil)
            }
        case .closed(let id, _):
            guard let index = index(of: id) else { return }
            streams.swapAt(index, streams.count - 1)
            streams.removeLast()
            if streams.isEmpty { beginIdling(at: now) }
        case .lingering(let id):
            guard let index = index(of: id) else { return }
            streams[index].stage = .lingering
            streams[index].deadline = now + patience.lingering
        case .failed: linger(at: now)
        case .needsMore, .continueExpected, .body, .leaving: break
        }
    }

    /// The session has the answer.
    package mutating func answered(_ id: HTTP2StreamID, at now: Duration) {
        guard let index = index(of: id) else { return }
        streams[index].stage = .answer
        streams[index].deadline = now + patience.answer
    }

    /// The answer is a stream, from its head until `answered`.
    package mutating func streamBegan(_ id: HTTP2StreamID) {
        guard let index = index(of: id) else { return }
        streams[index].stage = .streaming
        streams[index].deadline = nil
    }

    /// The peer has until then to take the output of a stream. More output does not extend the
    /// deadline.
    package mutating func outputWaits(on id: HTTP2StreamID, until deadline: Duration) {
        guard let index = index(of: id), case .streaming = streams[index].stage else { return }
        streams[index].deadline = Self.earlier(streams[index].deadline, deadline)
    }

    /// All output of a stream was sent. The connection may be quiet from now on.
    package mutating func outputSent(on id: HTTP2StreamID, at now: Duration) {
        guard let index = index(of: id), case .streaming = streams[index].stage else { return }
        streams[index].deadline = nil
        restDeadline = restDeadline ?? now + patience.rest
    }

    /// The server stops, and the session has announced it.
    package mutating func announcedShutdown(at now: Duration) {
        if case .open = phase { phase = .announced(until: now + patience.notice) }
    }

    /// What to do now; call it until it returns `nothing`.
    package mutating func expired(at now: Duration) -> Expiry {
        switch phase {
        case .closed: return .nothing
        case .lingering(let until):
            guard now >= until else { return .nothing }
            phase = .closed
            return .close
        case .announced(let until) where now >= until: return drain(at: now)
        case .open where Self.hasPassed(idleDeadline, now): return drain(at: now)
        case .draining where Self.hasPassed(idleDeadline, now):
            phase = .closed
            return .close
        case .open, .announced, .draining: return expiredInside(at: now)
        }
    }

    private mutating func expiredInside(at now: Duration) -> Expiry {
        if Self.hasPassed(restDeadline, now) {
            restDeadline = nil
            return .rest
        }
        if Self.hasPassed(headDeadline, now) {
            linger(at: now)
            return .fail(.timeout)
        }
        let late = streams.firstIndex { Self.hasPassed($0.deadline, now) }
        return late.map { expired(stream: $0, at: now) } ?? .nothing
    }

    private mutating func expired(stream index: Int, at now: Duration) -> Expiry {
        let stream = streams[index]
        streams[index].deadline = nil
        if case .request = stream.stage { return .refuse(stream.id) }
        streams[index].stage = .reset
        streams[index].deadline = now + patience.lingering
        switch stream.stage {
        case .request, .answer, .streaming: return .reset(stream.id, .cancel)
        // RFC 9113 section 8.1: the answer counts all the same.
        case .lingering: return .reset(stream.id, .noError)
        case .reset:
            phase = .closed
            return .close
        }
    }

    private mutating func drain(at now: Duration) -> Expiry {
        phase = .draining
        if streams.isEmpty { beginIdling(at: now) }
        return .shutDown
    }

    private mutating func beginIdling(at now: Duration) {
        restDeadline = now + patience.rest
        // Without streams a draining connection only has to send its last frames.
        idleDeadline = now + (isDraining ? patience.lingering : patience.idle)
    }

    private var isDraining: Bool {
        if case .draining = phase { true } else { false }
    }

    /// The first failure counts; it may be reported again.
    private mutating func linger(at now: Duration) {
        switch phase {
        case .open, .announced, .draining: break
        case .lingering, .closed: return
        }
        phase = .lingering(until: now + patience.lingering)
        streams = []
    }

    private func index(of id: HTTP2StreamID) -> Int? { streams.firstIndex { $0.id == id } }

    private static func hasPassed(_ deadline: Duration?, _ now: Duration) -> Bool {
        if let deadline { now >= deadline } else { false }
    }

    private static func earlier(_ one: Duration?, _ other: Duration?) -> Duration? {
        guard let one, let other else { return one ?? other }
        return min(one, other)
    }
}

/// How long an HTTP/2 connection waits.
package struct HTTP2Patience: Equatable, Sendable {
    /// From the end of the last stream to the first byte of the next head.
    package var idle = Duration.seconds(75)
    /// From the end of the last stream until memory that only busy connections need is freed.
    package var rest = Duration.seconds(1)
    /// For the preface, and from the first byte of a head to its last.
    package var head = Duration.seconds(10)
    /// From the end of a head to the end of its body.
    package var body = Duration.seconds(30)
    /// From the start of an answer until the peer has taken all of it.
    package var answer = Duration.seconds(60)
    /// Between announcing that the server stops and refusing streams: some may be on their way.
    package var notice = Duration.seconds(1)

    /// For the rest of a request that was answered early, and for what the peer of a failed
    /// connection still sends.
    package var lingering = Duration.seconds(2)

    package init() {}
}
