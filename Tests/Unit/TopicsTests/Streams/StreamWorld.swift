import Base
import TestSupport

@testable import Topics

/// Simulates an owner's history, a loop that hears of commits late, and readers that come, stall and
/// go. Dice decide what happens to the real cursors, and what each reader got is compared with what
/// a plain list says.
final class StreamWorld {
    struct Stored {
        let placed: PlacedMessage
        let position: Int64
        var time: Int64 { placed.message.time }
        var id: TopicMessageID { placed.message.id }
    }

    final class Reader {
        let topics: Set<TopicName>
        let request: StreamRequest
        var cursor: StreamCursor
        /// The newest position of which the loop had been told.
        let newest: Int64
        /// What it has to get, once that is decided, and from where on everything.
        var expected: [Int64] = []
        var head: Int64?
        var received: [Int64] = []
        var fleeting: Set<TopicMessageID> = []
        var lastID: TopicMessageID?
        var requests: [StreamPageRequest] = []
        var pages: [StreamPage?] = []
        var opened = 0
        var ended = false
        var mustWait = false
        var isCongested = false
        /// What it was written since it is congested.
        var burden = 0

        init(
            _ topics: Set<TopicName>, _ request: StreamRequest, _ cursor: StreamCursor,
            newest: Int64
        ) {
            (self.topics, self.request, self.cursor) = (topics, request, cursor)
            self.newest = newest
        }
    }

    private static let topics = ["a", "b", "c"].compactMap(TopicName.init)
    private static let pageLimit = 8

    private var random: SeededGenerator
    private let prepare: (inout StreamCursor, inout ReplayRange) -> Void
    private var history: [Stored] = []
    private var evicted: Set<Int64> = []
    private var positions: [TopicMessageID: Int64] = [:]
    private var committed: [Stored] = []
    private var told = 0
    private var readers: [Reader] = []
    private var time: Int64 = 1_800_000_000
    private(set) var broken: String?

    init(
        seed: UInt64,
        prepare: @escaping (inout StreamCursor, inout ReplayRange) -> Void = { _, _ in }
    ) {
        random = SeededGenerator(seed: seed)
        self.prepare = prepare
    }

    /// Runs this many events. Returns how a promise was broken, or nil.
    func run(_ events: Int) -> String? {
        for _ in 0..<events where broken == nil { happen() }
        settle()
        return broken
    }

    private func roll(_ sides: Int) -> Int { Int.random(in: 0..<sides, using: &random) }

    private func happen() {
        switch roll(100) {
        case 0..<25: commit()
        case 25..<50: tell()
        case 50..<58: some { self.read($0) }
        case 58..<68: some { self.bring($0) }
        case 68..<70: subscribe(readers.randomElement(using: &random)?.lastID)
        case 71..<78:
            some {
                $0.isCongested = true; $0.cursor.congested()
            }
        case 78..<88: some { self.drain($0) }
        case 88..<92: some { self.retry($0) }
        case 92..<94: time += Int64(roll(3))
        case 94..<96: if roll(6) == 0 { evict() }
        case 96: fleet()
        case 97: some { reader in self.step(reader) { $0.keepaliveDue(&$1) } }
        case 98: if readers.count > 2 { leave() }
        default: if roll(10) == 0 { settle() }
        }
    }

    private func some(_ body: (Reader) -> Void) {
        if let reader = readers.randomElement(using: &random) { body(reader) }
    }
}

/// What happens in the store.
extension StreamWorld {
    private func message(_ position: Int64?) -> PlacedMessage {
        var content = TopicContent()
        content.priority = roll(3) == 0 ? 5 : 0
        let message = TopicMessage(
            id: TopicMessageID(number: random.next()), time: time, content)
        return PlacedMessage(message, in: Self.topics[roll(3)], at: position)
    }

    private func commit() {
        let position = (committed.last?.position ?? 0) + 1 + Int64(roll(2))
        let stored = Stored(placed: message(position), position: position)
        positions[stored.id] = position
        history.append(stored)
        committed.append(stored)
    }

    private func evict() {
        for stored in history.prefix(roll(4)) { evicted.insert(stored.position) }
        history.removeAll { evicted.contains($0.position) }
    }

    private func read(_ reader: Reader) {
        guard !reader.requests.isEmpty else { return }
        let request = reader.requests.removeFirst()
        guard roll(12) > 0 else { return reader.pages.append(nil) }
        let newest = committed.last?.position ?? 0
        var plan: ReplayPlan?
        var (range, after, through) = (ReplayRange(.everything, through: .max), Int64.min, newest)
        switch request {
        case .replay(let since):
            plan = self.plan(since, reader)
            range = plan?.range ?? range
            expect(since, reader, newest)
        case .replayed(let replayed, let place):
            (range, after, through) = (replayed, place, replayed.through)
        case .missed(let place): after = place
        }
        let found = history.filter {
            reader.topics.contains($0.placed.topic) && $0.position > after && $0.position <= through
                && range.has($0.position, time: $0.time, topic: $0.placed.topic)
        }
        let page = found.prefix(1 + roll(Self.pageLimit))
        let isLast = page.count == found.count
        reader.pages.append(
            StreamPage(
                page.map(\.placed), through: isLast ? through : page.last?.position ?? through,
                plan: plan))
    }

    private func plan(_ since: StreamSince, _ reader: Reader) -> ReplayPlan {
        var position: Int64?
        if case .id(let id) = since { position = positions[id] }
        var plan = ReplayPlan(since, position: position, newest: committed.last?.position ?? 0)
        prepare(&reader.cursor, &plan.range)
        for stored in history.reversed() where reader.topics.contains(stored.placed.topic) {
            plan.count(stored.position, time: stored.time, topic: stored.placed.topic, size: 100)
        }
        return plan
    }

    /// What the replay has, said without the code that is tested.
    private func expect(_ since: StreamSince, _ reader: Reader, _ newest: Int64) {
        let mine = history.filter { reader.topics.contains($0.placed.topic) }
        let wanted: [Stored]
        switch since {
        case .nothing: wanted = []
        case .everything: wanted = mine
        case .latest:
            wanted = mine.filter { one in
                !mine.contains {
                    $0.placed.topic == one.placed.topic && $0.position > one.position
                }
            }
        case .id(let id):
            wanted = positions[id].map { place in mine.filter { $0.position > place } } ?? mine
        case .time(let time): wanted = mine.filter { $0.time >= time }
        }
        reader.expected = wanted.filter { reader.request.filter.passes($0.placed.message) }
            .map(\.position)
        reader.head = newest
    }
}

/// What happens at the loop.
extension StreamWorld {
    private func subscribe(_ lastID: TopicMessageID?) {
        let topics = Set(Self.topics.filter { _ in roll(3) > 0 } + [Self.topics[0]])
        var fields = NtfyFields()
        func say(_ name: String, _ value: String) {
            fields.record(Array(name.utf8).span, Array(value.utf8).span)
        }
        switch roll(6) {
        case 0: say("since", "all")
        case 1: say("since", "\(time - Int64(roll(4)))")
        case 2: say("since", "latest")
        case 3: say("since", "AAAAAAAAAAAA")
        case 4: if let lastID { say("since", lastID.text) }
        default: break
        }
        if roll(4) == 0 { say("poll", "1") }
        if roll(4) == 0 { say("priority", "5") }
        guard let request = try? StreamRequest(Array(topics), as: .json, fields, now: time) else {
            return fail("a request was refused")
        }
        let newest = told == 0 ? 0 : committed[told - 1].position
        let reader = Reader(
            topics, request, StreamCursor(request, newest: newest), newest: newest)
        if request.since == .nothing { reader.head = newest }
        var range = ReplayRange(.everything, through: .max)
        prepare(&reader.cursor, &range)
        readers.append(reader)
        step(reader) { $0.begin(&$1) }
    }

    private func tell() {
        guard told < committed.count else { return }
        let stored = committed[told]
        told += 1
        for reader in readers where reader.topics.contains(stored.placed.topic) {
            step(reader) { cursor, actions in
                if self.roll(5) == 0 {
                    cursor.heard(of: stored.position, &actions)
                } else {
                    cursor.heard(stored.placed, &actions)
                }
            }
        }
    }

    private func fleet() {
        let message = message(nil)
        for reader in readers { step(reader) { $0.heard(message, &$1) } }
    }

    private func bring(_ reader: Reader) {
        guard !reader.pages.isEmpty else { return }
        let page = reader.pages.removeFirst()
        step(reader) { cursor, actions in
            if let page { cursor.read(page, &actions) } else { cursor.unreadable(&actions) }
        }
    }

    private func drain(_ reader: Reader) {
        guard reader.isCongested else { return }
        (reader.isCongested, reader.burden) = (false, 0)
        step(reader) { $0.drained(&$1) }
    }

    private func retry(_ reader: Reader) {
        guard reader.mustWait else { return }
        reader.mustWait = false
        step(reader) { $0.tryAgain(&$1) }
    }

    private func leave() {
        let reader = readers.remove(at: roll(readers.count))
        reader.cursor.closed()
        step(reader) { $0.tryAgain(&$1) }
        if reader.cursor.isEnded == false { fail("a closed stream goes on") }
    }

    private func step(_ reader: Reader, _ body: (inout StreamCursor, inout [StreamAction]) -> Void)
    {
        var actions: [StreamAction] = []
        body(&reader.cursor, &actions)
        for action in actions { perform(action, reader) }
    }

    private func perform(_ action: StreamAction, _ reader: Reader) {
        if reader.ended { fail("something follows the end") }
        switch action {
        case .open(let isTruncated):
            reader.opened += 1
            if reader.opened > 1 || isTruncated { fail("opened twice, or truncated") }
        case .write(let placed):
            if reader.opened == 0 { fail("written before the head") }
            reader.burden += reader.isCongested ? 1 : 0
            if reader.burden > Self.pageLimit { fail("a stalled reader costs too much") }
            if !reader.request.filter.passes(placed.message) { fail("unwanted") }
            guard let position = placed.position else {
                return reader.fleeting.insert(placed.message.id).inserted ? () : fail("twice")
            }
            if position <= reader.received.last ?? .min { fail("twice or in disorder") }
            reader.received.append(position)
            reader.lastID = placed.message.id
        case .keepalive: if reader.opened == 0 || reader.request.isPoll { fail("keepalive") }
        case .read(let request):
            if reader.isCongested { fail("a congested reader reads") }
            if !reader.requests.isEmpty || !reader.pages.isEmpty { fail("two pages at once") }
            reader.requests.append(request)
        case .wait: reader.mustWait = true
        case .end, .fail:
            reader.ended = true
            if case .fail = action { reader.head = nil }
        }
    }

    private func fail(_ text: String) { broken = broken ?? text }

    /// Lets everything come to its end, and checks that each reader has what it has to.
    private func settle() {
        var rounds = 0
        while broken == nil, rounds < 2_000 {
            rounds += 1
            while told < committed.count { tell() }
            for reader in readers {
                drain(reader)
                retry(reader)
                read(reader)
                bring(reader)
            }
            if readers.allSatisfy({ $0.requests.isEmpty && $0.pages.isEmpty && !$0.mustWait }) {
                break
            }
        }
        if rounds == 2_000 { fail("it never comes to rest") }
        readers.forEach(check)
        readers.removeAll { $0.ended }
    }

    private func check(_ reader: Reader) {
        guard broken == nil else { return }
        if reader.ended != reader.request.isPoll { return fail("an end that is none") }
        guard let head = reader.head else { return }
        var expected = reader.expected
        if !reader.request.isPoll {
            expected += committed.filter {
                $0.position > head && reader.topics.contains($0.placed.topic)
                    && reader.request.filter.passes($0.placed.message)
            }.map(\.position)
        }
        let received = Set(reader.received)
        let unexpected = received.subtracting(expected)
        let missing = expected.filter { !received.contains($0) && !evicted.contains($0) }
        if !unexpected.isEmpty { fail("\(reader.request.since): \(unexpected.count) too many") }
        if !missing.isEmpty { fail("\(reader.request.since): \(missing.count) missing") }
    }
}
