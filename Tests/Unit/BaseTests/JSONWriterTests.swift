import Base
import Testing

@Suite("JSON writer")
struct JSONWriterTests {
    @Test("Commas are written only between values")
    func commas() {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("a", "x")
            writer.name("b")
            writer.array { writer in
                writer.raw("1")
                writer.object { _ in }
                writer.string("y")
            }
            writer.member("c", 2)
        }
        #expect(writer.text == #"{"a":"x","b":[1,{},"y"],"c":2}"#)
    }

    @Test("Text that could harm a terminal is escaped, and reads back unchanged")
    func escapes() throws {
        let text = "a\"\\\n\t\u{1B}[31m\u{7F}\u{9B}\u{202E}\u{2028}\u{E0001}😀ü"
        var writer = JSONWriter()
        writer.string(text)
        #expect(!writer.text.unicodeScalars.contains(where: Printable.isUnsafe))
        #expect(
            writer.text
                == #""a\"\\\n\t\u001b[31m\u007f\u009b\u202e\u2028\#u{E0001}😀ü""#)
        var scanner = JSONScanner(writer.bytes)
        guard case .string(let read) = try scanner.next() else {
            Issue.record("a string was written")
            return
        }
        #expect(scanner.string(read) == text)
    }

    @Test(
        "Characters that need escaping are found at any position and length", arguments: 0..<20)
    func notPlain(length: Int) {
        let plain = String(repeating: "a", count: length)
        for place in 0...length {
            for (letter, written) in [
                ("\"", #"\""#), ("\\", #"\\"#), ("\u{1F}", #"\u001f"#), ("\u{7F}", #"\u007f"#),
                ("\u{9B}", #"\u009b"#), ("~", "~"), (" ", " "), ("ü", "ü"),
            ] {
                var writer = JSONWriter()
                writer.string(plain.prefix(place) + letter + plain.dropFirst(place))
                #expect(
                    writer.text == "\"" + plain.prefix(place) + written + plain.dropFirst(place)
                        + "\"")
            }
        }
    }

    @Test(
        "Durations and sizes are written for people",
        arguments: [0, 7, -7, 10, 1_234_567_890, .max, .min])
    func numbers(number: Int) {
        var writer = JSONWriter()
        writer.array { writer in
            writer.number(number)
            writer.number(-1)
        }
        #expect(writer.text == "[\(number),-1]")
    }

    @Test("Foreign JSON is written again with one spelling and without repeated names")
    func anew() throws {
        let text = ##"""
            { "a" : [1, 2.50, -0, {}, [], null, true], "b":"\u0041\/\ud800\u202e",
              "a" : 2, "\u0062": 3, "c": {"d": "ü"} }
            """##
        var writer = JSONWriter()
        writer.value(try JSONDocument(Array(text.utf8)).root)
        #expect(
            writer.text
                == ##"{"a":[1,2.50,-0,{},[],null,true],"b":"A/\##u{FFFD}\u202e","c":{"d":"ü"}}"##)
        writer.removeAll()
        let loose = #"{"a":01,"b":+-1,"c":.5,"d":-5,"e":1e}"#
        writer.value(try JSONDocument(Array(loose.utf8), isTolerant: true).root)
        #expect(writer.text == #"{"a":"01","b":"+-1","c":".5","d":-5,"e":"1e"}"#)
    }
}
