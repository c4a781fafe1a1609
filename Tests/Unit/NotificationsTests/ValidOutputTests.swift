import Base
import TestSupport
import Testing
@testable import Notifications

/// Whatever a sender writes, clients get one line of JSON that our own readers accept.
@Suite("Output of untrusted payloads")
struct ValidOutputTests {
    private static let dialects = Dialect.allCases

    /// Payloads with a placeholder in each place whose JSON is passed on.
    private static let templates: [String] = [
        #"{"loc_key":"PHONE_CALL_REQUEST","loc_args":["A"],"custom":{"from_id":"1","call_id":VALUE,"call_ah":VALUE,"updates":VALUE}}"#,
        #"{"data":{"loc_key":"MESSAGE_MUTED","custom":{"from_id":"1","updates":VALUE,"random_id":VALUE,"data_url":VALUE}}}"#,
        #"{"loc_key":"ENCRYPTED_MESSAGE","custom":{"encryption_id":1,"random_id":"5","updates":VALUE}}"#,
        #"{"loc_key":"MESSAGE_TEXT","loc_args":["A","b"],"custom":{"from_id":"1","msg_id":11,"x":VALUE,"x":VALUE}}"#,
        #"{"notification":{"event_id":"$a","room_id":"!r","sender":VALUE,"type":"m.room.message","content":{"body":"x"},"counts":{"unread":VALUE},"devices":[{"data":{"default_payload":VALUE},"pushkey_ts":VALUE}]}}"#,
        #"{"web_push":8030,"notification":{"title":"t","navigate":VALUE,"data":VALUE,"actions":[{"action":"a","title":"b","navigate":VALUE}]},"app_badge":VALUE}"#,
        #"{"aps":{"alert":{"title":"a","body":"b"},"badge":VALUE},"payload":VALUE,"customId":VALUE,"x":VALUE}"#,
        #"{"aps":{"alert":"a","mutable-content":1},"payload":{"customId":"1","type":"call","x":VALUE}}"#,
        #"{"aps":{"alert":{"loc-key":"IM2","loc-args":[VALUE,VALUE,"hi"]},"badge":VALUE},"timestamp":VALUE}"#,
        #"{"title":"t","message":"m","x":VALUE,"click":VALUE,"tags":[VALUE]}"#, "VALUE",
        #"{"groupKey":VALUE,"truncatedAlerts":VALUE,"alerts":[{"status":"firing","fingerprint":VALUE,"labels":{"a":VALUE,"a":VALUE},"annotations":{"summary":VALUE},"generatorURL":VALUE}]}"#,
        #"{"x-github-event":"issues","action":VALUE,"issue":{"number":VALUE,"title":VALUE,"html_url":VALUE},"repository":{"full_name":VALUE},"sender":{"login":VALUE}}"#,
        #"{"heartbeat":{"monitorID":VALUE,"status":0,"msg":VALUE},"monitor":{"name":VALUE,"url":VALUE},"msg":VALUE}"#,
        #"{"message":"m","title":VALUE,"data":{"tag":VALUE,"group":VALUE,"url":VALUE,"push":VALUE}}"#,
    ]

    private static let values: [String] = [
        "1.2.3e", "-", "+1", "01", "1e", "1e5", "-0", "1E+400", "9223372036854775807",
        "-9223372036854775808", "18446744073709551616", "1e-", "0x1", "NaN", "1..2", "--1",
        #""\ud800""#, #""\udc00\ud800""#, #""\u202e\u0000\u007f""#, "\"\u{202E}\u{7F}\u{2028}\"",
        #""\q""#, "\"a\nb\"", "{\n}", "[\n1 ,\t2]", #"{"a":1,"a":2}"#, #"{"":{"":0}}"#, "true",
        "null", #"{"a\nb":"\"}"}"#, "\"é\u{301}\"", #""\\""#,
        String(repeating: "[", count: 60) + String(repeating: "]", count: 60),
        String(repeating: "[", count: 95) + String(repeating: "]", count: 95),
        String(repeating: #"{"a":"#, count: 95) + "1" + String(repeating: "}", count: 95),
    ]

    /// A payload: one of the templates with random values, and sometimes changed bytes.
    private func payload(_ generator: inout SeededGenerator) -> [UInt8] {
        var text = Self.templates[Int.random(in: 0..<Self.templates.count, using: &generator)]
        while let place = text.firstRange(of: "VALUE") {
            let value = Self.values[Int.random(in: 0..<Self.values.count, using: &generator)]
            text.replaceSubrange(place, with: value)
        }
        var bytes = Array(text.utf8)
        for _ in 0..<max(0, Int.random(in: -3...3, using: &generator)) {
            let place = Int.random(in: 0..<bytes.count, using: &generator)
            bytes[place] = UInt8.random(in: 0...255, using: &generator)
        }
        return bytes
    }

    private func engine(_ policy: ChatPolicy) -> Engine {
        var account = Account()
        account.policy = policy
        account.options = [
            OptionName.groupCountMax: .integer(9), OptionName.groupSizeMax: .integer(3),
        ]
        account.chats[.user(1)] = Chat(.user(1), title: "T")
        var engine = Engine(account)
        engine.start(now: 1_800_000_000)
        return engine
    }

    private func expectValid(_ updates: [Update], of payload: [UInt8]) {
        for update in updates {
            var writer = JSONWriter()
            update.write(to: &writer)
            let line = writer.bytes
            let isValid = StrictJSON.isLine(line) && (try? JSONDocument(line)) != nil
            #expect(
                isValid,
                "\(String(decoding: payload, as: UTF8.self)) became \(String(decoding: line, as: UTF8.self))"
            )
        }
    }

    @Test("Every line is JSON, whatever a payload holds", arguments: [1, 2, 3] as [UInt64])
    func payloads(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for policy in [ChatPolicy.learn, .strict] {
            var engine = engine(policy)
            for number in 0..<1_500 {
                let payload = payload(&generator)
                let dialect = Self.dialects[number % Self.dialects.count]
                _ = engine.process(
                    payload: payload, dialect: dialect, level: .mtproto,
                    now: 1_800_000_000 + Double(number))
                expectValid(engine.takeUpdates(), of: payload)
            }
            expectValid(engine.welcome() + engine.owedUpdates(for: .rawFetcher), of: [])
        }
    }

    @Test("A call's updates that are not a number reach the client as text")
    func number() {
        var engine = engine(.learn)
        _ = engine.process(
            payload: Array(
                #"{"loc_key":"PHONE_CALL_REQUEST","loc_args":["A"],"custom":{"from_id":"1","call_id":1,"updates":1.2.3e}}"#
                    .utf8), dialect: .telegram, level: .mtproto, now: 1_800_000_001)
        let details = engine.takeUpdates().compactMap { update -> [Update.Detail]? in
            if case .fetchRequired(_, let details) = update { details } else { nil }
        }
        #expect(details.first?.contains(Update.Detail("updates", source: #""1.2.3e""#)) == true)
    }

    @Test("Multi-line JSON from one client is sent to others on one line")
    func lines() throws {
        var engine = engine(.learn)
        func ask(_ request: String) throws -> Outcome? {
            engine.handle(try JSONDocument(Array(request.utf8)).root, now: 1_800_000_001)
        }
        let message =
            "{\n\"id\": 1048576,\n\"chat_id\": 1,\n\"date\":1800000000, \"x\": \"\u{7F}\u{202E}\"}"
        #expect(try ask("{\"@type\":\"bellwire.addMessage\",\"message\":\(message)}") == .ok)
        engine.advance(to: 1_800_000_010)
        expectValid(engine.takeUpdates(), of: Array(message.utf8))
        let read = try ask(#"{"@type":"getMessageLocally","chat_id":1,"message_id":1048576}"#)
        let extra = try JSONDocument(Array("[\n{\"a\":1},\"\u{2028}\"]".utf8)).root
        #expect(StrictJSON.isLine(try #require(read).answer(extra: extra)))
    }

    @Test("Data nested too deep is not passed on")
    func nesting() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        for (depth, isTold) in [(64, true), (65, false)] {
            let node = try JSONDocument(Array("[0,\(nested(depth)),[]]".utf8)).root.elements[1]
            #expect(node.isTooNested != isTold)
            var engine = engine(.learn)
            let message = #"{"id":1048576,"chat_id":1,"x":\#(nested(depth - 1))}"#
            let request = #"{"@type":"bellwire.addMessage","message":\#(message)}"#
            let outcome = engine.handle(
                try JSONDocument(Array(request.utf8)).root, now: 1_800_000_001)
            #expect((outcome == .ok) == isTold)
        }
    }

    @Test("An object with very many members is written at once", .timeLimit(.minutes(1)))
    func members() throws {
        let members = (0..<60_000).map { "\"\($0)\":0" }.joined(separator: ",")
        let node = try JSONDocument(Array("{\(members),\"7\":1}".utf8)).root
        let text = JSONText.anew(node)
        #expect(text == "{\(members)}")
    }
}
