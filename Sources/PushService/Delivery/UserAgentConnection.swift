import Base
import Delivery
import HTTP
import Mailbox
import System
import WebPush

/// One connection of a user agent. It carries out what its session decides, and writes what its
/// delivery sends; the desk carries out the rest of that.
///
/// Only the loop of its desk uses it.
final class UserAgentConnection {
    let desk: DeliveryDesk
    /// The row of the credential that the user agent presented.
    let credential: UInt32?
    let pass: Pass
    /// Counts a client without a credential against its network; nil for others.
    let place: StrangerPlace?
    /// Both are allocated separately, because a property of a class is copied on each access. No
    /// other code may run while one is accessed.
    let session: UnsafeMutablePointer<AutopushSession>
    let delivery: UnsafeMutablePointer<DeviceDelivery>
    @exclusivity(unchecked) var socket: WebSocketConnection?
    @exclusivity(unchecked) var userAgent: UserAgentID?
    /// When the device said hello here, in milliseconds, if the store has written that down: the
    /// device's newest connection is known by it.
    @exclusivity(unchecked) var seen: Int64?
    /// Requests that wait for the store. They are handled one at a time: the first is under way.
    @exclusivity(unchecked) var requests: [Request] = []
    @exclusivity(unchecked) private var inbox = Inbox()
    @exclusivity(unchecked) private var isReading = false
    @exclusivity(unchecked) private var timer: TimerID?
    @exclusivity(unchecked) private var pace = Pace()
    /// Set while the client has asked for too much too fast.
    @exclusivity(unchecked) private var paceTimer: TimerID?
    /// What the client's current message costs, besides acknowledging messages.
    @exclusivity(unchecked) var strain = 0

    private static let paceCookie: UInt64 = 1

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
        session.initialize(to: AutopushSession(at: BootClock.now))
        delivery = .allocate(capacity: 1)
        delivery.initialize(to: DeviceDelivery())
    }

    deinit {
        session.deinitialize(count: 1).deallocate()
        delivery.deinitialize(count: 1).deallocate()
    }

    /// A client on this machine pings whenever both have slept, and that is not too often: this
    /// clock has run meanwhile.
    private var now: Duration { BootClock.now }

    /// Nil for a user agent that never registered anything: the store has nothing about it.
    var device: UInt32? { delivery.pointee.device }

    func perform(_ action: AutopushSession.Action, _ reply: borrowing [UInt8] = []) {
        switch action {
        case .none: break
        case .send: say(reply)
        case .open:
            say(reply)
            let takesBack = session.pointee.extensions.contains(.withdrawn)
            desk.update(self) { $0.opened(takesBack: takesBack, &$1) }
        case .want(let least):
            say(reply)
            desk.update(self) { $0.wants(from: least, &$1) }
        case .acknowledged: desk.update(self) { $0.goOn(&$1) }
        case .identify(let userAgent): identify(userAgent)
        case .register(let channel, let key): begin(.register(channel, key: key))
        case .unregister(let channel): begin(.unregister(channel))
        case .close(let closing): close(closing)
        }
    }

    func say(_ reply: borrowing [UInt8]) {
        switch delivery.pointee.turn(of: reply) {
        case .now: socket?.send(text: reply.span)
        case .later: break
        case .never: close(.badState)
        }
    }

    /// A newer connection of the device has come.
    func replaced() { perform(session.pointee.replaced()) }

    private func close(_ closing: AutopushClosing) {
        socket?.close(
            WebSocketCloseCode(rawValue: closing.code), reason: "\(closing.reason)")
        leave()
    }

    /// Ignores the client from now on, however long it takes to disconnect. Messages it has not
    /// acknowledged go to the store, for its next connection.
    private func leave() {
        stopTimer()
        desk.sessions.leave(self, with: pass)
        if let paceTimer { desk.loop.cancel(paceTimer) }
        paceTimer = nil
        session.pointee.end()
        inbox = Inbox()
        if let device { desk.detach(self, device: device) }
        desk.update(self) { $0.closed(&$1) }
    }

    /// Handles what came while a request was under way.
    func readOn() {
        guard !isReading else { return }
        isReading = true
        while session.inPlace({ $0.isReady }), let text = inbox.removeFirst() { read(text.span) }
        isReading = false
        updateReading()
    }

    /// Stops reading from a client that asks faster than it may, or than the store records.
    func updateReading() {
        let isAhead =
            paceTimer != nil || delivery.inPlace { $0.isCrowded } || !session.inPlace { $0.isReady }
        socket?.setReading(!isAhead || session.inPlace { $0.isClosed })
    }

    private func spend() {
        defer { strain = 0 }
        let limit = desk.service.userAgentPace
        guard let rest = pace.spend(strain, limit, at: desk.loop.now.nanoseconds),
            paceTimer == nil
        else { return }
        paceTimer = desk.loop.schedule(
            after: Interval(.nanoseconds(rest)), self, cookie: Self.paceCookie)
    }

    private func read(_ text: Span<UInt8>) {
        guard !desk.service.index.setAside.contains(.frame, text) else { return close(.badState) }
        CrashMarker.mark(.frame, text) { handle(text) }
    }

    private func handle(_ text: Span<UInt8>) {
        var reply: [UInt8] = []
        swap(&reply, &desk.text)
        reply.removeAll(keepingCapacity: true)
        // The ids are collected first, because handling an acknowledgement may use the session
        // again.
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

    /// The client acknowledged a message of this connection or an earlier one.
    private func acknowledged(_ id: MessageID) {
        guard let device else { return }
        desk.service.metrics.noteAcknowledged()
        record(.delivered)
        let index = desk.service.index
        let isKnown = desk.update(self) {
            $0.acknowledged(id, isWaiting: index.usage(ofDevice: device).messages > 0, &$1)
        }
        if !isKnown { strain += 1 }
    }

    private func record(_ kind: ServerEvent.Kind) {
        desk.service.record(
            ServerEvent(kind, device: device ?? 0, credential: pass.credential ?? 0))
    }
}

/// What its delivery sends.
extension UserAgentConnection {
    func write(_ message: Message, to channel: ChannelID) {
        let content = message.content
        var notification = NotificationMessage(
            channel: channel, version: message.id, headers: content.headers)
        if !session.pointee.extensions.isEmpty {
            session.pointee.extend(
                &notification, ttl: lifeLeft(of: message), topic: content.topic,
                urgency: content.urgency)
        }
        socket?.send(textOfAbout: notification.capacity(bodyLength: content.body.count)) {
            notification.append(body: content.body.span, to: &$0)
        }
        desk.service.metrics.noteDelivered()
    }

    /// How many seconds are left, rounded up; zero for a message with a TTL of 0.
    private func lifeLeft(of message: Message) -> UInt32 {
        guard message.content.ttl > 0 else { return 0 }
        let rest = message.expiry.milliseconds - desk.service.store.clock.now.milliseconds
        return max(1, min(message.content.ttl, UInt32(clamping: (rest + 999) / 1_000)))
    }

    func takeBack(_ id: MessageID, of channel: ChannelID) {
        var reply: [UInt8] = []
        ServerMessage.appendWithdrawn(id, channel, to: &reply)
        say(reply)
    }
}

extension UserAgentConnection: WebSocketHandler {
    func opened(_ connection: WebSocketConnection, subprotocol: String?) {
        socket = connection
        desk.sessions.enter(self, with: pass)
        desk.service.metrics.noteOpened()
        desk.service.clients.userAgentCame(pass)
        record(.connected)
        guard let deadline = session.pointee.deadline else { return }
        timer = desk.loop.schedule(after: Interval(deadline - now), self)
    }

    func received(text: Span<UInt8>, on connection: WebSocketConnection) {
        if session.inPlace({ $0.isReady }), inbox.isEmpty, !isReading {
            read(text)
        } else if !inbox.put(text) {
            return close(.badState)
        }
        updateReading()
    }

    func received(binary: Span<UInt8>, on connection: WebSocketConnection) { close(.binary) }

    func closed(_ end: WebSocketEnd, on connection: WebSocketConnection) {
        socket = nil
        desk.service.metrics.noteClosed()
        desk.service.clients.userAgentLeft(pass)
        record(.disconnected)
        leave()
    }
}

extension UserAgentConnection: PassHolder {
    func passEnded() { replaced() }
}

extension UserAgentConnection: TimerHandler {
    func timerFired(_ cookie: UInt64) {
        guard cookie != Self.paceCookie else {
            paceTimer = nil
            return updateReading()
        }
        timer = nil
        perform(session.pointee.elapsed(at: now))
    }

    func stopTimer() {
        if let timer { desk.loop.cancel(timer) }
        timer = nil
    }
}
