import HTTP
import Mailbox
import PushService
import System
import Topics

/// Sends what comes to topics to one reader, a line for each message, as ntfy does.
///
/// The cursor decides; this carries it out. Confined to its loop.
// Unchecked: it is touched by the thread of the loop alone, to which news is posted.
final class MessageStream: @unchecked Sendable {
    private enum Timer: UInt64, CaseIterable { case keepalive, tryAgain, look }

    /// A page of the store is written at once, and may be long as JSON.
    private static let terms = HTTPStreamTerms(outputLimit: 8 << 20)
    private static let framing = NtfyRoute.Stream.json
    /// How often a reader without topics looks for the first, and how long it waits for the store.
    private static let (lookInterval, pause) = (Interval(.seconds(2)), Interval(.seconds(1)))

    private let routes: MessageRoutes
    private let wish: MessageWish
    private let caller: APICaller
    private let sessions: SessionRegister
    private var exchange: HTTPExchange?
    private var stream: HTTPStream?
    private var topics: OwnTopics
    private var cursor: StreamCursor?
    /// Heard of before there was a cursor.
    private var heard = Int64.min
    private var timers: [Timer: TimerID] = [:]
    /// The owner to whose topics it listens; nil while the reader has none.
    private var owner: UInt32?
    /// What came while it looks for topics that it does not know.
    private var held: [TopicNews] = []
    private var isLooking = false
    private var isOver = false

    init(
        _ exchange: HTTPExchange, _ topics: OwnTopics, _ wish: MessageWish, _ caller: APICaller,
        _ routes: MessageRoutes
    ) {
        (self.exchange, self.topics, self.wish) = (exchange, topics, wish)
        (self.caller, self.routes) = (caller, routes)
        sessions = routes.registrations.service.sessions(on: routes.loop)
    }

    private var service: ServiceState { routes.registrations.service }
    private var dialogue: StoreDialogue { routes.registrations.dialogue }
    private var index: TopicIndex { routes.registrations.store.index.topics }

    private var subscription: TopicSubscription {
        TopicSubscription(owner: topics.owner ?? 0, topics: topics.standIns, isOwners: true)
    }

    /// Everything that is committed from now on reaches the cursor, or is told to it by its position.
    func begin() {
        sessions.enter(self, with: caller.pass)
        listen()
        dialogue.load(.topic(.newest(owner: topics.owner ?? 0))) { [self] answer in
            guard !isOver else { return }
            guard case .topic(.newest(let newest)) = answer else {
                exchange.take()?.respond(.failure(.unavailable), service)
                return leave()
            }
            cursor = StreamCursor(wish.request, newest: newest)
            perform { $0.begin(&$1) }
            perform { $0.heard(of: self.heard, &$1) }
        }
    }

    private func listen() {
        guard owner == nil, let found = topics.owner else { return }
        owner = found
        index.listen(self, to: found)
    }

    private func perform(_ event: (inout StreamCursor, inout [StreamAction]) -> Void) {
        var actions: [StreamAction] = []
        guard var cursor else { return }
        event(&cursor, &actions)
        self.cursor = cursor
        for action in actions where !isOver { perform(action) }
        if stream?.isCongested == true { self.cursor?.congested() }
    }

    private func perform(_ action: StreamAction) {
        switch action {
        case .open(let isTruncated): open(isTruncated)
        case .write(let placed):
            guard wish.passes(placed.message) else { return }
            write(NtfyJSON.message(placed.message, named: topics.name(of: placed.topic)))
        case .keepalive: writeEvent(.keepalive)
        case .read(let request):
            dialogue.load(.topic(.stream(request, subscription))) { [self] answer in
                if case .topic(.stream(let page)) = answer {
                    perform { $0.read(page, &$1) }
                } else {
                    perform { $0.unreadable(&$1) }
                }
            }
        case .wait: schedule(.tryAgain, after: Self.pause)
        case .end, .fail:
            exchange.take()?.respond(.failure(.unavailable), service)
            stream?.end()
            leave()
        }
    }

    private func open(_ isTruncated: Bool) {
        guard let exchange = exchange.take() else { return }
        var head = exchange.answer(200)
        head.fields.append("Content-Type", Self.framing.contentType)
        head.fields.append("Cache-Control", "no-store")
        if isTruncated {
            head.fields.append("X-Messages-Truncated", NtfyRoute.Stream.truncationField.value)
        }
        stream = exchange.stream(head, Self.terms, to: self)
        guard stream != nil else { return leave() }
        writeEvent(.open)
        schedule(.keepalive, after: Interval(.seconds(NtfyRoute.Stream.keepaliveSeconds)))
        if owner == nil { schedule(.look, after: Self.lookInterval) }
    }

    private func writeEvent(_ event: NtfyJSON.StreamEvent) {
        let id = TopicMessageID(number: .random(in: 0...(.max)))
        let line = NtfyJSON.event(
            event, id, time: Int64(service.now()), topics: wish.topic ?? "")
        write(line)
    }

    private func write(_ json: [UInt8]) {
        let line = json + [0x0A]
        stream?.write(line.span)
    }

    private func schedule(_ timer: Timer, after interval: Interval) {
        timers[timer] = routes.loop.schedule(after: interval, self, cookie: timer.rawValue)
    }

    /// Nothing comes to it any more.
    private func leave() {
        guard !isOver else { return }
        isOver = true
        cursor?.closed()
        if let owner { index.stopListening(self, to: owner) }
        for timer in timers.values { routes.loop.cancel(timer) }
        timers = [:]
        (exchange, stream) = (nil, nil)
        sessions.leave(self, with: caller.pass)
    }
}

extension MessageStream: StoreListener {
    func receive(_ news: [TopicNews]) {
        routes.loop.post { for item in news where !self.isOver { self.hear(item) } }
    }

    /// The store may have kept messages without reporting them.
    func storeReturned() {
        routes.loop.post { if self.wish.topic == nil { self.look() } else { self.catchUp() } }
    }

    private func hear(_ news: TopicNews) {
        guard cursor != nil else {
            heard = max(heard, news.position)
            return
        }
        guard !isLooking else { return held.append(news) }
        guard let name = topics.standIns[news.device] else {
            guard wish.topic == nil else { return }
            held.append(news)
            return look()
        }
        guard let message = news.message else {
            return perform { $0.heard(of: news.position, &$1) }
        }
        let placed = PlacedMessage(message, in: name, at: news.isKept ? news.position : nil)
        perform { $0.heard(placed, &$1) }
    }

    private func catchUp() {
        guard let owner = topics.owner, !isOver else { return }
        dialogue.load(.topic(.newest(owner: owner))) { [self] answer in
            guard case .topic(.newest(let newest)) = answer else { return }
            perform { $0.heard(of: newest, &$1) }
        }
    }
}

extension MessageStream: TimerHandler {
    func timerFired(_ cookie: UInt64) {
        guard let timer = Timer(rawValue: cookie), !isOver else { return }
        timers[timer] = nil
        switch timer {
        case .tryAgain: perform { $0.tryAgain(&$1) }
        case .keepalive:
            perform { $0.keepaliveDue(&$1) }
            schedule(.keepalive, after: Interval(.seconds(NtfyRoute.Stream.keepaliveSeconds)))
        case .look:
            guard owner == nil else { return }
            look()
            schedule(.look, after: Self.lookInterval)
        }
    }

    /// The owner may have other topics now.
    private func look() {
        isLooking = true
        routes.find(nil, caller) { [self] found in
            isLooking = false
            guard !isOver else { return }
            if case .success(let found) = found {
                topics = found
                listen()
                catchUp()
            }
            let news = held
            held = []
            for item in news where topics.standIns[item.device] != nil { hear(item) }
        }
    }
}

extension MessageStream: HTTPStreamHandler, PassHolder {
    func drained(_ stream: HTTPStream) { perform { $0.drained(&$1) } }

    func closed(_ stream: HTTPStream) { leave() }

    func passEnded() {
        exchange.take()?.respond(.failure(.unauthorized), service)
        stream?.end()
        leave()
    }
}
