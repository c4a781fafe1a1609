import HTTP
import Mailbox
import Reactor
import System
import WebPush

/// One connection of a user agent: carries out what its session decides.
///
/// It delivers directly while nothing waits for it in the store. Whenever something does, because it
/// came while the device was away, or was too much at once, the store is read from its beginning:
/// what is outstanding or was settled is passed over, so that nothing is missed or comes twice.
/// Confined to the loop of its desk.
final class AutopushChannel {
    let desk: DeliveryDesk
    /// The row of the credential it came with.
    let credential: UInt32?
    private let pass: Pass
    /// Of a stranger from elsewhere.
    let place: StrangerPlace?
    /// Apart, because a property of a class is copied whenever it is asked something. Nothing else
    /// runs within an access.
    let session: UnsafeMutablePointer<AutopushSession>
    @exclusivity(unchecked) var connection: WebSocketConnection?
    @exclusivity(unchecked) var userAgent: UserAgentID?
    /// Nil for a user agent that has never registered anything: nothing is kept of it.
    @exclusivity(unchecked) var device: UInt32?
    @exclusivity(unchecked) var channels = ChannelList()
    @exclusivity(unchecked) var outstanding: [Outstanding] = []
    /// Acknowledged, and perhaps still in a page that is being read: whether the store has it.
    @exclusivity(unchecked) var settled: [MessageID: Bool] = [:]
    /// What answers the client while the store has not recorded all that it acknowledged: whoever
    /// hears of us after an acknowledgement may take it for final.
    @exclusivity(unchecked) var heldReplies = HeldReplies()
    @exclusivity(unchecked) var isLoading = false
    /// The store has more for it, or may have.
    @exclusivity(unchecked) var needsLoad = false
    /// How far the store was read: the position of the last message that a page could have.
    @exclusivity(unchecked) var through = Int64.min
    /// The client has to acknowledge something before more is sent.
    @exclusivity(unchecked) var isFull = false
    /// One after the other: the first is under way.
    @exclusivity(unchecked) var requests: [Request] = []
    @exclusivity(unchecked) private var inbox = Inbox()
    @exclusivity(unchecked) private var isReading = false
    @exclusivity(unchecked) private var timer: TimerID?
    @exclusivity(unchecked) private var pace = Pace()
    /// Set as long as it has asked too fast.
    @exclusivity(unchecked) private var paceTimer: TimerID?
    /// What the message under way asks for beside acknowledging what was sent.
    @exclusivity(unchecked) var strain = 0

    private static let paceCookie: UInt64 = 1

    /// Of what is outstanding: a busy connection need not ask for memory each time.
    static let keptCapacity = 4

    enum Request {
        case register(ChannelID, key: [UInt8]?)
        case unregister(ChannelID)
    }

    init(_ desk: DeliveryDesk, credential: UInt32?, _ place: StrangerPlace? = nil) {
        self.desk = desk
        self.place = place
        self.credential = credential
        pass = credential.map(Pass.credential) ?? .open
        session = .allocate(capacity: 1)
        session.initialize(to: AutopushSession(at: Self.time(desk.loop)))
    }

    deinit { session.deinitialize(count: 1).deallocate() }

    private static func time(_ loop: EventLoop) -> Duration { .nanoseconds(loop.now.nanoseconds) }

    private var now: Duration { Self.time(desk.loop) }

    /// Something that waits for it can be sent at once.
    var isLive: Bool { session.pointee.isOpen && !isLoading && !needsLoad && !isFull }

    func perform(_ action: AutopushSession.Action, _ reply: borrowing [UInt8] = []) {
        switch action {
        case .none: break
        case .send: say(reply)
        case .sendAndDeliver:
            say(reply)
            load()
        case .deliver: load()
        case .identify(let userAgent): identify(userAgent)
        case .register(let channel, let key): begin(.register(channel, key: key))
        case .unregister(let channel): begin(.unregister(channel))
        case .close(let closing): close(closing)
        }
    }

    private func say(_ reply: borrowing [UInt8]) {
        guard heldReplies.isHolding else {
            connection?.send(text: reply.span)
            return
        }
        if !heldReplies.put(reply) { close(.badState) }
    }

    private func load() {
        isFull = false
        needsLoad = device != nil
        loadIfPossible()
    }

    /// A newer connection has come for this device.
    func replaced() { perform(session.pointee.replaced()) }

    private func close(_ closing: AutopushClosing) {
        connection?.close(
            WebSocketCloseCode(rawValue: closing.code), reason: "\(closing.reason)")
        leave()
    }

    /// Nothing more is taken from the client, however long it takes to go: what it has not
    /// acknowledged is for the store, and for its next connection.
    private func leave() {
        stopTimer()
        desk.sessions.leave(self, with: pass)
        if let paceTimer { desk.loop.cancel(paceTimer) }
        paceTimer = nil
        _ = session.pointee.end()
        inbox = Inbox()
        if let device { desk.detach(self, device: device) }
        let left = outstanding
        outstanding = []
        for entry in left {
            guard case .held(let slot, let reply) = entry.state else { continue }
            desk.giveUp(entry.message, slot, reply)
        }
    }

    /// Takes up what came while a request was under way.
    func readOn() {
        guard !isReading else { return }
        isReading = true
        while session.pointee.isReady, let text = inbox.take() { read(text.span) }
        isReading = false
        holdUp()
    }

    /// Nothing more is read of a client that asks faster than it may, or than the store records.
    func holdUp() {
        let isAhead =
            paceTimer != nil || heldReplies.isCrowded || !session.pointee.isReady
        connection?.setReading(!isAhead || session.pointee.isClosed)
    }

    private func spend() {
        defer { strain = 0 }
        let limit = desk.service.settings.userAgentPace
        guard let rest = pace.take(strain, limit, at: desk.loop.now.nanoseconds),
            paceTimer == nil
        else { return }
        paceTimer = desk.loop.schedule(
            after: Interval(.nanoseconds(rest)), self, cookie: Self.paceCookie)
    }

    private func read(_ text: Span<UInt8>) {
        guard !desk.service.index.setAside.contains(.frame, text) else { return close(.badState) }
        Underway.mark(.frame, text) { take(text) }
    }

    private func take(_ text: Span<UInt8>) {
        var reply: [UInt8] = []
        swap(&reply, &desk.text)
        reply.removeAll(keepingCapacity: true)
        // What an acknowledgement sets going may come back to the session.pointee.
        var done: [MessageID] = []
        swap(&done, &desk.acknowledged)
        let action = session.pointee.received(text, at: now, reply: &reply) { done.append($0) }
        if done.isEmpty { strain += 1 }
        for id in done { acknowledged(id) }
        done.removeAll(keepingCapacity: true)
        swap(&done, &desk.acknowledged)
        perform(action, reply)
        swap(&reply, &desk.text)
        if strain > 0, !session.pointee.isClosed { spend() }
    }
}

extension AutopushChannel: WebSocketHandler {
    func opened(_ connection: WebSocketConnection, subprotocol: String?) {
        self.connection = connection
        desk.sessions.enter(self, with: pass)
        desk.service.metrics.noteOpened()
        guard let deadline = session.pointee.deadline else { return }
        timer = desk.loop.schedule(after: Interval(deadline - now), self)
    }

    func received(text: Span<UInt8>, on connection: WebSocketConnection) {
        if session.pointee.isReady, inbox.isEmpty, !isReading {
            read(text)
        } else if !inbox.put(text) {
            return close(.badState)
        }
        holdUp()
    }

    func received(binary: Span<UInt8>, on connection: WebSocketConnection) { close(.binary) }

    func closed(_ end: WebSocketEnd, on connection: WebSocketConnection) {
        self.connection = nil
        desk.service.metrics.noteClosed()
        leave()
    }
}

extension AutopushChannel: PassHolder {
    func passEnded() { replaced() }
}

extension AutopushChannel: TimerHandler {
    func timerFired(_ cookie: UInt64) {
        guard cookie != Self.paceCookie else {
            paceTimer = nil
            return holdUp()
        }
        timer = nil
        perform(session.pointee.elapsed(at: now))
    }

    func stopTimer() {
        if let timer { desk.loop.cancel(timer) }
        timer = nil
    }
}
