import Base
import Testing

@testable import Topics

@Suite("Parameters of ntfy's language")
struct NtfyFieldsTests {
    /// The sheet's table, and the parameters of streams.
    static let names: [(NtfyParameter, [String])] = [
        (.message, ["X-Message", "Message", "m"]), (.title, ["X-Title", "Title", "t"]),
        (.priority, ["X-Priority", "Priority", "prio", "p"]),
        (.tags, ["X-Tags", "Tags", "Tag", "ta"]),
        (.delay, ["X-Delay", "Delay", "X-At", "At", "X-In", "In"]),
        (.timezone, ["X-Timezone", "Timezone"]), (.actions, ["X-Actions", "Actions", "Action"]),
        (.click, ["X-Click", "Click"]), (.icon, ["X-Icon", "Icon"]),
        (.attach, ["X-Attach", "Attach", "a"]),
        (.filename, ["X-Filename", "Filename", "file", "f"]),
        (.isMarkdown, ["X-Markdown", "Markdown", "md"]),
        (.email, ["X-Email", "X-E-Mail", "Email", "E-Mail", "mail", "e"]),
        (.call, ["X-Call", "Call"]), (.isKept, ["X-Cache", "Cache"]),
        (.usesFirebase, ["X-Firebase", "Firebase"]),
        (.isUnifiedPush, ["X-UnifiedPush", "UnifiedPush", "up"]),
        (.pollID, ["X-Poll-ID", "Poll-ID"]), (.template, ["X-Template", "Template", "tpl"]),
        (.sequence, ["X-Sequence-ID", "Sequence-ID", "sid"]), (.polls, ["X-Poll", "Poll", "po"]),
        (.since, ["X-Since", "Since", "si"]), (.id, ["X-Id", "id"]),
        (.isScheduled, ["X-Scheduled", "Scheduled", "sched"]), (.isRaw, ["X-Raw", "raw"]),
        (.ask, ["X-Ask", "Ask"]), (.answer, ["X-Answer", "Answer"]), (.wait, ["X-Wait", "Wait"]),
    ]

    @Test("Each parameter has its names in header fields and queries", arguments: names)
    func allNames(_ parameter: NtfyParameter, _ names: [String]) {
        for name in names {
            for spelling in [name, name.lowercased(), name.uppercased()] {
                #expect(NtfyFields(header: spelling, [0x31])[parameter] == "1", "\(spelling)")
            }
            #expect(NtfyFields(query: name.lowercased() + "=1")[parameter] == "1")
            #expect(NtfyFields(query: name.uppercased() + "=1")[parameter] == "")
        }
    }

    @Test("No parameter is missing in the table")
    func whole() {
        let missing = Set(NtfyParameter.allCases).subtracting(Self.names.map(\.0))
        #expect(missing == [.contentType, .contentEncoding, .ttl, .event, .preference])
    }

    @Test("The first name that says something counts, and header fields before the query")
    func order() {
        var fields = NtfyFields(query: "t=query&x-title=long")
        #expect(fields[.title] == "long")
        for (name, value) in [("t", "short"), ("Title", "plain"), ("X-Title", "  "), ("t", "more")]
        {
            fields.record(Array(name.utf8).span, Array(value.utf8).span)
        }
        #expect(fields[.title] == "plain")
        fields.overwrite(.title, "JSON")
        #expect(fields[.title] == "JSON")
        fields.overwrite(.title, "")
        #expect(fields[.title] == "JSON")
    }

    @Test("Header fields are read as words of RFC 2047, as UTF-8, and as what is neither")
    func texts() {
        let values: [([UInt8], String)] = [
            (Array(" \t blanks \t".utf8), "blanks"), (Array("Büro".utf8), "Büro"),
            (Array("=?UTF-8?B?QsO8cm8=?=".utf8), "Büro"),
            (Array("a =?utf-8?Q?B=C3=BC?= =?utf-8?q?ro?= z".utf8), "a Büro z"),
            (Array("=?UTF-8?X?QsO8cm8=?=".utf8), "=?UTF-8?X?QsO8cm8=?="),
            ([0x42, 0xFC, 0x72, 0x6F], "B\u{FFFD}ro"), (Array("a\0b".utf8), "ab"),
        ]
        for (bytes, text) in values {
            #expect(NtfyFields(header: "X-Title", bytes)[.title] == text)
        }
        #expect(NtfyFields(query: "title=B%C3%BC+%26%20%00x")[.title] == "Bü & x")
        #expect(NtfyFields(query: "title=100%&m")[.title] == "100%")
        #expect(NtfyFields(query: "title==?UTF-8?B?QQ==?=")[.title] == "=?UTF-8?B?QQ==?=")
        #expect(NtfyFields(query: "content-type=text/markdown").isMarkdown == false)
    }

    @Test(
        "A word says yes, any other no, and an empty one nothing",
        arguments: [
            ("1", true), ("yes", true), ("True", true), ("YES", true), ("0", false), ("no", false),
            ("false", false), ("off", false), ("on", false), ("2", false),
        ])
    func flags(_ word: String, _ meaning: Bool) {
        let fields = NtfyFields(header: "X-Cache", Array(word.utf8))
        #expect(fields.flag(.isKept) == meaning)
        #expect(fields.flag(.isKept, default: true) == meaning)
        #expect(NtfyFields(query: "cache=").flag(.isKept, default: true))
    }

    @Test("Browsers and proxies mean something else by Priority")
    func browsers() throws {
        for value in ["u=1", "u=1, i", "i", "u=3,i"] {
            let fields = NtfyFields(header: "Priority", Array(value.utf8))
            #expect(try fields.priority() == 0)
            #expect(throws: NtfyRefusal.badPriority) {
                try NtfyFields(header: "X-Priority", Array(value.utf8)).priority()
            }
        }
        var fields = NtfyFields(query: "p=4")
        fields.record(Array("priority".utf8).span, Array("u=1".utf8).span)
        #expect(try fields.priority() == 4)
    }

    @Test(
        "Priorities are numbers or words",
        arguments: [
            ("", 0), ("1", 1), ("min", 1), ("2", 2), ("LOW", 2), ("3", 3), ("default", 3), ("4", 4),
            ("high", 4), ("5", 5), ("Max", 5), ("urgent", 5),
        ])
    func priorities(_ word: String, _ priority: UInt8) throws {
        #expect(try NtfyFields(query: "priority=" + word).priority() == priority)
    }

    @Test(arguments: ["0", "6", "-1", "highest", "3.0", "1 2"])
    func badPriorities(_ word: String) {
        #expect(throws: NtfyRefusal.badPriority) {
            try NtfyFields(header: "X-Priority", Array(word.utf8)).priority()
        }
    }

    @Test("Tags are a list with commas, of at most 512 bytes")
    func tags() throws {
        #expect(try NtfyFields(query: "tags= a , b c,,ü,").tags() == ["a", "b c", "ü"])
        let long = String(repeating: "x", count: 256)
        #expect(try NtfyFields(query: "ta=\(long),\(long)").tags() == [long, long])
        #expect(throws: NtfyRefusal.longTags) {
            try NtfyFields(query: "ta=\(long),\(long),y").tags()
        }
    }

    @Test("Markdown is said by a flag or by the type of the body, UnifiedPush by the encoding")
    func fieldsOfTheBody() {
        for type in ["text/markdown", "Text/Markdown; charset=utf-8", "text/markdown;x"] {
            #expect(NtfyFields(header: "Content-Type", Array(type.utf8)).isMarkdown)
        }
        for type in ["text/plain", "application/json", "text/markdownx"] {
            #expect(NtfyFields(header: "Content-Type", Array(type.utf8)).isMarkdown == false)
        }
        #expect(NtfyFields(query: "md=true").isMarkdown)
        #expect(NtfyFields(query: "up=1").isUnifiedPush)
        #expect(NtfyFields(header: "Content-Encoding", Array("AES128GCM".utf8)).isUnifiedPush)
        #expect(NtfyFields(header: "Content-Encoding", Array("gzip".utf8)).isUnifiedPush == false)
    }

    @Test("Nothing of a request is printed")
    func confidential() {
        let fields = NtfyFields(query: "title=secret")
        #expect("\(fields)" == "<NtfyFields>")
    }

    @Test("Any bytes are a query and a field")
    func anyBytes() {
        for length in 0..<64 {
            let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ length &* 11) }
            var fields = NtfyFields()
            fields.record(query: bytes.span)
            fields.record(bytes.span, bytes.span)
            fields.record(Array("t".utf8).span, bytes.span)
            #expect(fields[.title].utf8.contains(0) == false)
        }
    }
}
