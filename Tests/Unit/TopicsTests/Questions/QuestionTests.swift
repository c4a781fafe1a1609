import Base
import Foundation
import Testing

@testable import Topics

@Suite("Questions")
struct QuestionTests {
    private static let asker: UInt32 = 7

    private func question(_ answers: [String] = ["yes", "no"]) throws -> Question {
        var content = TopicContent()
        (content.title, content.text) = ("CI", "Deploy?")
        var asked = try TopicQuestion(answers)
        asked.number = 42
        content.question = asked
        let message = TopicMessage(id: TopicMessageID(number: 5), time: 100, content)
        return try #require(
            Question(message, at: 3, by: Self.asker, until: 700, keptFor: 60))
    }

    private func expect(
        _ verdict: Question.Verdict, _ expected: Question.Verdict,
        at place: SourceLocation = #_sourceLocation
    ) {
        #expect(verdict == expected, sourceLocation: place)
    }

    private func press(_ answer: String, number: UInt64 = 42, by row: UInt32 = 9) -> QuestionPress {
        QuestionPress(
            .text(answer), to: number, by: QuestionPresser(row, named: "ann", at: .screen))
    }

    @Test("The first answer is the result, and whoever comes later gets the same")
    func first() throws {
        var question = try question()
        expect(question.pressed(press("no"), at: 200), .ended)
        let result = question.result
        #expect(result?.answer == "no" && result?.by == "ann" && result?.at == 200)
        expect(question.pressed(press("yes"), at: 201), .late)
        let hasExpired = question.expired(at: 202)
        #expect(!hasExpired)
        let asker = QuestionPresser(Self.asker, named: "ci", at: .request)
        expect(question.withdrawn(by: asker, mayAlways: true, at: 203), .late)
        #expect(question.result == result)
        let json = String(decoding: question.json(), as: UTF8.self)
        #expect(
            json
                == #"{"id":"\#(question.id.text)","state":"answered","answer":"no","by":"ann","at":200}"#
        )
    }

    @Test("Neither the asker, nor another number, nor another answer ends it")
    func refused() throws {
        var question = try question()
        expect(question.pressed(press("yes", by: Self.asker), at: 1), .refused(.forbidden))
        expect(question.pressed(press("yes", number: 41), at: 1), .refused(.otherQuestion))
        expect(question.pressed(press("maybe"), at: 1), .refused(.noAnswer))
        let place = QuestionPress(.place(2), to: 42, by: press("").by)
        expect(question.pressed(place, at: 1), .refused(.noAnswer))
        let other = QuestionPresser(9, named: "", at: .request)
        expect(question.withdrawn(by: other, mayAlways: false, at: 1), .refused(.forbidden))
        #expect(question.isOpen)
        // Also of one that has ended.
        _ = question.expired(at: 2)
        expect(question.pressed(press("yes", number: 41), at: 3), .refused(.otherQuestion))
    }

    @Test("After its time an answer comes too late, and finds it expired")
    func late() throws {
        var question = try question()
        expect(question.pressed(press("yes"), at: 800, isLate: true), .ended)
        #expect(question.result?.ending == .expired && question.result?.answer == "")
    }

    @Test("The asker takes it back, and so does the owner")
    func withdrawn() throws {
        for (row, isOwner) in [(Self.asker, false), (9, true)] {
            var question = try question()
            let presser = QuestionPresser(row, named: "x", at: .request)
            expect(question.withdrawn(by: presser, mayAlways: isOwner, at: 5), .ended)
            #expect(question.result?.ending == .withdrawn && question.result?.by == "x")
        }
    }

    @Test("Any text is an answer where that was asked for, without what moves a cursor")
    func text() throws {
        var question = try question(["yes", "*"])
        #expect(question.asked.takesText && question.asked.answers == ["yes"])
        expect(question.pressed(press("\u{1b} "), at: 1), .refused(.noAnswer))
        expect(question.pressed(press(" a\u{1b}[2J\nb "), at: 1), .ended)
        #expect(question.result?.answer == "a[2J\nb")
    }

    @Test("It comes back from the disk as it was, and its end says the result")
    func stored() throws {
        var question = try question()
        #expect(Question.decoded(question.coded) == question)
        _ = question.pressed(press("yes"), at: 200)
        #expect(Question.decoded(question.coded) == question)
        let ending = question.ending
        #expect(ending.question == nil && ending.actions.isEmpty && ending.title == "CI")
        #expect(ending.text == "Deploy?\n→ yes (ann, on the screen)")
    }

    @Test(
        "Answers are shown as they are, or the question is refused",
        arguments: [
            [], [""], ["a", "a"], ["a", "b", "c", "d"], ["\u{1b}[2J"], ["a\nb"], ["\u{202e}a"],
            [" a"], [String(repeating: "x", count: 61)],
        ])
    func hostile(answers: [String]) {
        #expect(throws: NtfyRefusal.self) { try TopicQuestion(answers) }
    }

    @Test("A button has its question in its name")
    func button() throws {
        for place in [nil, 0, 2] {
            let button = QuestionButton(TopicMessageID(number: 5), .max, place: place)
            #expect(QuestionButton(name: button.name) == button)
        }
        for name in ["", "question", "question:x:1:0", "reply", "question:AAAAAAAAAAAF:x:0"] {
            #expect(QuestionButton(name: name) == nil)
        }
    }
}

@Suite("Requests that ask")
struct QuestionRequestTests {
    private func publication(
        query: String = "", fields: [(String, String)] = []
    ) throws -> Publication {
        var all = NtfyFields()
        for (name, value) in fields {
            all.record(Array(name.utf8).span, Array(value.utf8).span)
        }
        all.record(query: Array(query.utf8).span)
        return try Publication(
            all, Array("Deploy?".utf8),
            Publication.Circumstances(now: 0, mayUpload: true) { _ in nil })
    }

    @Test("Answers are a list, or one each time; wait is for how long")
    func answers() throws {
        let short = try #require(try publication(query: "ask=yes,%20no&wait=10m").question)
        #expect(short.question.answers == ["yes", "no"] && short.lifetime == 600 && short.isHeld)
        let long = try #require(
            try publication(query: "answer=a,b&answer=c&wait=3600").question)
        #expect(long.question.answers == ["a,b", "c"] && long.lifetime == 3_600)
        let field = try #require(try publication(fields: [("X-Ask", "yes")]).question)
        #expect(!field.isHeld && field.lifetime == 600 && field.key.isEmpty)
        let asynchronous = try #require(
            try publication(
                query: "ask=yes&wait=5s&sid=k", fields: [("Prefer", "wait=1, Respond-Async")]
            ).question)
        #expect(!asynchronous.isHeld && asynchronous.lifetime == 5 && asynchronous.key == "k")
        #expect(try publication().question == nil)
    }

    @Test("JSON asks with a list of texts")
    func json() throws {
        var fields = NtfyFields()
        let body = #"{"topic":"t","message":"Deploy?","ask":["a","b,c"],"wait":"1m"}"#
        let published = try fields.record(json: Array(body.utf8))
        let publication = try Publication(
            fields, published.text,
            Publication.Circumstances(now: 0, mayUpload: true) { _ in nil })
        #expect(publication.question?.question.answers == ["a", "b,c"])
        #expect(publication.question?.lifetime == 60)
    }

    @Test(
        "What cannot be asked is refused",
        arguments: [
            "ask=yes&wait=2h", "ask=yes&wait=0", "ask=yes&wait=soon", "ask=yes&in=10m",
            "ask=yes&up=1", "ask=yes&actions=view,a,https://a.example", "ask=a,b,c,d", "ask=a,a",
        ])
    func refused(query: String) {
        #expect(throws: NtfyRefusal.self) { try publication(query: query) }
    }

    @Test("A question has addresses of its own")
    func routes() throws {
        func route(_ method: String, _ path: String) -> NtfyRoute? {
            try? NtfyRoute(method: method, path: Array(path.utf8).span)
        }
        let id = TopicMessageID(number: 77)
        #expect(route("GET", "/v1/questions/\(id.text)") == .question(id))
        #expect(route("DELETE", "/v1/questions/\(id.text)") == .withdraw(id))
        #expect(route("POST", "/v1/questions/\(id.text)/answer") == .answer(id))
        #expect(route("GET", "/v1/questions/x") == nil)
        #expect(route("POST", "/v1/questions/\(id.text)") == nil)
    }
}
