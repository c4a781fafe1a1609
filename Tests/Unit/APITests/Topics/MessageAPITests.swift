import API
import Base
import Crypto
import Delivery
import Foundation
import Testing
import WebPush

@testable import Mailbox
@testable import PushService
@testable import Topics

@Suite("What came to topics, over the API")
struct MessageAPITests {
    private let fixture: PushFixture
    private let bearer: String

    init() throws {
        fixture = try PushFixture()
        bearer = try fixture.addCredential()
    }

    /// Returns the number of its registration.
    private func addTopic(_ name: String, bearer: String? = nil) throws -> UInt32 {
        let answer = try fixture.api(
            "POST", "registrations", bearer: bearer ?? self.bearer,
            #"{"token_type":10,"app":"script","account":"\#(name)","trust_clear":true}"#)
        #expect(answer.status == 201, "\(answer.text)")
        return fixture.store.index.counters.device
    }

    @discardableResult
    private func post(
        _ text: String, to device: UInt32, _ kind: TopicMessage.Kind = .message,
        time: Int64 = 100, tags: [String] = [], lifetime: UInt32 = 3_600, waits: Bool = true
    ) throws -> TopicMessageID {
        var random = RandomSupply()
        let id = TopicMessageID(number: try random.word())
        var content = TopicContent()
        (content.text, content.tags) = (text, tags)
        let message = TopicMessage(id: id, kind, time: time, content)
        let sink = OneAnswer()
        fixture.store.submit(
            .registration(
                .post(
                    TopicPost(message, keptFor: lifetime),
                    Address(subscription: 0, device: device))),
            ticket: 0, to: sink)
        if waits { sink.wait() }
        return id
    }

    private func page(_ query: String = "", bearer: String? = nil) throws -> HTTPAnswer {
        try fixture.api("GET", "messages\(query)", bearer: bearer ?? self.bearer)
    }

    /// The texts, newest first.
    private func texts(_ query: String = "") throws -> [String] {
        let answer = try page(query)
        #expect(answer.status == 200, "\(answer.text)")
        let messages = try answer.object()["messages"] as? [[String: Any]] ?? []
        return messages.map { $0["message"] as? String ?? "" }
    }

    @Test("What came to the caller's topics is listed, newest first, as ntfy writes it")
    func list() throws {
        #expect(try page().text == #"{"messages":[]}"#)
        let builds = try addTopic("builds")
        let nightly = try addTopic("nightly build")
        let id = try post("one", to: builds, tags: ["tada"])
        try post("two", to: nightly)
        try post("", to: builds, .clear)
        try post("gone", to: builds, lifetime: 0)
        #expect(try texts() == ["two", "one"])
        #expect(try texts("?topic=nightly%20build") == ["two"])
        let one = try page("?topic=builds").text
        #expect(
            one == #"{"messages":[{"id":"\#(id.text)","time":100,"event":"message","#
                + #""topic":"builds","message":"one","tags":["tada"]}]}"#)
        let byID = try fixture.api("GET", "registrations", bearer: bearer).object()
        let topics = try #require(byID["registrations"] as? [[String: Any]])
        let first = try #require(topics.first { $0["account"] as? String == "builds" })
        #expect(try texts("?topic=\(try #require(first["id"] as? String))") == ["one"])
    }

    private func take(_ id: String, _ messages: String, _ rest: String = "") throws -> HTTPAnswer {
        try fixture.api(
            "POST", "messages", bearer: bearer,
            #"{"registration":"\#(id)","messages":[\#(messages)]\#(rest)}"#)
    }

    @Test("What another server has kept is taken, with a word for each message")
    func taken() throws {
        _ = try addTopic("builds")
        let byID = try fixture.api("GET", "registrations", bearer: bearer).object()
        let topics = try #require(byID["registrations"] as? [[String: Any]])
        let id = try #require(topics.first?["id"] as? String)
        let now = Int(Date().timeIntervalSince1970)
        let messages =
            #"{"id":"AAAAAAAAAAAA","time":\#(now - 60),"message":"one","tags":["tada"]},"#
            + #"{"id":"nothing"},"#
            + #"{"id":"zzzzzzzzzzzz","time":\#(now - 50),"message":"two","gotify":true},"#
            + #"{"id":"BBBBBBBBBBBB","time":5,"message":"old"}"#
        func results(_ answer: HTTPAnswer) throws -> [String]? {
            try answer.object()["results"] as? [String]
        }
        let words = ["taken", "unreadable", "taken", "expired"]
        #expect(try results(try take(id, messages, #","dry_run":true"#)) == words)
        #expect(try texts().isEmpty)
        let answer = try take(id, messages)
        #expect(try results(answer) == words, "\(answer.text)")
        let room = try #require(try answer.object()["room"] as? [String: Any])
        #expect(room["messages"] as? Int == 9_998)
        #expect(try texts() == ["two", "one"])
        #expect(try results(try take(id, messages)) == ["known", "unreadable", "known", "expired"])
        #expect(try take("AAAAAAAAAAAAAAAAAAAAAA", "").code == "404/1002")
        #expect(try take(id, "", #","dry_run":7"#).code == "400/1000")
        let many = Array(repeating: "0", count: 501).joined(separator: ",")
        #expect(try take(id, many).code == "400/1000")
        let other = try fixture.addCredential(owner: "other")
        let refused = try fixture.api(
            "POST", "messages", bearer: other, #"{"registration":"\#(id)","messages":[]}"#)
        #expect(refused.code == "404/1002")
    }

    @Test("What was closed on a screen, or cleared by its sender, says so; a later state does not")
    func cleared() throws {
        _ = try addTopic("t")
        let ids = try ["a", "b", "c"].map { try fixture.ntfy("POST", "/t", bearer, $0).text("id") }
        _ = try fixture.ntfy("PUT", "/t/\(ids[0])/clear", bearer)
        let screen = try EngineViewer(
            fixture, bearer: bearer, account: "t", app: AccountName.scripts)
        let (group, shown) = try #require(screen.screen.first)
        let id = try #require(shown.first { $0.value == "b" }?.key)
        try screen.ask(
            #"{"@type":"removeNotification","notification_group_id":\#(group),"#
                + #""notification_id":\#(id)}"#)
        _ = try fixture.ntfy("POST", "/t/\(ids[1])", bearer, "d")
        func cleared(_ query: String) throws -> [String] {
            let messages = try page(query).object()["messages"] as? [[String: Any]] ?? []
            return messages.filter { $0["cleared"] as? Bool == true }
                .map { $0["message"] as? String ?? "" }
        }
        #expect(try texts() == ["d", "c", "b", "a"])
        #expect(try cleared("") == ["b", "a"])
        #expect(try cleared("?search=b") == ["b"])
        #expect(try cleared("?search=d") == [])
    }

    @Test("A page says where the next one begins; all of them together have everything once")
    func pages() throws {
        let topics = [try addTopic("a"), try addTopic("b")]
        for number in 0..<7 { try post("\(number)", to: topics[number % 2]) }
        var (found, query) = ([String](), "?limit=3")
        while true {
            let object = try page(query).object()
            let messages = object["messages"] as? [[String: Any]] ?? []
            #expect(messages.count <= 3)
            found += messages.compactMap { $0["message"] as? String }
            guard let before = object["before"] as? Int else { break }
            query = "?limit=3&before=\(before)"
        }
        #expect(found == ["6", "5", "4", "3", "2", "1", "0"])
    }

    @Test("since takes a time or a message; a message that is unknown leaves out nothing")
    func since() throws {
        let topic = try addTopic("builds")
        try post("old", to: topic, time: 100)
        let id = try post("middle", to: topic, time: 200)
        try post("new", to: topic, time: 300)
        #expect(try texts("?since=200") == ["new", "middle"])
        #expect(try texts("?since=\(id.text)") == ["new"])
        #expect(try texts("?since=all").count == 3)
        #expect(try texts("?since=AAAAAAAAAAAA").count == 3)
        for wrong in ["since=tomorrow", "since=latest", "limit=0", "limit=x", "before=x"] {
            #expect(try page("?\(wrong)").code == "400/1000", "\(wrong)")
        }
    }

    /// The texts of all pages.
    private func allTexts(_ query: String) throws -> [String] {
        var (found, before) = ([String](), "")
        while true {
            let object = try page(query + before).object()
            let messages = object["messages"] as? [[String: Any]] ?? []
            found += messages.compactMap { $0["message"] as? String }
            guard let next = object["before"] as? Int else { return found }
            before = "&before=\(next)"
        }
    }

    @Test("A search finds messages that have all of its words, however many others there are")
    func search() throws {
        let topic = try addTopic("builds")
        let nas = try addTopic("nas")
        let id = try post("The Disk is füll", to: nas, tags: ["nas"])
        for number in 0..<2_500 {
            try post("number \(number) of the disk", to: topic, waits: false)
        }
        try post("last", to: topic)
        for query in [
            "search=full%20DISK", "search=NAS", "search=full%20the", "tags=nas&topic=nas",
        ] {
            #expect(try texts("?\(query)") == ["The Disk is füll"], "\(query)")
        }
        for query in [
            "search=full%20number", "search=nas&topic=builds", "search=nas&since=\(id.text)",
        ] {
            #expect(try page("?\(query)").text == #"{"messages":[]}"#, "\(query)")
        }
        let hundreds = (0..<2_500).reversed().filter { "\($0)".contains("00") }
        let found = try allTexts("?limit=7&search=00%20disk&topic=builds")
        #expect(found == hundreds.map { "number \($0) of the disk" })
        for long in [String(repeating: "x", count: 257), String(repeating: "x%20", count: 17)] {
            #expect(try page("?search=\(long)").code == "400/1000")
        }
    }

    @Test("A filter beside a search leaves out none of what both want")
    func filteredSearch() throws {
        let topic = try addTopic("builds")
        for number in 0..<60 {
            try post("disk \(number)", to: topic, tags: number % 20 == 0 ? ["nas"] : [])
        }
        #expect(try allTexts("?limit=2&search=disk&tags=nas") == ["disk 40", "disk 20", "disk 0"])
        #expect(try allTexts("?limit=2&tags=nas") == ["disk 40", "disk 20", "disk 0"])
    }

    @Test("What applications push for themselves is not searched")
    func unifiedPush() throws {
        try post("needle", to: try addTopic("upAbCdEf012345"))
        try post("a needle", to: try addTopic("upright"))
        #expect(try texts("?search=needle") == ["a needle"])
        #expect(try texts() == ["a needle", "needle"])
    }

    @Test("Nobody reads the topics of others")
    func strangers() throws {
        try post("mine", to: try addTopic("builds"))
        let stranger = try fixture.addCredential(owner: "uid:9")
        #expect(try page(bearer: stranger).text == #"{"messages":[]}"#)
        #expect(try page("?topic=builds", bearer: stranger).code == "404/1002")
        #expect(try page("/stream?topic=builds", bearer: stranger).code == "404/1002")
        #expect(try page(bearer: "x").code == "401/1005")
    }

    /// A reader that gets a line for each message.
    private final class Reader {
        private let socket: ByteSocket
        private var rest: [UInt8] = []

        init(_ fixture: PushFixture, _ bearer: String, _ query: String) throws {
            socket = try ByteSocket(port: fixture.port)
            // Without chunks.
            let head =
                "GET /api/v1/messages/stream\(query) HTTP/1.0\r\nHost: push.example\r\n"
                + "Authorization: Bearer \(bearer)\r\n\r\n"
            socket.send(Array(head.utf8))
            #expect(try nextLine().hasPrefix("HTTP/1.1 200 "))
            while try nextLine() != "\r" {}
            #expect(try line()["event"] as? String == "open")
        }

        /// Empty at the end.
        private func nextLine() throws -> String {
            var room = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                if let end = rest.firstIndex(of: 0x0A) {
                    defer { rest.removeFirst(end + 1) }
                    return String(decoding: rest[..<end], as: UTF8.self)
                }
                let count = recv(socket.descriptor, &room, room.count, 0)
                guard count > 0 else { return "" }
                rest += room[..<count]
            }
        }

        func line() throws -> [String: Any] {
            let line = try nextLine()
            guard !line.isEmpty else { return [:] }
            let value = try JSONSerialization.jsonObject(with: Data(line.utf8))
            return try #require(value as? [String: Any])
        }

        func text() throws -> String { try line()["message"] as? String ?? "" }
    }

    @Test("A stream has what is kept since then, and what comes", .timeLimit(.minutes(1)))
    func stream() throws {
        let builds = try addTopic("builds")
        try post("old", to: builds, time: 100)
        let id = try post("known", to: builds, time: 100)
        let all = try Reader(fixture, bearer, "?since=\(id.text)&topic=builds")
        let searching = try Reader(fixture, bearer, "?search=green&topic=builds")
        try post("red", to: builds)
        try post("Green", to: builds)
        try post("not kept, green", to: builds, lifetime: 0)
        #expect(try [all.text(), all.text(), all.text()] == ["red", "Green", "not kept, green"])
        #expect(try [searching.text(), searching.text()] == ["Green", "not kept, green"])
    }

    @Test("A stream of all topics has those that are made later", .timeLimit(.minutes(1)))
    func laterTopics() throws {
        let reader = try Reader(fixture, bearer, "")
        try post("first", to: try addTopic("nightly build"))
        let line = try reader.line()
        #expect(line["message"] as? String == "first")
        #expect(line["topic"] as? String == "nightly build")
    }

    @Test("A stream ends with the access of its reader", .timeLimit(.minutes(1)))
    func revoked() throws {
        let reader = try Reader(fixture, bearer, "")
        fixture.removeCredential()
        #expect(try reader.line().isEmpty)
    }

    @Test("A reader who takes nothing for a while misses nothing", .timeLimit(.minutes(2)))
    func slow() throws {
        let builds = try addTopic("builds")
        let reader = try Reader(fixture, bearer, "?topic=builds")
        let long = String(repeating: "x", count: 20_000)
        for number in 0..<400 { try post("\(number) \(long)", to: builds) }
        for number in 0..<400 {
            #expect(try reader.text().hasPrefix("\(number) "), "\(number)")
        }
    }
}
