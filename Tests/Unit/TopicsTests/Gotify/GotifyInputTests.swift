import Base
import Testing

@testable import Topics

private let json = "application/json"
private let form = "application/x-www-form-urlencoded"
private let multipart = "multipart/form-data; boundary=XX"

private func fields(
    _ body: String, _ type: String = json, query: String = ""
) throws(GotifyRefusal) -> GotifyFields {
    let (type, query) = (Array(type.utf8), Array(query.utf8))
    return try GotifyFields(type: type.span, Array(body.utf8), query: query.span)
}

private func content(
    _ body: String, _ type: String = json, query: String = "", default number: Int64 = 0
) throws(GotifyRefusal) -> TopicContent {
    try TopicContent(try fields(body, type, query: query), defaultPriority: number)
}

private func part(_ rest: String, _ value: String, type: String = "") -> String {
    let type = type.isEmpty ? "" : "Content-Type: \(type)\r\n"
    return "--XX\r\nContent-Disposition: form-data; \(rest)\r\n\(type)\r\n\(value)\r\n"
}

@Suite("What Gotify's senders say")
struct GotifyInputTests {
    @Test("JSON, both forms and the query say the same")
    func forms() throws {
        var expected = TopicContent()
        (expected.title, expected.text) = ("Büro & co", "a b\nc")
        expected.gotifyPriority = 8
        let encoded = "title=B%C3%BCro+%26+co&message=a+b%0Ac&priority=8"
        let parts =
            part("name=title", "Büro & co", type: "text/plain; charset=utf-8")
            + part(#"name="message""#, "a b\nc") + part("name=priority", "8") + "--XX--\r\n"
        let object = #"{"title":"B\u00fcro & co","message":"a b\nc","priority":8}"#
        #expect(try content(object) == expected)
        #expect(try content(object, "Application/JSON; charset=utf-8") == expected)
        #expect(try content(encoded, form) == expected)
        #expect(try content(encoded, "") == expected)
        #expect(try content(parts, multipart) == expected)
        #expect(try content("", json, query: "token=A&" + encoded) == expected)
        #expect(try content("", "", query: encoded) == expected)
        #expect(try content("", multipart, query: encoded) == expected)
        // `curl -d` calls JSON a form.
        #expect(try content(" " + object, form) == expected)
        #expect(try content(object, "") == expected)
        // A form counts before the query, and both together are one.
        #expect(try content("message=a+b%0Ac&priority=8", form, query: encoded) == expected)
        let title = part("name=title", "Büro & co") + "--XX--"
        #expect(try content(title, multipart, query: encoded) == expected)
    }

    @Test("What others decide is ignored, and so is what nobody knows")
    func ignored() throws {
        let object = """
            {"id":7,"appid":3,"date":"yesterday","message":"m","title":null,"priority":null,
            "extras":null,"unknown":{"a":[1]}}
            """
        var expected = TopicContent()
        (expected.text, expected.gotifyPriority) = ("m", 0)
        #expect(try content(object) == expected)
        #expect(try content(#"{"message":"m","message":"n","extras":{}}"#) == expected)
        #expect(try content("message=m&message=n&priority=&extras=%7B%7D&x", form) == expected)
        let file = part("name=message; filename=a", "file") + part("name=message", "m") + "--XX--"
        #expect(try content(file, multipart) == expected)
    }

    @Test("A message is needed, also if it is only blanks; a blank title is none")
    func texts() throws {
        for body in ["{}", #"{"message":""}"#, #"{"message":null,"title":"t"}"#] {
            #expect(throws: GotifyRefusal.missing("message")) { try content(body) }
        }
        for query in ["", "title=t", "message=", "Message=a"] {
            #expect(throws: GotifyRefusal.missing("message")) { try content("", query: query) }
        }
        #expect(try content(#"{"message":" ","title":" \n"}"#).text == " ")
        #expect(try content(#"{"message":" ","title":" \n"}"#).title == "")
        #expect(try content(#"{"message":5}"#).text == "5")
        let long = String(repeating: "é", count: 600_000)
        #expect(try content(#"{"message":"\#(long)"}"#).text == long)
    }

    @Test(
        "Any whole number is a priority, and the application has one for messages without",
        arguments: [
            ("-2", -2, 1), ("0", 0, 0), ("1", 1, 2), ("3", 3, 2), ("4", 4, 3), ("7", 7, 3),
            ("8", 8, 4), ("9", 9, 4), ("10", 10, 5), ("100", 100, 5),
            ("-9223372036854775808", .min, 1), ("9223372036854775807", .max, 5),
        ] as [(String, Int64, Int)])
    func priorities(_ text: String, _ number: Int64, _ level: Int) throws {
        for said in [
            try content(#"{"message":"m","priority":\#(text)}"#, default: 6),
            try content(#"{"message":"m","priority":"\#(text)"}"#, default: 6),
            try content("message=m&priority=\(text)", form, default: 6),
        ] {
            #expect(said.gotifyPriority == number && said.ntfyPriority == level)
        }
        let unsaid = try content(#"{"message":"m"}"#, default: number)
        #expect(unsaid.gotifyPriority == number && unsaid.ntfyPriority == level)
    }

    @Test(
        "What cannot be read names its field",
        arguments: [
            (#"{"message":"m","priority":1.5}"#, GotifyRefusal.bad("priority")),
            (#"{"message":"m","priority":"high"}"#, .bad("priority")),
            (#"{"message":"m","priority":true}"#, .bad("priority")),
            (#"{"message":"m","priority":9223372036854775808}"#, .bad("priority")),
            (#"{"message":["m"]}"#, .bad("message")), (#"{"message":{}}"#, .bad("message")),
            (#"{"message":"m","title":{}}"#, .bad("title")),
            (#"{"message":"m","extras":[]}"#, .bad("extras")),
            (#"{"message":"m","extras":"{}"}"#, .bad("extras")),
            ("[]", .badBody), ("null", .badBody), ("{", .badBody), ("message=m", .badBody),
            (#"{"message":"m"} x"#, .badBody), (#"{"message":'m'}"#, .badBody),
        ])
    func refused(_ body: String, _ refusal: GotifyRefusal) {
        #expect(throws: refusal) { try content(body) }
    }

    @Test func refusedForms() {
        #expect(throws: GotifyRefusal.bad("priority")) { try content("message=m&priority=x", form) }
        let open = part("name=message", "m")
        #expect(throws: GotifyRefusal.badBody) { try content(open, multipart) }
        #expect(throws: GotifyRefusal.badBody) { try content("message=m", multipart) }
        let pairs = "message=m" + String(repeating: "&a", count: 64)
        #expect(throws: GotifyRefusal.badBody) { try content(pairs, form) }
        #expect(throws: Never.self) { try content(String(pairs.dropLast(2)), form) }
        let deep = String(repeating: #"{"a":"#, count: 80) + "1" + String(repeating: "}", count: 80)
        let nested = #"{"message":"m","extras":\#(deep)}"#
        #expect(throws: GotifyRefusal.bad("extras")) { try content(nested) }
        let tooDeep = nested.replacing(
            each: "1", by: "[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]")
        #expect(throws: GotifyRefusal.badBody) { try content(tooDeep) }
    }

    @Test("A body that is cut anywhere gives a message or a refusal")
    func cut() throws {
        let object = #"{"message":"m","priority":3,"extras":{"client::display":{"contentType":1}}}"#
        let parts = part("name=message", "mé") + part("name=title", "t") + "--XX--"
        for (whole, type) in [(object, json), (parts, multipart), ("message=m%C3%A9", form)] {
            for length in 0..<whole.utf8.count {
                let cut = String(decoding: Array(whole.utf8.prefix(length)), as: UTF8.self)
                do throws(GotifyRefusal) {
                    _ = try content(cut, type)
                    #expect(whole.hasPrefix("message="))
                } catch {
                    #expect(error.status == 400)
                }
            }
        }
    }

    @Test("Extras are kept, and say what is shown")
    func extras() throws {
        let all = """
            {"client::display":{"contentType":"text/markdown"},\
            "client::notification":{"click":{"url":"https://a/b"},\
            "bigImageUrl":"https://a/x/cat.png?v=1/2"},\
            "android::action":{"onReceive":{"intentUrl":"geo:1,2"}},"own":{"n":[1,2.50,null,"é"]}}
            """
        let said = try content(#"{"message":"m","extras": \#(all) }"#)
        #expect(said.extras == all)
        #expect(said.isMarkdown && said.click == "https://a/b")
        #expect(said.attachment?.url == "https://a/x/cat.png?v=1/2")
        #expect(said.attachment?.name == "cat.png")
        let rows: [(String, Bool, String, String)] = [
            (#"{"client::display":{"contentType":"text/plain"}}"#, false, "", ""),
            (#"{"client::display":"text/markdown"}"#, false, "", ""),
            (#"{"client::notification":{"click":{"url":7}}}"#, false, "", ""),
            (#"{"client::notification":{"click":{"url":"app:x"}}}"#, false, "app:x", ""),
            (#"{"client::notification":{"bigImageUrl":"http://a"}}"#, false, "", "http://a"),
            (#"{"client::notification":{"bigImageUrl":"https://a/"}}"#, false, "", "https://a/"),
            (#"{"client::notification":{"bigImageUrl":"file:///a"}}"#, false, "", ""),
            (#"{"client::notification":{"bigImageUrl":"http:a"}}"#, false, "", ""),
            (#"{"client::notification":null,"client::display":[]}"#, false, "", ""),
        ]
        for (extras, isMarkdown, click, link) in rows {
            let said = try content(#"{"message":"m","extras":\#(extras)}"#)
            #expect(said.extras == extras && said.isMarkdown == isMarkdown)
            #expect(said.click == click && (said.attachment?.url ?? "") == link)
            #expect(said.attachment == nil || said.attachment?.name == "attachment")
        }
    }

    @Test("With another token than an application's, the message names its application")
    func application() throws {
        #expect(try fields(#"{"appid":3}"#).application == 3)
        #expect(try fields("appid=3", form).application == 3)
        for body in ["{}", #"{"appid":0}"#, #"{"appid":-1}"#, #"{"appid":null}"#] {
            #expect(throws: GotifyRefusal.missing("appid")) { try fields(body).application }
        }
        #expect(throws: GotifyRefusal.bad("appid")) { try fields(#"{"appid":"x"}"#).application }
    }
}

@Suite("Other requests of Gotify's clients")
struct GotifyRequestTests {
    private func page(_ query: String) throws -> (Int64, Int64) {
        let query = Array(query.utf8)
        let page = try GotifyPage(query: query.span)
        return (page.limit, page.since)
    }

    @Test(
        arguments: [
            ("", 100, 0), ("limit=1&since=0", 1, 0), ("limit=200&since=25", 200, 25),
            ("since=9223372036854775807&token=A", 100, .max), ("limit=&since=", 100, 0),
        ] as [(String, Int64, Int64)])
    func pages(_ query: String, _ limit: Int64, _ since: Int64) throws {
        #expect(try page(query) == (limit, since))
    }

    @Test(arguments: ["0", "201", "-1", "x", "1.5", "9223372036854775808"])
    func badLimits(_ limit: String) {
        #expect(throws: GotifyRefusal.bad("limit")) { try page("limit=\(limit)") }
    }

    @Test(arguments: ["-1", "x", "9223372036854775808"])
    func badSince(_ since: String) {
        #expect(throws: GotifyRefusal.bad("since")) { try page("since=\(since)") }
    }

    @Test func applications() throws {
        let body = #"{"name":"Home","description":"d","defaultPriority":5,"sortKey":"a1"}"#
        let said = try GotifyApplicationFields(try fields(body))
        #expect(said.name == "Home" && said.description == "d" && said.sortKey == "a1")
        #expect(said.defaultPriority == 5)
        let least = try GotifyApplicationFields(try fields("name=Home", form))
        #expect(least.name == "Home" && least.description == "" && least.defaultPriority == 0)
        for body in ["{}", #"{"name":""}"#, #"{"name":" "}"#, #"{"name":null}"#] {
            #expect(throws: GotifyRefusal.missing("name")) { try fields(body).name }
        }
    }

    @Test(
        "A topic gets what is left of the application's name",
        arguments: [
            ("Home", "Home", "Home-2"), ("Home Server 2", "Home-Server-2", "Home-Server-2-2"),
            (" Büro! ", "B-ro", "B-ro-2"), ("☃", "topic", "topic-2"), ("..", "topic", "topic-2"),
            ("message", "topic-message", "message-2"),
            ("s_key", "topic-s_key", "topic-s_key-2"),
            ("upAbCdEf012345", "topic-upAbCdEf012345", "upAbCdEf012345-2"),
            (
                String(repeating: "x", count: 70), String(repeating: "x", count: 64),
                String(repeating: "x", count: 62) + "-2"
            ),
        ])
    func topicNames(_ name: String, _ first: String, _ second: String) throws {
        let said = try GotifyApplicationFields(try fields(#"{"name":"\#(name)"}"#))
        #expect(said.topicName(attempt: 0)?.text == first)
        #expect(said.topicName(attempt: 1)?.text == second)
    }

    private func picture(_ body: [UInt8], _ type: String = multipart) throws -> GotifyPicture {
        let type = Array(type.utf8)
        return try GotifyPicture(type: type.span, body)
    }

    @Test(
        "A picture is a file of a form, by its first bytes",
        arguments: [
            ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0x2D], ".png"),
            ([0xFF, 0xD8, 0xFF, 0xE0, 0x0D, 0x0A], ".jpg"),
            (Array("GIF89a".utf8), ".gif"),
        ] as [([UInt8], String)])
    func pictures(_ bytes: [UInt8], _ suffix: String) throws {
        func body(_ rest: String) -> [UInt8] {
            let start =
                part("name=other", "x") + "--XX\r\nContent-Disposition: form-data; \(rest)\r\n"
            let type = "Content-Type: application/octet-stream\r\n\r\n"
            return Array((start + type).utf8) + bytes + Array("\r\n--XX--\r\n".utf8)
        }
        let found = try picture(body(#"name="file"; filename="a;b.png""#))
        #expect(found.suffix == suffix && found.bytes == bytes)
        for rest in ["name=file", "name=picture; filename=a", "filename=a"] {
            #expect(throws: GotifyRefusal.noPicture) { try picture(body(rest)) }
        }
        #expect(throws: GotifyRefusal.noPicture) { try picture(bytes, "image/png") }
        let whole = body("name=file; filename=a")
        for length in 0..<whole.count - 4 {
            #expect(throws: GotifyRefusal.noPicture) { try picture(Array(whole.prefix(length))) }
        }
    }

    @Test(arguments: ["<svg/>", "RIFFxxxxWEBP", "GIF", "%PDF-1", ""])
    func noPictures(_ text: String) {
        let body = Array((part("name=file; filename=a.png", text) + "--XX--").utf8)
        #expect(throws: GotifyRefusal.noPicture) { try picture(body) }
    }
}
