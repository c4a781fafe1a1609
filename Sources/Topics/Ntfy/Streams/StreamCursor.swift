/// What one reader of a subscription was sent, and what it gets next.
///
/// It is a pure state machine: events come in, and what must be done is appended to `actions`, in
/// order. A new message goes to the reader at once while it has all that is older. Otherwise only
/// its position is kept, and the store is asked for what comes after the position that the reader
/// has. So a reader that is slow, or that has a long replay before it, costs no more than others.
package struct StreamCursor: Sendable {
    private enum Phase {
        /// The store is asked where the replay begins.
        case beginning(StreamSince)
        case replaying(ReplayRange)
        case following
        case ended
    }

    private let filter: StreamFilter
    /// The reader wants what is stored, and then the end.
    private let isPoll: Bool
    private let isOwners: Bool
    private var phase: Phase
    /// The reader has everything up to here.
    private var position: Int64
    /// The newest position that was heard of while the reader could not take it.
    private var newest: Int64
    private var isReading = false
    /// The reader must take something before it gets more.
    private var isCongested = false
    /// `wait` was asked for, and `tryAgain` has not been called yet.
    private var willTryAgain = false
    #if PLANTED
        /// Tests set others.
        package var mistake: StreamMistake?
    #endif

    /// `newest` is the position of the owner's newest message of which the stream will not hear.
    package init(_ request: StreamRequest, newest: Int64) {
        filter = request.filter
        isPoll = request.isPoll
        isOwners = request.isOwners
        phase = .beginning(request.since)
        position = newest
        self.newest = newest
    }

    package var isEnded: Bool { if case .ended = phase { true } else { false } }

    private var isFollowing: Bool { if case .following = phase { true } else { false } }

    /// The reader has all that is older than what comes now.
    private var isLive: Bool {
        #if PLANTED
            if mistake == .overtakes { return isFollowing && !isCongested }
        #endif
        return isFollowing && !isReading && !isCongested && newest <= position
    }
}

/// Events from the reader's connection.
extension StreamCursor {
    /// The first event. New messages may reach the stream from now on.
    package mutating func begin(_ actions: inout [StreamAction]) {
        guard case .beginning(.nothing) = phase else { return goOn(&actions) }
        open(isTruncated: false, &actions)
        follow(&actions)
    }

    /// So much waits in the output that the reader gets no more.
    package mutating func congested() { isCongested = true }

    /// The output was sent.
    package mutating func drained(_ actions: inout [StreamAction]) {
        isCongested = false
        #if PLANTED
            if mistake == .losesTheStalled { position = newest }
        #endif
        goOn(&actions)
    }

    /// Nothing was sent for so long that the reader could take the connection for dead.
    package func keepaliveDue(_ actions: inout [StreamAction]) {
        // What waits in the output shows more than that.
        if !isPoll, !isCongested, isOpen { actions.append(.keepalive) }
    }

    private var isOpen: Bool {
        switch phase {
        case .beginning, .ended: false
        case .replaying, .following: true
        }
    }

    /// The connection is gone, or the reader's right is.
    package mutating func closed() { phase = .ended }
}

/// Events from the store.
extension StreamCursor {
    /// A message of the subscription is committed. Those with positions come in their order.
    package mutating func heard(_ message: PlacedMessage, _ actions: inout [StreamAction]) {
        guard let place = message.position else {
            // What is not kept is for those who can take it now.
            if isOpen, !isPoll, !isCongested { write(message, &actions) }
            return
        }
        guard isLive, place > position else { return heard(of: place, &actions) }
        write(message, &actions)
        position = place
    }

    /// Something was committed, perhaps for the subscription, up to this position.
    package mutating func heard(of position: Int64, _ actions: inout [StreamAction]) {
        #if PLANTED
            if mistake == .forgetsTheMissed, isReading { return }
        #endif
        newest = max(newest, position)
        goOn(&actions)
    }

    /// The store answered with a page.
    package mutating func read(_ page: StreamPage, _ actions: inout [StreamAction]) {
        guard !isEnded else { return }
        isReading = false
        if case .beginning(let since) = phase {
            let plan = page.plan ?? ReplayPlan(since, newest: page.through)
            open(isTruncated: plan.isTruncated, &actions)
            phase = .replaying(plan.range)
        }
        for message in page.messages { write(message, &actions) }
        position = page.through
        if case .replaying(let range) = phase, position >= range.through {
            #if PLANTED
                if mistake == .endsTooEarly { position = newest }
            #endif
            follow(&actions)
        }
        goOn(&actions)
    }

    /// The store could not be read.
    package mutating func unreadable(_ actions: inout [StreamAction]) {
        guard !isEnded else { return }
        isReading = false
        guard !isPoll else {
            phase = .ended
            return actions.append(.fail)
        }
        willTryAgain = true
        actions.append(.wait)
    }

    package mutating func tryAgain(_ actions: inout [StreamAction]) {
        willTryAgain = false
        goOn(&actions)
    }
}

/// What follows from them.
extension StreamCursor {
    private func open(isTruncated: Bool, _ actions: inout [StreamAction]) {
        actions.append(.open(isTruncated: isTruncated))
    }

    private func write(_ message: PlacedMessage, _ actions: inout [StreamAction]) {
        guard isOwners || message.message.kind != .dismissal else { return }
        if filter.passes(message.message) { actions.append(.write(message)) }
    }

    /// The replay is over.
    private mutating func follow(_ actions: inout [StreamAction]) {
        phase = isPoll ? .ended : .following
        if isPoll { actions.append(.end) }
    }

    /// Asks for the next page, if there is one and the reader can take it.
    private mutating func goOn(_ actions: inout [StreamAction]) {
        guard !isReading, !isCongested, !willTryAgain, let request else { return }
        isReading = true
        actions.append(.read(request))
    }

    private var request: StreamPageRequest? {
        switch phase {
        case .beginning(let since): .replay(since)
        case .replaying(let range): .replayed(range, after: position)
        case .following: newest > position ? .missed(after: position) : nil
        case .ended: nil
        }
    }
}

/// What must be done after an event of a stream, in order.
package enum StreamAction: Sendable {
    /// Send the head of the answer, and then, unless the reader polls, the event `open`.
    case open(isTruncated: Bool)
    case write(PlacedMessage)
    case keepalive
    /// Read from the store, then call `read` or `unreadable`.
    case read(StreamPageRequest)
    /// The store failed: call `tryAgain` after a while.
    case wait
    /// Everything was sent: end the answer.
    case end
    /// The answer cannot be completed: refuse, or cut the connection if a part of it was sent.
    case fail
}
