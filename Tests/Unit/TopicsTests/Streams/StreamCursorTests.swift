import Testing

@testable import Topics

@Suite("What a stream sends")
struct StreamCursorTests {
    private static let topic = TopicName("a")

    private static func cursor(_ query: String = "", newest: Int64 = 5) throws -> StreamCursor {
        var fields = NtfyFields()
        fields.record(query: Array(query.utf8).span)
        let request = try StreamRequest(
            [try #require(topic)], as: .json, fields, now: 1_800_000_000)
        return StreamCursor(request, newest: newest)
    }

    private static func placed(_ position: Int64?) throws -> PlacedMessage {
        let id = TopicMessageID(number: UInt64(position ?? 99))
        return PlacedMessage(
            TopicMessage(id: id, time: 0), in: try #require(topic), at: position)
    }

    /// What the actions are, in words.
    private static func words(_ actions: [StreamAction]) -> [String] {
        actions.map { action in
            switch action {
            case .open(let isTruncated): isTruncated ? "open truncated" : "open"
            case .write(let placed): "write \(placed.position.map(String.init) ?? "-")"
            case .keepalive: "keepalive"
            case .read(.replay): "replay"
            case .read(.replayed(let range, let after)): "read \(after)-\(range.through)"
            case .read(.missed(let after)): "read \(after)-"
            case .wait: "wait"
            case .end: "end"
            case .fail: "fail"
            }
        }
    }

    private func step(
        _ cursor: inout StreamCursor,
        _ body: (inout StreamCursor, inout [StreamAction]) throws -> Void
    ) rethrows -> [String] {
        var actions: [StreamAction] = []
        try body(&cursor, &actions)
        return Self.words(actions)
    }

    @Test("Without since only what comes is sent, and what came before the reader is not")
    func following() throws {
        var cursor = try Self.cursor()
        #expect(step(&cursor) { $0.begin(&$1) } == ["open"])
        #expect(try step(&cursor) { $0.heard(try Self.placed(5), &$1) } == [])
        #expect(try step(&cursor) { $0.heard(try Self.placed(7), &$1) } == ["write 7"])
        #expect(step(&cursor) { $0.keepaliveDue(&$1) } == ["keepalive"])
        #expect(try step(&cursor) { $0.heard(try Self.placed(nil), &$1) } == ["write -"])
    }

    @Test("What the owner has closed is told to the owner alone, and leaves no gap for others")
    func dismissed() throws {
        for isOwners in [true, false] {
            var request = try StreamRequest(
                [try #require(Self.topic)], as: .json, NtfyFields(), now: 1_800_000_000)
            request.isOwners = isOwners
            var cursor = StreamCursor(request, newest: 5)
            _ = step(&cursor) { $0.begin(&$1) }
            let event = TopicMessage(id: TopicMessageID(number: 1), .dismissal, time: 0)
            let told = PlacedMessage(event, in: try #require(Self.topic), at: 6)
            #expect(step(&cursor) { $0.heard(told, &$1) } == (isOwners ? ["write 6"] : []))
            #expect(try step(&cursor) { $0.heard(try Self.placed(7), &$1) } == ["write 7"])
            #expect(TopicMessage.Kind.dismissal.event == "message_clear")
        }
    }

    @Test("What is committed during the replay comes after it, once")
    func replay() throws {
        var cursor = try Self.cursor("since=all")
        #expect(step(&cursor) { $0.begin(&$1) } == ["replay"])
        #expect(try step(&cursor) { $0.heard(try Self.placed(6), &$1) } == [])
        #expect(step(&cursor) { $0.keepaliveDue(&$1) } == [])
        let first = StreamPage(
            [try Self.placed(2)], through: 2, plan: ReplayPlan(.everything, newest: 6))
        #expect(step(&cursor) { $0.read(first, &$1) } == ["open", "write 2", "read 2-6"])
        #expect(try step(&cursor) { $0.heard(try Self.placed(8), &$1) } == [])
        // What is not due yet follows, without a position.
        let last = StreamPage(
            [try Self.placed(6), try Self.placed(nil)], through: 6)
        #expect(step(&cursor) { $0.read(last, &$1) } == ["write 6", "write -", "read 6-"])
        let missed = StreamPage([try Self.placed(8)], through: 8)
        #expect(step(&cursor) { $0.read(missed, &$1) } == ["write 8"])
        #expect(try step(&cursor) { $0.heard(try Self.placed(8), &$1) } == [])
        #expect(try step(&cursor) { $0.heard(try Self.placed(9), &$1) } == ["write 9"])
    }

    @Test("A reader that stalls gets nothing, and the store is read from its place on later")
    func stalled() throws {
        var cursor = try Self.cursor()
        _ = step(&cursor) { $0.begin(&$1) }
        cursor.congested()
        for position in 6...9 as ClosedRange<Int64> {
            #expect(try step(&cursor) { $0.heard(try Self.placed(position), &$1) } == [])
        }
        #expect(try step(&cursor) { $0.heard(try Self.placed(nil), &$1) } == [])
        #expect(step(&cursor) { $0.keepaliveDue(&$1) } == [])
        #expect(step(&cursor) { $0.drained(&$1) } == ["read 5-"])
        cursor.congested()
        let page = StreamPage([try Self.placed(6)], through: 6)
        #expect(step(&cursor) { $0.read(page, &$1) } == ["write 6"])
        #expect(step(&cursor) { $0.drained(&$1) } == ["read 6-"])
        let rest = StreamPage(
            [try Self.placed(7), try Self.placed(9)], through: 9)
        #expect(step(&cursor) { $0.read(rest, &$1) } == ["write 7", "write 9"])
        #expect(MemoryLayout<StreamCursor>.size <= 160)
    }

    @Test("A poll is the replay and the end, with nothing that comes meanwhile")
    func poll() throws {
        var cursor = try Self.cursor("poll=1")
        #expect(step(&cursor) { $0.begin(&$1) } == ["replay"])
        var plan = ReplayPlan(.everything, newest: 5)
        plan.evicted(1, time: 0, topic: try #require(Self.topic))
        let page = StreamPage([try Self.placed(2)], through: 5, plan: plan)
        #expect(step(&cursor) { $0.read(page, &$1) } == ["open truncated", "write 2", "end"])
        #expect(try step(&cursor) { $0.heard(try Self.placed(6), &$1) } == [])
        #expect(cursor.isEnded)
        var long = try Self.cursor("poll=1")
        _ = step(&long) { $0.begin(&$1) }
        let first = StreamPage([try Self.placed(2)], through: 2, plan: plan)
        #expect(step(&long) { $0.read(first, &$1) } == ["open truncated", "write 2", "read 2-5"])
        #expect(try step(&long) { $0.heard(try Self.placed(nil), &$1) } == [])
        var none = try Self.cursor("poll=1&since=none")
        #expect(step(&none) { $0.begin(&$1) } == ["open", "end"])
    }

    @Test("A store that fails is asked again, but a poll fails")
    func failures() throws {
        var cursor = try Self.cursor("since=all")
        _ = step(&cursor) { $0.begin(&$1) }
        #expect(step(&cursor) { $0.unreadable(&$1) } == ["wait"])
        #expect(try step(&cursor) { $0.heard(try Self.placed(6), &$1) } == [])
        #expect(step(&cursor) { $0.tryAgain(&$1) } == ["replay"])
        var poll = try Self.cursor("poll=1")
        _ = step(&poll) { $0.begin(&$1) }
        #expect(step(&poll) { $0.unreadable(&$1) } == ["fail"])
        #expect(step(&poll) { $0.tryAgain(&$1) } == [])
    }

    @Test("What another store committed is read")
    func elsewhere() throws {
        var cursor = try Self.cursor()
        _ = step(&cursor) { $0.begin(&$1) }
        #expect(step(&cursor) { $0.heard(of: 5, &$1) } == [])
        #expect(step(&cursor) { $0.heard(of: 6, &$1) } == ["read 5-"])
        cursor.closed()
        let page = StreamPage([try Self.placed(6)], through: 6)
        #expect(step(&cursor) { $0.read(page, &$1) } == [])
    }
}
