import Testing
@testable import Notifications

/// The payload's data for the application that opens the notification.
@Suite("The data of payloads")
struct PayloadDataTests {
    private func data(_ json: String, _ dialect: Dialect) -> String? {
        for event in dialect.events(Array(json.utf8), DialectContext()) {
            if case .message(let message) = event { return message.presentation?.data }
            if case .call(let call) = event { return call.data }
        }
        return nil
    }

    @Test("Telegram: the member custom of messages, calls and documented sentences")
    func telegram() {
        let custom = #"{ "from_id": "5", "msg_id" : 1, "x": [01, {"y": "\u0041"}] }"#
        for key in ["MESSAGE_TEXT", "PHONE_CALL_REQUEST", "REACT_TEXT"] {
            #expect(
                data(#"{"loc_key":"\#(key)","loc_args":["A","b"],"custom":\#(custom)}"#, .telegram)
                    == #"{"from_id":"5","msg_id":1,"x":["01",{"y":"A"}]}"#)
        }
        #expect(data(#"{"loc_key":"AUTH_UNKNOWN","loc_args":["A"]}"#, .telegram) == "")
    }

    @Test("Matrix: room, event, sender, and what the pusher's owner attached")
    func matrix() {
        let json =
            #"{"notification":{"event_id":"$a","room_id":"!r","sender":"@s","type":"TYPE","devices":[{"data":{"format":"x","default_payload":{"y":1}}}]}}"#
        for type in ["m.room.message", "m.call.invite"] {
            #expect(
                data(json.replacing("TYPE", with: type), .matrix)
                    == #"{"room_id":"!r","event_id":"$a","sender":"@s","data":{"format":"x","default_payload":{"y":1}}}"#
            )
        }
        let large = json.replacing("\"x\"", with: "\"\(String(repeating: "x", count: 4090))\"")
        #expect(data(large, .matrix) == #"{"room_id":"!r","event_id":"$a","sender":"@s"}"#)
    }

    @Test("ICQ: both numbers are found in any order")
    func icq() {
        func json(_ key: String, _ arguments: String) -> String {
            #"{"aps":{"alert":{"loc-key":"\#(key)","loc-args":[\#(arguments)]}}}"#
        }
        #expect(
            data(json("IM2", #""111","222","hi""#), .icq) == #"{"srcId":"111","destName":"222"}"#)
        #expect(
            data(json("AR1", #""111","222","nick","J","K""#), .icq)
                == #"{"destName":"111","srcId":"222","srcName":"nick"}"#)
        #expect(data(json("New Messages", #""5""#), .icq) == "")
    }

    @Test("ZEGO: the payload as received, and customId wherever it stood")
    func zego() {
        #expect(
            data(#"{"aps":{"alert":"a"},"payload":"{\"customId\":\"1\"}"}"#, .zpns)
                == #"{"payload":"{\"customId\":\"1\"}","customId":"1"}"#)
        #expect(
            data(#"{"aps":{"alert":"a"},"payload":{"customId":1,"x":2},"y":3}"#, .zpns)
                == #"{"payload":{"customId":1,"x":2},"y":3,"customId":1}"#)
        #expect(
            data(#"{"aps":{"alert":"a"},"payload":{"customId":"1","type":"call"}}"#, .zpns)
                == #"{"payload":{"customId":"1","type":"call"},"customId":"1"}"#)
        #expect(data(#"{"aps":{"alert":"a"},"customId":"1"}"#, .zpns) == #"{"customId":"1"}"#)
    }

    @Test("Declarative: its link and its data")
    func declarative() {
        #expect(
            data(
                #"{"web_push":8030,"notification":{"title":"T","navigate":"https://a/","data":{"x":1}}}"#,
                .declarative) == #"{"navigate":"https://a/","data":{"x":1}}"#)
        #expect(data(#"{"web_push":8030,"notification":{"title":"T"}}"#, .declarative) == "")
    }

    @Test("Plain: the members besides the shown ones")
    func plain() {
        #expect(
            data(#"{"title":"T","message":"m","topic":"door","key":{"x":1}}"#, .plain)
                == #"{"topic":"door","key":{"x":1}}"#)
        #expect(data("hello", .plain) == "")
    }

    @Test("Data larger than 4 KiB is dropped")
    func limit() {
        func json(_ count: Int) -> String {
            let text = String(repeating: "x", count: count)
            return
                #"{"loc_key":"MESSAGE_TEXT","loc_args":["A","b"],"custom":{"from_id":5,"msg_id":1,"a":"\#(text)"}}"#
        }
        #expect(data(json(4096 - 32), .telegram)?.utf8.count == 4096 - 32 + 31)
        #expect(data(json(4096), .telegram) == "")
    }
}
