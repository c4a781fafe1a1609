import Base
import Testing

/// An object with members of all kinds.
private struct Thing: ListedObject, Equatable {
    static let list: StaticString = "things"

    var name = ""
    var count = 0
    var isOpen = false
    var note: String?
    var last: Int?
    var isRare = false
    var isKnown = true
    var numbers: [Int] = []
    var times: [Int] = []
    var causes: [JSONCount] = []
    var depth = 0
    var parts: [Thing] = []

    mutating func fields(_ fields: inout JSONFields) {
        fields.constant("@type", "thing")
        fields.member("name", &name)
        fields.member("count", &count)
        fields.member("open", &isOpen)
        fields.member("note", &note)
        fields.member("last", &last)
        fields.flag("rare", &isRare)
        fields.denial("unknown", &isKnown)
        fields.member("numbers", &numbers)
        fields.member("times", seconds: &times)
        fields.member("causes", counts: &causes)
        fields.member("place") { $0.member("depth", &depth) }
        fields.member("parts", &parts)
    }
}

@Suite("Objects with one list of members")
struct JSONFieldsTests {
    private let small = #""numbers":[],"times":[],"place":{"depth":0},"parts":[]}"#

    @Test("What is written is read again, and what may be left out is")
    func both() {
        let bare = Thing { $0.name = "a" }
        #expect(
            String(decoding: bare.json, as: UTF8.self)
                == #"{"@type":"thing","name":"a","count":0,"open":false,"# + small)
        let full = Thing {
            $0.name = "\"b\""
            $0.count = -5
            $0.isOpen = true
            $0.note = "n"
            $0.last = 7
            $0.isRare = true
            $0.isKnown = false
            $0.numbers = [1, 2]
            $0.times = [500, 2_500_000]
            $0.causes = [JSONCount("late", 2)]
            $0.depth = 3
            $0.parts = [bare]
        }
        #expect(
            String(decoding: full.json, as: UTF8.self) == """
                {"@type":"thing","name":"\\"b\\"","count":-5,"open":true,"note":"n","last":7,\
                "rare":true,"unknown":true,"numbers":[1,2],"times":[0.0005,2.5],\
                "causes":{"late":2},"place":{"depth":3},\
                "parts":[{"@type":"thing","name":"a","count":0,"open":false,\(small)]}
                """)
        for thing in [bare, full] { #expect(Thing(json: thing.json) == thing) }
        #expect([Thing](json: [bare, full].json) == [bare, full])
        #expect(String(decoding: [Thing]().json, as: UTF8.self) == #"{"things":[]}"#)
    }

    @Test(
        "An answer in which something is missing is no answer, but shows what it has",
        arguments: [
            #"{"name":"a"}"#, #"{"name":"a","count":"x","open":0,"parts":7,"place":[]}"#,
            #"{"name":"a","times":["x",1e400],"causes":[1],"numbers":{}}"#,
        ])
    func missing(text: String) throws {
        let json = Array(text.utf8)
        #expect(Thing(json: json) == nil && [Thing](json: json) == nil)
        #expect(Thing(try JSONDocument(json).root) == Thing { $0.name = "a" })
    }
}
