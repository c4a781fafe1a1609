import Testing

@testable import Topics

@Suite("What a reader subscribes to")
struct StreamRequestTests {
    private static let now: Int64 = 1_800_000_000

    private static func request(
        header: [(String, String)] = [], query: String = "", _ topics: [String] = ["a"]
    ) throws -> StreamRequest {
        var fields = NtfyFields()
        for (name, value) in header { fields.record(Array(name.utf8).span, Array(value.utf8).span) }
        fields.record(query: Array(query.utf8).span)
        return try StreamRequest(
            topics.compactMap(TopicName.init), as: .json, fields, now: now)
    }

    @Test(
        "Since when",
        arguments: [
            ("", .nothing), ("since=none", .nothing), ("since=all", .everything),
            ("since=latest", .latest), ("poll=1", .everything), ("poll=1&since=none", .nothing),
            ("po=yes&si=latest", .latest), ("x-since=5", .time(5)), ("since=-1", .time(-1)),
            ("since=1700000000", .time(1_700_000_000)), ("since=10m", .time(now - 600)),
            ("since=1h30m", .time(now - 5_400)), ("since=0", .time(0)),
        ] as [(String, StreamSince)])
    func since(_ query: String, _ since: StreamSince) throws {
        #expect(try Self.request(query: query).since == since)
    }

    @Test("Twelve letters and digits are an id, also if they are all digits")
    func ids() throws {
        for text in ["nFS3knfcQ1xe", "123456789012"] {
            #expect(
                try Self.request(query: "since=\(text)").since
                    == .id(try #require(TopicMessageID(text))))
        }
        #expect(try Self.request(query: "since=1234567890123").since == .time(1_234_567_890_123))
    }

    @Test(arguments: [
        "1d", "yesterday", "All", "nFS3knfcQ1x", "nFS3knfcQ1x-", "1.5", "m", "99999999999999999999",
    ])
    func noSince(_ word: String) {
        #expect(throws: NtfyRefusal.badSince) { try Self.request(query: "since=\(word)") }
    }

    @Test("Header fields count before the query, by all their names")
    func flags() throws {
        let request = try Self.request(
            header: [("X-Poll", "no"), ("Scheduled", "1"), ("Priority", "u=4")],
            query: "poll=1&sched=0&p=high", ["a", "b", "a"])
        #expect(!request.isPoll && request.wantsScheduled)
        #expect(request.filter.passes(Self.message(priority: 4)))
        #expect(!request.filter.passes(Self.message(priority: 3)))
        // As the reader wrote it.
        #expect(request.list == "a,b,a")
        #expect(String(describing: request) == "<StreamRequest>")
    }

    private static func message(
        _ text: String = "", title: String = "", priority: UInt8 = 0, gotify: Int64? = nil,
        tags: [String] = [], kind: TopicMessage.Kind = .message
    ) -> TopicMessage {
        var content = TopicContent()
        (content.text, content.title, content.priority) = (text, title, priority)
        (content.tags, content.gotifyPriority) = (tags, gotify)
        return TopicMessage(id: TopicMessageID(number: 7), kind, time: 0, content)
    }

    @Test(
        "Filters: exact texts, any of the priorities, all of the tags",
        arguments: [
            ("", message(), true), ("id=AAAAAAAAAAAH", message(), true),
            ("id=AAAAAAAAAAAI", message(), false), ("message=x+y", message("x y"), true),
            ("m=x", message("X"), false), ("title=x", message(title: "x"), true),
            ("t=x", message("x"), false), ("priority=high,5", message(priority: 4), true),
            ("p=4,urgent", message(priority: 5), true), ("prio=4,5", message(priority: 3), false),
            ("p=3", message(), true), ("p=default", message(priority: 3), true),
            ("p=1", message(), false), ("p=max", message(gotify: 10), true),
            ("p=,2,", message(priority: 2), true),
            ("tags=a,b", message(tags: ["b", "c", "a"]), true),
            ("ta=a,b", message(tags: ["a"]), false), ("tag=+a+", message(tags: ["a"]), true),
            ("tags=a&p=1", message(priority: 1), false),
            ("title=x", message(kind: .delete), false),
            ("id=AAAAAAAAAAAH", message(kind: .clear), true),
        ])
    func filters(_ query: String, _ message: TopicMessage, _ passes: Bool) throws {
        #expect(try Self.request(query: query).filter.passes(message) == passes)
    }

    @Test(arguments: ["0", "6", "highest", "1,x"])
    func noPriority(_ word: String) {
        #expect(throws: NtfyRefusal.badPriority) { try Self.request(query: "priority=\(word)") }
    }
}

@Suite("What a replay has")
struct ReplayPlanTests {
    private static let topics = ["a", "b"].compactMap(TopicName.init)
    /// Position, time, topic.
    private static let history: [(Int64, Int64, Int)] = [
        (1, 10, 0), (3, 10, 1), (4, 11, 0), (7, 11, 0), (8, 11, 1), (9, 12, 0),
    ]

    private static func plan(
        _ since: StreamSince, position: Int64? = nil, size: Int = 100
    ) -> ReplayPlan {
        var plan = ReplayPlan(since, position: position, newest: 9)
        for (position, time, topic) in history.reversed() {
            plan.count(position, time: time, topic: topics[topic], size: size)
        }
        return plan
    }

    private static func positions(_ plan: ReplayPlan) -> [Int64] {
        history.filter { plan.range.has($0.0, time: $0.1, topic: topics[$0.2]) }.map(\.0)
    }

    private static let id = TopicMessageID(number: 1)

    @Test(
        "After an id, from a time on, the newest, or everything",
        arguments: [
            (.nothing, nil, []), (.everything, nil, [1, 3, 4, 7, 8, 9]), (.latest, nil, [8, 9]),
            (.id(id), nil, [1, 3, 4, 7, 8, 9]), (.id(id), 4, [7, 8, 9]),
            // The message itself is gone, or belongs to another topic.
            (.id(id), 5, [7, 8, 9]), (.id(id), 9, []), (.time(11), nil, [4, 7, 8, 9]),
            (.time(12), nil, [9]), (.time(13), nil, []), (.time(-5), nil, [1, 3, 4, 7, 8, 9]),
        ] as [(StreamSince, Int64?, [Int64])])
    func since(_ since: StreamSince, _ position: Int64?, _ positions: [Int64]) {
        let plan = Self.plan(since, position: position)
        #expect(Self.positions(plan) == positions)
        #expect(!plan.isTruncated)
        // What is committed later is no part of it.
        #expect(!plan.range.has(10, time: 20, topic: Self.topics[0]))
    }

    @Test("Of each topic the newest messages are replayed, up to ten MiB")
    func tooMuch() {
        let half = ReplayPlan.bytesOfTopic / 2
        let full = Self.plan(.everything, size: half)
        #expect(Self.positions(full) == [3, 7, 8, 9] && full.isTruncated)
        let over = Self.plan(.everything, size: half + 1)
        #expect(Self.positions(over) == [8, 9] && over.isTruncated)
        let enough = Self.plan(.id(Self.id), position: 4, size: half)
        #expect(Self.positions(enough) == [7, 8, 9] && !enough.isTruncated)
        let newest = Self.plan(.latest, size: half * 3)
        #expect(Self.positions(newest) == [8, 9] && !newest.isTruncated)
    }

    @Test(
        "What was removed is missing if the reader asked for it",
        arguments: [
            (.everything, nil, true), (.id(id), 0, false), (.id(id), -1, true),
            (.id(id), nil, true),
            (.time(9), nil, true), (.time(10), nil, false), (.latest, nil, false),
            (.nothing, nil, false),
        ] as [(StreamSince, Int64?, Bool)])
    func evicted(_ since: StreamSince, _ position: Int64?, _ isTruncated: Bool) {
        var plan = Self.plan(since, position: position)
        plan.evicted(0, time: 9, topic: Self.topics[0])
        #expect(plan.isTruncated == isTruncated)
        // Nothing is left of a topic, not even the newest message.
        var empty = ReplayPlan(since, position: position, newest: 9)
        empty.evicted(0, time: 9, topic: Self.topics[0])
        #expect(empty.isTruncated == (isTruncated || since == .latest))
    }
}
