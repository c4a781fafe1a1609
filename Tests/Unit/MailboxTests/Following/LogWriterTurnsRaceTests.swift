import TestSupport
import Testing

@testable import Mailbox

@Suite("Stores at different distances from their log")
struct LogWriterTurnsRaceTests {
    /// In milliseconds, one way. How many entries stores of such distances write in ten seconds, if
    /// each always has something to write.
    private static func entries(_ distances: [Int64]) -> LogRace {
        LogRace(distances).after(10_000)
    }

    private static let near = entries([0, 0, 0]).counts

    @Test(
        "One that is far away leaves the others most of what they write",
        arguments: [5, 10, 25, 50, 75, 100, 150, 200, 300, 400] as [Int64])
    func distance(_ distance: Int64) {
        let far = Self.entries([0, 0, distance])
        #expect(5 * (far.counts[0] + far.counts[1]) >= 4 * (Self.near[0] + Self.near[1]))
        // Who gets to write does so again and again. Who does not says so.
        #expect(far.isShutOut[2] == (far.counts[2] < 5))
        #expect(!far.isShutOut[0] && !far.isShutOut[1])
    }

    @Test("Two that are far away do not stop the third")
    func two() {
        let alone = Self.entries([0]).counts[0]
        let far = Self.entries([0, 150, 200]).counts
        #expect(2 * far[0] >= alone)
    }
}

/// Stores that write to one log without a pause, on a clock of whole milliseconds.
private struct LogRace {
    /// On its way to the log.
    private struct Message {
        let writer: Int
        let arrival: Int64
        let sent: Int64
        /// Nil if it only asks.
        let after: Int?
    }

    private struct Store {
        let distance: Int64
        var names: EntryNames
        var turns = LogWriterTurns()
        /// So many entries of the log it has.
        var known = 0
        var count = 0
        var ready: Int64 = 0
        /// What it sent and has no answer to.
        var open: (sent: Int64, after: Int)?
        var answer: (at: Int64, isStored: Bool)?
    }

    private var log: [(writer: Int, isAsking: Bool, at: Int64)] = []
    private var stores: [Store]
    private var messages: [Message] = []
    private var random = SeededGenerator(seed: 5)
    private var now: Int64 = 0

    init(_ distances: [Int64]) {
        stores = distances.enumerated().map { index, distance in
            Store(distance: distance, names: EntryNames(startingAt: UInt64(index + 1) << 40))
        }
    }

    var counts: [Int] { stores.map(\.count) }
    var isShutOut: [Bool] { stores.map { $0.turns.isShutOut(at: now) } }

    func after(_ duration: Int64) -> LogRace {
        var race = self
        for now in 0..<duration { race.pass(now) }
        return race
    }

    private mutating func pass(_ now: Int64) {
        self.now = now
        let arrived = messages.filter { $0.arrival == now }
        messages.removeAll { $0.arrival == now }
        for message in arrived { receive(message) }
        for index in stores.indices {
            takeAnswer(index)
            follow(index)
            write(index)
        }
    }

    /// At the log.
    private mutating func receive(_ message: Message) {
        let isNext = message.after.map { $0 == log.count } ?? true
        if isNext { log.append((message.writer, message.after == nil, now)) }
        let store = stores[message.writer]
        guard message.after != nil, store.open?.sent == message.sent else { return }
        stores[message.writer].answer = (now + store.distance, isNext)
    }

    private mutating func takeAnswer(_ index: Int) {
        guard let (at, isStored) = stores[index].answer, at <= now, let open = stores[index].open
        else { return }
        guard isStored else { return cameTooLate(index) }
        stores[index].turns.wrote(from: open.sent, to: now)
        stores[index].known = open.after + 1
        stores[index].count += 1
        rest(index)
    }

    private mutating func follow(_ index: Int) {
        let store = stores[index]
        while stores[index].known < log.count {
            let known = stores[index].known
            let entry = log[known]
            guard entry.at + store.distance <= now else { return }
            let isOwn = entry.writer == index
            // The answer says that it is there.
            if isOwn, !entry.isAsking, stores[index].open != nil { return }
            stores[index].known += 1
            if !isOwn {
                let name = stores[entry.writer].names.next()
                let writer = CommitEntry(
                    name: name, position: 0, sequence: 0, changes: [], schema: 14
                ).writer
                stores[index].turns.followed(writer, asks: entry.isAsking, at: now)
            }
            if stores[index].open?.after == known { cameTooLate(index) }
        }
    }

    private mutating func cameTooLate(_ index: Int) {
        stores[index].turns.cameTooLate(at: now)
        if stores[index].turns.asks(at: now) { send(index, nil) }
        rest(index)
    }

    /// Until the next batch is ready.
    private mutating func rest(_ index: Int) {
        (stores[index].open, stores[index].answer) = (nil, nil)
        stores[index].ready = now + Int64.random(in: 1...3, using: &random)
    }

    private mutating func write(_ index: Int) {
        let store = stores[index]
        guard store.open == nil, now >= store.ready, store.turns.rest(at: now) == 0 else { return }
        stores[index].open = (now, store.known)
        send(index, store.known)
    }

    private mutating func send(_ index: Int, _ after: Int?) {
        let arrival = now + stores[index].distance + 1
        messages.append(Message(writer: index, arrival: arrival, sent: now, after: after))
    }
}
