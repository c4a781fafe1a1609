import API
import Base
import Testing
import WebPush

@testable import Mailbox
@testable import PushService
@testable import Topics

/// A topic of an owner, made by the API.
private struct MadeTopic {
    let fixture: PushFixture
    let bearer: String
    let answer: HTTPAnswer

    init(
        _ fixture: PushFixture, _ name: String = "builds", _ topic: String? = nil,
        bearer: String? = nil, rest: String = #","trust_clear":true"#
    ) throws {
        self.fixture = fixture
        self.bearer = try bearer ?? fixture.addCredential()
        let terms = topic.map { #","topic":\#($0)"# } ?? ""
        answer = try fixture.api(
            "POST", "registrations", bearer: self.bearer,
            #"{"token_type":10,"app":"script","account":"\#(name)"\#(rest)\#(terms)}"#)
    }

    var made: MadeRegistration? { MadeRegistration(json: answer.body) }
    var details: TopicDetails? { made?.topic }
    var id: String { made?.id ?? "" }

    func change(_ body: String, bearer: String? = nil) throws -> HTTPAnswer {
        try fixture.api(
            "PUT", "registrations/\(id)/topic", bearer: bearer ?? self.bearer, body)
    }

    func listed() throws -> ListedRegistration {
        let answer = try fixture.api("GET", "registrations/\(id)", bearer: bearer)
        return try #require(ListedRegistration(json: answer.body))
    }

    /// Whether a name leads to the topic.
    func isFound(_ naming: TopicNaming) throws -> Bool {
        var namer = try TopicNamer(key: fixture.store.endpointKey)
        let digest = try namer.digest(of: naming)
        return fixture.store.index.topics.device(named: digest) != nil
    }
}

/// The name at the end of an address.
private func name(_ address: String?) throws -> TopicName {
    let last = try #require(address?.split(separator: "/").last)
    return try #require(TopicName(last))
}

@Suite("Topics over the API")
struct TopicAPITests {
    private static let base = "https://push.example"

    private static func closed() throws -> PushFixture {
        try PushFixture { $0.settings = { $0.registration = .token } }
    }

    @Test("A topic has a short address, if its name can be in one; registrations have none")
    func address() throws {
        let fixture = try PushFixture()
        let topic = try MadeTopic(fixture)
        #expect(topic.details == TopicDetails { $0.address = "\(Self.base)/builds" })
        #expect(try topic.listed().topic == topic.details)
        for name in ["nightly build", "api", "message", "s_guess"] {
            #expect(try MadeTopic(fixture, name).details == TopicDetails(), "\(name)")
        }
        #expect(try MadeTopic(fixture, "other", rest: "").details == nil)
        let app = try RegisteredApp(fixture)
        #expect(app.members["topic"] == nil)
        #expect(try !app.call("GET", "registrations/\(app.id)").text.contains("topic"))
    }

    @Test("What people call it is told, stays if nothing is said about it, and can be taken away")
    func application() throws {
        let fixture = try PushFixture()
        let named = #"{"application":{"name":"Nightly","description":"of the server"}}"#
        let topic = try MadeTopic(fixture, "builds", named)
        let application = ApplicationDetails {
            ($0.name, $0.description) = ("Nightly", "of the server")
        }
        #expect(topic.details?.application == application)
        #expect(try topic.listed().topic?.application == application)
        #expect(TopicDetails(json: try topic.change("{}").body)?.application == application)
        let changed = try topic.change(#"{"application":{"description":"new"}}"#)
        let expected = ApplicationDetails { $0.description = "new" }
        #expect(TopicDetails(json: changed.body)?.application == expected)
        _ = try topic.change(#"{"application":{}}"#)
        #expect(try topic.listed().topic?.application == nil)
    }

    @Test("Secret names are made by the server, shown once, and lead to the topic")
    func secrets() throws {
        let fixture = try PushFixture()
        let topic = try MadeTopic(fixture, "builds", #"{"secret":true,"secret_read":true}"#)
        let details = try #require(topic.details)
        let writing = try name(details.secretAddress)
        let reading = try name(details.readingAddress)
        #expect(details.isSecret && details.isSecretlyRead && !details.isOpen)
        #expect(details.secretAddress == "\(Self.base)/\(writing.text)" && writing != reading)
        #expect(writing.text.hasPrefix("s_") && writing.text.utf8.count == 24)
        #expect(try topic.isFound(.secret(writing)) && topic.isFound(.secretForReading(reading)))
        #expect(try !topic.isFound(.secretForReading(writing)))
        #expect(try !topic.isFound(.secret(reading)) && !topic.isFound(.open(writing)))
        let listed = try topic.listed().topic
        #expect(listed?.isSecret == true && listed?.isSecretlyRead == true)
        #expect(listed?.secretAddress == nil && listed?.readingAddress == nil)
        // What is there stays, and is not shown again.
        let changed = try topic.change(#"{"secret":true,"keep":60}"#)
        #expect(changed.status == 200 && !changed.text.contains("s_"))
        #expect(try topic.isFound(.secret(writing)))
        #expect(try !topic.isFound(.secretForReading(reading)))
        let added = try topic.change(#"{"secret":true,"secret_read":true}"#)
        let other = try name(TopicDetails(json: added.body)?.readingAddress)
        #expect(other != reading && !added.text.contains(writing.text))
        try fixture.restart()
        #expect(try topic.isFound(.secret(writing)) && topic.isFound(.secretForReading(other)))
    }

    @Test("A rotation makes other secret names, and the former ones lead nowhere")
    func rotation() throws {
        let fixture = try PushFixture()
        let topic = try MadeTopic(fixture, "builds", #"{"secret":true,"open":true,"keep":0}"#)
        let former = try name(topic.details?.secretAddress)
        let answer = try fixture.api(
            "POST", "registrations/\(topic.id)/rotate", bearer: topic.bearer)
        let rotated = try #require(MadeRegistration(json: answer.body)?.topic)
        #expect(rotated.isOpen && rotated.keep == 0 && rotated.readingAddress == nil)
        #expect(try topic.isFound(.secret(name(rotated.secretAddress))))
        #expect(try !topic.isFound(.secret(former)))
        let plain = try MadeTopic(fixture, "plain", bearer: topic.bearer)
        let again = try fixture.api(
            "POST", "registrations/\(plain.id)/rotate", bearer: topic.bearer)
        #expect(MadeRegistration(json: again.body)?.topic == plain.details)
    }

    @Test("A topic is opened and closed; a name is open for one owner only")
    func open() throws {
        let fixture = try PushFixture()
        let name = try #require(TopicName("builds"))
        let topic = try MadeTopic(fixture, "builds", #"{"open":true}"#)
        #expect(try topic.details?.isOpen == true && topic.isFound(.open(name)))
        let stranger = try fixture.addCredential(owner: "uid:9")
        #expect(
            try MadeTopic(fixture, "builds", #"{"open":true}"#, bearer: stranger).answer.code
                == "409/1028")
        let theirs = try MadeTopic(fixture, "builds", bearer: stranger)
        #expect(theirs.answer.status == 201)
        #expect(try theirs.change(#"{"open":true}"#).code == "409/1028")
        #expect(try theirs.listed().topic?.isOpen == false)
        #expect(try topic.change("{}", bearer: stranger).code == "404/1002")
        #expect(try topic.change("{}").text == #"{"address":"\#(Self.base)/builds"}"#)
        #expect(try !topic.isFound(.open(name)))
        #expect(try theirs.change(#"{"open":true}"#).status == 200)
    }

    @Test("A topic says on which screens a notification stays, and its screens are told")
    func dismissal() throws {
        let fixture = try PushFixture()
        let topic = try MadeTopic(fixture, "builds", #"{"dismiss":"here","keep":60}"#)
        #expect(topic.details?.dismiss == "here")
        let screen = try UserAgent(
            fixture, path: "/api/v1/engine?account=builds&role=viewer",
            [("Authorization", "Bearer \(topic.bearer)")])
        #expect(try screen.members()["dismiss"] as? String == "here")
        for _ in 0..<2 { _ = try screen.next() }
        #expect(try topic.change("{}").status == 200)
        let told = try screen.members()
        #expect(told["@type"] as? String == "bellwire.updateSource" && told["dismiss"] == nil)
        #expect(try topic.listed().topic?.dismiss == nil)
        #expect(try topic.change(#"{"dismiss":"here"}"#).status == 200)
        #expect(try screen.members()["dismiss"] as? String == "here")
        #expect(try topic.listed().topic?.dismiss == "here")
        #expect(try topic.change(#"{"dismiss":"everywhere"}"#).status == 200)
        #expect(try topic.listed().topic?.dismiss == nil)
    }

    @Test("On a closed server only administrators open names; secret names are for everybody")
    func closedServer() throws {
        let fixture = try Self.closed()
        #expect(try MadeTopic(fixture, "builds", #"{"open":true}"#).answer.code == "403/1001")
        let topic = try MadeTopic(fixture, "builds", #"{"secret":true,"keep":86400}"#)
        #expect(topic.details?.keep == 86_400 && topic.details?.secretAddress != nil)
        #expect(try topic.change(#"{"open":true}"#).code == "403/1001")
        #expect(try topic.listed().topic?.isOpen == false)
    }

    @Test(
        "What is no topic, or not for its name, is refused",
        arguments: [
            #"{"open":1}"#, #"{"keep":-1}"#, #"{"keep":31536001}"#, #"{"keep":"7d"}"#,
            #"{"dismiss":"never"}"#, #"{"dismiss":true}"#, #"{"secret_name":"s_mine"}"#,
            #"{"secret":"read"}"#, "[]", #"{"x":true}"#,
        ])
    func malformed(body: String) throws {
        let fixture = try PushFixture()
        #expect(try MadeTopic(fixture, "builds", body).answer.code == "400/1000")
        let topic = try MadeTopic(fixture)
        #expect(try topic.change(body).code == "400/1000")
        #expect(try topic.listed().topic == topic.details)
    }

    @Test("A name that is no short address is neither open nor secret, but keeps messages")
    func longNames() throws {
        let fixture = try PushFixture()
        for name in ["nightly build", "api", "s_guess"] {
            for body in [#"{"open":true}"#, #"{"secret":true}"#, #"{"secret_read":true}"#] {
                #expect(try MadeTopic(fixture, name, body).answer.code == "400/1000", "\(name)")
            }
            #expect(try MadeTopic(fixture, name, #"{"keep":60}"#).details?.keep == 60)
        }
        let app = try RegisteredApp(fixture, app: "telegram")
        #expect(
            try app.call("PUT", "registrations/\(app.id)/topic", #"{"keep":1}"#).code == "404/1002")
        #expect(
            try fixture.api(
                "POST", "registrations", bearer: app.bearer,
                #"{"token_type":10,"app":"a","account":"b","topic":{"keep":1}}"#
            ).code == "400/1000")
    }

    @Test("A question is kept, or not, as its JSON says, and is its owner's own")
    func questions() throws {
        let fixture = try PushFixture()
        let topic = try MadeTopic(fixture)
        func ask(_ rest: String = "") throws -> HTTPAnswer {
            try fixture.api(
                "POST", "questions", bearer: topic.bearer,
                #"{"topic":"builds","message":"Deploy?","ask":["yes"]\#(rest)}"#)
        }
        #expect(try ask(#","cache":"no""#).status == 202)
        #expect(try fixture.history("builds").isEmpty)
        #expect(try ask(#","icon":"https://a.example/b.png""#).status == 202)
        let kept = try fixture.history("builds")
        #expect(kept.map(\.content.text) == ["Deploy?"])
        #expect(kept.allSatisfy { $0.content.isByOwner })
    }

    @Test("A question for which there is no room may be asked later")
    func fullQuestions() throws {
        let fixture = try PushFixture { $0.store = { $0.limits.quota.device.messages = 0 } }
        let topic = try MadeTopic(fixture)
        let answer = try fixture.api(
            "POST", "questions", bearer: topic.bearer,
            #"{"topic":"builds","message":"m","ask":["y"]}"#)
        #expect(answer.code == "429/1037")
        #expect(answer["retry-after"] == "60")
    }
}
