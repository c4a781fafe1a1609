import Base
import Testing

@testable import Topics

@Suite("Buttons as senders write them")
struct ActionReaderTests {
    private static func json(_ actions: [TopicAction]) -> String {
        "[" + actions.map { String(decoding: $0.json, as: UTF8.self) }.joined(separator: ",") + "]"
    }

    private static let view = """
        {"id":"","action":"view","label":"Open","clear":false,"url":"https://a.example/?b=c"}
        """

    @Test(
        "The short form",
        arguments: [
            ("view, Open, https://a.example/?b=c", view),
            (" view ,Open,  https://a.example/?b=c ; ", view),
            ("action=view, label=Open, url=https://a.example/?b=c", view),
            ("label='Open', URL = \"https://a.example/?b=c\" , Action=VIEW, clear=0", view),
            (
                "http, \"Close, now; or never\", https://a.example, method=put, body='{\"a\": \\'b\\'}'",
                #"{"id":"","action":"http","label":"Close, now; or never","clear":false,"#
                    + #""url":"https://a.example","method":"PUT","body":"{\"a\": 'b'}"}"#
            ),
            (
                "http,x,u,headers.Authorization=Bearer t,headers.X-a=1,headers.X-a=2,clear=yes",
                #"{"id":"","action":"http","label":"x","clear":true,"url":"u","#
                    + #""headers":{"Authorization":"Bearer t","X-a":"2"}}"#
            ),
            (
                "broadcast, Take picture, extras.cmd=x, extras.cmd=pic, extras.camera=front, intent=a.b",
                #"{"id":"","action":"broadcast","label":"Take picture","clear":false,"#
                    + #""intent":"a.b","extras":{"cmd":"pic","camera":"front"}}"#
            ),
            (
                "copy, Copy code, 123 456, clear=true",
                #"{"id":"","action":"copy","label":"Copy code","clear":true,"value":"123 456"}"#
            ),
            // As aiontfy writes them.
            (
                "action='view', label='Ünï \"x\"', url='https://a', clear=1",
                #"{"id":"","action":"view","label":"Ünï \"x\"","clear":true,"url":"https://a"}"#
            ),
            (
                "view,a,b;broadcast,c\n;copy,d,e",
                #"{"id":"","action":"view","label":"a","clear":false,"url":"b"},"#
                    + #"{"id":"","action":"broadcast","label":"c","clear":false},"#
                    + #"{"id":"","action":"copy","label":"d","clear":false,"value":"e"}"#
            ),
            ("", ""), ("  ", ""), ("[]", ""), ("null", nil),
        ] as [(String, String?)])
    func short(_ text: String, _ json: String?) throws {
        guard let json else {
            #expect(throws: NtfyRefusal.self) { try ActionReader.actions(text) }
            return
        }
        #expect(Self.json(try ActionReader.actions(text)) == "[\(json)]")
    }

    @Test(
        "JSON",
        arguments: [
            (#" [{"action":"view","label":"Open","url":"https://a.example/?b=c"}]"#, view),
            (
                #"[{"action":"view","label":"Open","url":"https://a.example/?b=c","id":"x","#
                    + #""clear":null,"method":null,"body":null,"headers":null,"unknown":[1]}]"#,
                view
            ),
            (
                #"[{"action":"http","label":"x","url":"u","method":"patch","clear":true,"body":"","#
                    + #""headers":{"A":"b","B":1,"A":"c"}}]"#,
                #"{"id":"","action":"http","label":"x","clear":true,"url":"u","method":"PATCH","#
                    + #""headers":{"B":"1","A":"c"}}"#
            ),
        ])
    func json(_ text: String, _ json: String) throws {
        #expect(Self.json(try ActionReader.actions(text)) == "[\(json)]")
        let node = try JSONDocument(Array(text.utf8)).root
        #expect(Self.json(try ActionReader.actions(node)) == "[\(json)]")
    }

    @Test(
        "What is wrong is said behind a semicolon",
        arguments: [
            ("view,Open", "number 1: no url"), ("view", "number 1: no label"),
            ("view,,https://a", "number 1: no label"), (";", "number 1: no action"),
            ("open,Open,https://a", "number 1: unknown action"), ("copy,x", "number 1: no value"),
            ("view,a,b;http,c", "number 2: no url"), ("view,a,b;c", "number 2: unknown action"),
            ("view,a,b,c", "number 1: unknown term"), ("broadcast,a,b", "number 1: unknown term"),
            ("view,a,b,", "number 1: unknown term"),
            ("view,a,b,colour=red", "number 1: unknown key"),
            ("view,a,b,headers.=y", "number 1: unknown key"),
            ("view,a,b,header.x=y", "number 1: unknown key"),
            ("view,a,b,clear=maybe", "number 1: clear is neither true nor false"),
            ("http,a,b,method=get,body=c", "number 1: a body with a method that has none"),
            ("http,a,b,method=HEAD,body=c", "number 1: a body with a method that has none"),
            ("view,\"a,b", "number 1: a quotation mark is missing"),
            ("view,'a' b,c", "number 1: text behind a quotation mark"),
            ("view,a,b;view,a,b;view,a,b;view,a,b", "more than 3"),
            (String(repeating: "view,a,b;", count: 1_000), "more than 3"),
            (String(repeating: "x", count: 16_385), "too long"),
            ("[{]", "no valid JSON"), ("[1]", "number 1: no action"),
            ("[{}]", "number 1: no action"),
            (#"[{"action":"view","label":5,"url":{}}]"#, "number 1: no url"),
            (
                "http,a,b" + (0...64).map { ",headers.x\($0)=1" }.joined(),
                "number 1: too many headers or extras"
            ),
            (
                "broadcast,a" + (0...64).map { ",extras.x\($0)=1" }.joined(),
                "number 1: too many headers or extras"
            ),
        ])
    func reasons(_ text: String, _ reason: String) {
        #expect(throws: NtfyRefusal.badActions.because(reason)) { try ActionReader.actions(text) }
    }

    @Test("As much as there may be is read")
    func most() throws {
        let pairs = (1...64).map { ",headers.x\($0)=1" }.joined()
        #expect(try ActionReader.actions("http,a,b" + pairs).first?.headers.count == 64)
        let text = "copy,a,"
        let value = String(repeating: "x", count: 16_384 - text.utf8.count)
        #expect(try ActionReader.actions(text + value).first?.value == value)
    }

    @Test("JSON that is no array is refused, and null is none")
    func types() throws {
        for text in ["{}", "\"view,a,b\"", "1", "true"] {
            let node = try JSONDocument(Array(text.utf8)).root
            #expect(throws: NtfyRefusal.badActions.because("no array")) {
                try ActionReader.actions(node)
            }
        }
        #expect(try ActionReader.actions(try JSONDocument(Array("null".utf8)).root).isEmpty)
    }

    @Test("Any beginning of the short form gives buttons or a refusal")
    func cut() {
        let text = "http, \"a\\\"b\", 'c', headers.X=y, clear=true; copy, d, e"
        var refused = 0
        for end in 0...text.count {
            do { _ = try ActionReader.actions(String(text.prefix(end))) } catch { refused += 1 }
        }
        #expect(refused > 20 && refused < text.count)
    }
}
