import Foundation
import TestSupport
import Testing

@testable import WebPush

@Suite("What a homeserver asks a push gateway to tell")
struct MatrixNotificationTests {
    private func read(_ text: String) throws -> MatrixNotification {
        try MatrixNotification(Array(text.utf8))
    }

    private let device = #"{"app_id":"a","pushkey":"k"}"#

    private func name(_ notification: MatrixNotification) -> String? {
        notification.repetitionName.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test("An event is known by its id, before the older id of a notification")
    func repetitionName() throws {
        let both = #"{"notification":{"id":"n","event_id":"$e","devices":[\#(device)]}}"#
        #expect(try name(read(both)) == "e$e")
        #expect(try name(read(#"{"notification":{"id":"n","devices":[\#(device)]}}"#)) == "nn")
        for rest in [#""id":"""#, #""event_id":null"#, #""counts":{"unread":1}"#, #""id":7"#] {
            #expect(try name(read(#"{"notification":{\#(rest),"devices":[\#(device)]}}"#)) == nil)
        }
        let long = String(repeating: "x", count: 256)
        let text = #"{"notification":{"event_id":"\#(long)","devices":[\#(device)]}}"#
        #expect(try name(read(text)) == nil)
    }

    @Test("Low priority is marked as such, everything else is urgent")
    func urgency() throws {
        for (prio, urgency) in [
            (#""low""#, Urgency.low), (#""high""#, .high), (#""other""#, .high), ("1", .high),
        ] {
            let text = #"{"notification":{"prio":\#(prio),"devices":[\#(device)]}}"#
            #expect(try read(text).urgency == urgency)
        }
        #expect(try read(#"{"notification":{"devices":[\#(device)]}}"#).urgency == .high)
    }

    @Test("The first drafts have devices and counts beside the notification")
    func drafts() throws {
        let text = #"{"notification":{"id":"1"},"counts":{"unread":2},"devices":[\#(device)]}"#
        #expect(try read(text).devices.map(\.pushkey) == ["k"])
    }

    @Test(
        "An invalid notification request is refused",
        arguments: [
            "", "x", "[]", "{}", #"{"notification":[]}"#, #"{"notification":{}}"#,
            #"{"notification":{"devices":{}}}"#, #"{"notification":{"devices":[]}}"#,
            #"{"notification":{"devices":[1]}}"#, #"{"notification":{"devices":[{}]}}"#,
            #"{"notification":{"devices":[{"app_id":"a"}]}}"#,
            #"{"notification":{"devices":[{"pushkey":"k"}]}}"#,
            #"{"notification":{"devices":[{"app_id":"a","pushkey":1}]}}"#,
            #"{"notification":{"devices":[{"app_id":"a","pushkey":"k"}]}} x"#,
        ])
    func refused(text: String) {
        let refusal = #expect(throws: MatrixRefusal.self) { try read(text) }
        #expect(refusal?.status == 400)
        let json = String(decoding: refusal?.json ?? [], as: UTF8.self)
        #expect(json.hasPrefix(#"{"errcode":"M_BAD_JSON","error":""#))
    }

    @Test("A hundred devices are served, one more is refused")
    func manyDevices() throws {
        func text(_ count: Int) -> String {
            let list = (0..<count).map { #"{"app_id":"a","pushkey":"\#($0)"}"# }
            return #"{"notification":{"devices":[\#(list.joined(separator: ","))]}}"#
        }
        #expect(try read(text(100)).devices.map(\.pushkey) == (0..<100).map(String.init))
        #expect(throws: MatrixRefusal.badJSON("There are more than 100 devices")) {
            try read(text(101))
        }
    }

    @Test("Cut anywhere, it is refused", arguments: try Vectors.recordedNotifications())
    func cut(body: String) throws {
        let bytes = Array(body.utf8)
        for length in 0..<bytes.count {
            #expect(throws: MatrixRefusal.self) { try MatrixNotification(Array(bytes[..<length])) }
        }
    }

    @Test(
        "What Synapse sends is passed on unchanged", arguments: try Vectors.recordedNotifications())
    func recorded(body: String) throws {
        let notification = try read(body)
        #expect(notification.devices.count == 1)
        #expect(notification.devices[0].pushkey.hasPrefix("https://push.example/wpush/v1/TOKEN"))
        #expect(notification.bodies(for: [0]) == [Array(body.utf8)])
        #expect((notification.repetitionName == nil) == !body.contains("event_id\":"))
    }

    @Test("Rejected pushkeys are listed as they were sent, each once, and the list is always there")
    func answer() throws {
        #expect(MatrixRefusal.answer(rejecting: []) == Array(#"{"rejected":[]}"#.utf8))
        let odd = [
            "https://push.example/a", "\"\\\u{7F}\u{202E}ü\u{1F600}", "https://push.example/a",
        ]
        let json = MatrixRefusal.answer(rejecting: odd)
        let object = try JSONDecoder().decode([String: [String]].self, from: Data(json))
        #expect(object == ["rejected": Array(odd.prefix(2))])
    }
}

extension Vectors {
    /// The bodies of `matrix-synapse.jsonl`.
    static func recordedNotifications() throws -> [String] {
        try lines(of: "matrix-synapse.jsonl").compactMap { $0["body"]?.text }
    }
}
