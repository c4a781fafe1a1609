import Base
import Testing
import WebPush

@testable import Desktop

/// A link, and a receiver that answers as the test says.
private struct Story {
    var link: Link
    var now = Duration.seconds(1_000)
    var connects = 0
    var disconnects = 0
    var greetings = 0
    var sent: [String] = []
    var told: [Link.Action] = []

    init(userAgent: String? = nil, ended: [ChannelID] = []) {
        link = Link(userAgent: userAgent, ended: ended)
    }

    static func channel(_ number: UInt64) -> ChannelID {
        ChannelID(Bits128(high: 0x1234_5678_0000_4000, low: number))
    }

    static func uuid(_ number: UInt64) -> String {
        var text: [UInt8] = []
        channel(number).bits.appendUUID(to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    mutating func collect() {
        for action in link.takeActions() {
            switch action {
            case .connect: connects += 1
            case .disconnect: disconnects += 1
            case .greeted: greetings += 1
            case .send(let text): sent.append(String(decoding: text, as: UTF8.self))
            default: told.append(action)
            }
        }
    }

    mutating func register(_ number: UInt64, key: ApplicationKey? = nil, known: String? = nil) {
        link.register(Self.channel(number), key: key, known: known, at: now)
        collect()
    }

    mutating func opened() {
        link.opened(at: now)
        collect()
    }

    @discardableResult
    mutating func hear(_ text: String) -> Link.Arrival? {
        let bytes = Array(text.utf8)
        let arrival = link.received(bytes.span, at: now, chance: 0)
        collect()
        return arrival
    }

    mutating func hello(_ name: String, isOurs: Bool = true) {
        opened()
        let extensions = isOurs ? #","extensions":["ttl","topic","urgency","withdrawn"]"# : ""
        hear(#"{"messageType":"hello","uaid":"\#(name)","status":200\#(extensions)}"#)
    }

    mutating func registered(_ number: UInt64, _ endpoint: String, status: Int = 200) {
        hear(
            #"{"messageType":"register","channelID":"\#(Self.uuid(number))","status":\#(status)"#
                + #","pushEndpoint":"\#(endpoint)"}"#)
    }

    mutating func closed(isFinal: Bool = false, pause: Duration = .zero) {
        link.closed(at: now, chance: 0, pause: pause, isFinal: isFinal)
        collect()
    }

    mutating func pass(_ time: Duration) {
        now += time
        link.elapsed(at: now, chance: 0)
        collect()
    }

    mutating func wake() {
        link.wake(at: now)
        collect()
    }
}

@Suite("The link to a receiver")
struct LinkTests {
    private let one = Story.channel(1)

    @Test(
        "The first registration connects, says hello and gets its endpoint")
    func first() {
        var story = Story()
        story.register(1, known: nil)
        #expect(story.connects == 1)
        story.opened()
        #expect(
            story.sent == [
                #"{"messageType":"hello","use_webpush":true,"broadcasts":{},"#
                    + #""extensions":["ttl","topic","urgency","withdrawn"]}"#
            ])
        story.hello("aa")
        #expect(story.told == [.remember(userAgent: "aa")])
        let request = #"{"messageType":"register","channelID":"\#(Story.uuid(1))"}"#
        #expect(story.sent.last == request)
        story.registered(1, "https://p.example/wpush/v1/x")
        #expect(story.told.last == .endpoint(one, "https://p.example/wpush/v1/x"))
    }

    @Test("Without a channel it connects until the receiver has answered once, and then rests")
    func look() {
        var story = Story()
        story.link.start()
        story.collect()
        #expect(story.connects == 1)
        story.closed()
        story.pass(.seconds(1))
        #expect(story.connects == 2)
        story.hello("aa")
        #expect(story.greetings == 1)
        #expect((story.disconnects, story.link.deadline) == (1, nil))
        story.wake()
        #expect(story.connects == 2)
        story.register(1)
        #expect(story.connects == 3)
    }

    @Test("Who has just registered gets the endpoint within a second of the receiver's return")
    func hurry() {
        var story = Story()
        story.register(1, known: "https://p.example/1")
        for _ in 0..<8 {
            story.closed()
            story.pass(.seconds(300))
        }
        story.closed()
        story.pass(.seconds(100))
        let connects = story.connects
        story.register(2)
        story.pass(.milliseconds(800))
        #expect(story.connects == connects + 1)
        story.closed()
        story.pass(.milliseconds(800))
        #expect(story.connects == connects + 2)
        // The receiver asked for it.
        story.closed(pause: .seconds(60))
        story.register(3)
        story.pass(.seconds(59))
        #expect(story.connects == connects + 2)
        story.pass(.seconds(1))
        // Ten minutes later nobody is in a hurry any more.
        story.now += Link.hurry
        story.closed()
        story.pass(.seconds(10))
        #expect(story.connects == connects + 3)
    }

    @Test("Once all channels have their endpoints, waits are long again")
    func endOfHurry() {
        var story = Story()
        story.register(1)
        for _ in 0..<8 {
            story.closed()
            story.pass(.seconds(1))
        }
        story.hello("aa")
        story.registered(1, "https://p.example/1")
        let connects = story.connects
        story.closed()
        story.pass(.seconds(10))
        #expect(story.connects == connects)
    }

    @Test(
        "A receiver that forgot us is asked for all channels; new endpoints are reported"
    )
    func stateLost() {
        var story = Story(userAgent: "old")
        story.register(1, known: "https://p.example/1")
        story.register(2, known: "https://p.example/2")
        story.hello("new", isOurs: false)
        #expect(story.sent.count == 3)
        story.registered(1, "https://p.example/1b")
        // A restart now must ask for the second channel too, so it must not know the new name.
        #expect(!story.told.contains(.remember(userAgent: "new")))
        story.registered(2, "https://p.example/2b")
        #expect(story.told.last == .remember(userAgent: "new"))
        #expect(story.told.contains(.endpoint(one, "https://p.example/1b")))
        #expect(story.told.contains(.endpoint(Story.channel(2), "https://p.example/2b")))
    }

    @Test("A Bellwire receiver is asked for every channel; only a new endpoint is reported")
    func verified() {
        var story = Story(userAgent: "aa")
        story.register(1, known: "https://p.example/1")
        story.register(2, known: "https://p.example/2")
        story.hello("aa")
        #expect(story.sent.filter { $0.contains("register") }.count == 2)
        story.registered(1, "https://p.example/1")
        story.registered(2, "https://p.example/2b")
        #expect(story.told == [.endpoint(Story.channel(2), "https://p.example/2b")])
    }

    @Test("Another receiver is not asked for channels it has: it would make new endpoints")
    func foreign() {
        var story = Story(userAgent: "aa")
        story.register(1, known: "https://p.example/1")
        story.hello("aa", isOurs: false)
        #expect(story.sent.count == 1)
        story.link.setLeastUrgency(.high)
        story.collect()
        #expect(story.sent.count == 1)
    }

    @Test(
        "A malformed endpoint is refused",
        arguments: [
            "", "ftp://x", "https://p.example/ a",
            "https://" + String(repeating: "x", count: 1_000),
        ])
    func badEndpoint(text: String) {
        var story = Story()
        story.register(1)
        story.hello("aa")
        story.registered(1, text)
        #expect(story.told.last == .refuse(one, .internal))
        // Nothing else needs the receiver.
        #expect(story.disconnects == 1 && story.link.deadline == nil)
    }

    @Test("A registration that failed temporarily is repeated after a minute")
    func retried() {
        var story = Story()
        story.register(1)
        story.hello("aa")
        story.registered(1, "", status: 500)
        #expect(story.told.count == 1)
        story.pass(.seconds(60))
        #expect(story.sent.count { $0.contains(#""register""#) } == 2)
    }

    @Test(
        "Eight requests run at once; after ten seconds without an answer the link gives up")
    func requests() {
        var story = Story()
        for number in 1...20 { story.register(UInt64(number)) }
        story.hello("aa")
        #expect(story.sent.count == 9)
        story.hear(#"{"messageType":"register","channelID":"x","status":200}"#)
        #expect(story.disconnects == 1)
        story.pass(.seconds(1))
        #expect(story.connects == 2)
        story.hello("aa")
        #expect(story.sent.count == 18)
        story.pass(.seconds(10))
        #expect(story.disconnects == 2)
    }

    @Test("Waits grow to a limit, and end at once when the network is back")
    func backoff() {
        var story = Story()
        story.register(1)
        for _ in 0..<12 {
            story.closed()
            story.pass(.seconds(200))
        }
        #expect(story.connects == 13)
        story.closed()
        story.pass(.seconds(149))
        #expect(story.connects == 13)
        story.wake()
        #expect(story.connects == 14)
        story.wake()
        #expect(story.connects == 14)
    }

    @Test(
        "A connection of half a minute resets the wait; a pause that the server asks is kept")
    func settled() {
        var story = Story()
        story.register(1)
        for _ in 0..<6 {
            story.closed()
            story.pass(.seconds(200))
        }
        story.hello("aa")
        story.now += .seconds(30)
        story.closed()
        story.pass(.milliseconds(500))
        #expect(story.connects == 8)
        story.closed(pause: .seconds(120))
        story.pass(.seconds(119))
        #expect(story.connects == 8)
        story.pass(.seconds(1))
        #expect(story.connects == 9)
    }

    @Test("After being told to stay away, it reconnects on a new network or registration")
    func resting() {
        var story = Story()
        story.register(1)
        story.hello("aa")
        story.closed(isFinal: true)
        #expect(story.link.deadline == nil)
        story.wake()
        #expect(story.connects == 2)
    }

    @Test("After being told to stay away, a new registration connects at once")
    func restingRegistration() {
        var story = Story()
        story.register(1, known: "https://p.example/1")
        story.hello("aa")
        story.closed(isFinal: true)
        story.register(2)
        #expect(story.connects == 2)
    }

    @Test("A pause that the receiver asked for outlives the last registration")
    func pauseKept() {
        var story = Story(userAgent: "aa")
        story.register(1)
        story.closed(pause: .seconds(60))
        story.link.unregister(one, at: story.now)
        story.register(2)
        #expect(story.connects == 1)
        story.pass(.seconds(60))
        #expect(story.connects == 2)
        // Nothing needs the receiver any more when the next pause is over.
        story.hello("aa")
        story.closed(pause: .seconds(60))
        story.link.unregister(Story.channel(2), at: story.now)
        story.pass(.seconds(60))
        #expect(story.connects == 2)
        #expect(story.link.deadline == nil)
    }

    @Test("After sleep an open connection has ten seconds to prove that it works")
    func probe() {
        var story = Story()
        story.register(1)
        story.hello("aa")
        story.registered(1, "https://p.example/1")
        story.wake()
        #expect(story.sent.last == "{}")
        story.hear("{}")
        story.pass(.seconds(10))
        #expect(story.connects == 1)
        story.now += .seconds(100)
        story.wake()
        story.pass(.seconds(10))
        #expect((story.connects, story.disconnects) == (2, 1))
        // The server limits how often a client may ping.
        story.hello("aa")
        story.registered(1, "https://p.example/1")
        let count = story.sent.count
        story.wake()
        story.hear("{}")
        story.wake()
        #expect(story.sent.count == count + 1)
    }

    @Test("Messages finished while offline are acknowledged after the next hello")
    func acknowledged() {
        var story = Story()
        story.register(1)
        story.hello("aa")
        story.registered(1, "https://p.example/1")
        let id = Story.uuid(1)
        let text =
            #"{"messageType":"notification","channelID":"\#(id)","version":"v/\"1","data":"YWJj"}"#
        guard case .message(let message) = story.hear(text) else {
            Issue.record("no message")
            return
        }
        #expect(message.body == Array("abc".utf8))
        #expect(message.ttl == nil)
        story.closed()
        story.link.acknowledge(one, version: message.version, isDelivered: true)
        story.pass(.seconds(1))
        story.hello("aa")
        #expect(
            story.sent.contains(
                #"{"messageType":"ack","updates":[{"channelID":"\#(id)","version":"v/\"1","code":100}]}"#
            ))
    }

    @Test(
        "A channel that ends offline is unregistered later; the last one ends the connection")
    func ended() {
        var story = Story(userAgent: "aa", ended: [one])
        story.link.start()
        story.collect()
        story.hello("aa")
        #expect(
            story.sent.last
                == #"{"messageType":"unregister","channelID":"\#(Story.uuid(1))","code":200}"#)
        story.hear(#"{"messageType":"unregister","channelID":"\#(Story.uuid(1))","status":200}"#)
        #expect(story.told == [.forget(one)])
        #expect(story.disconnects == 1)
    }

    @Test("A channel that no receiver knows is forgotten at once")
    func neverKnown() {
        var story = Story()
        story.register(1)
        story.link.unregister(one, at: story.now)
        story.collect()
        #expect(story.told == [.forget(one)])
    }

    @Test(
        "A malformed message ends the connection",
        arguments: ["", "x", "[]", #"{"messageType":"notification"}"#, #"{"messageType":"hello"}"#])
    func rubbish(text: String) {
        var story = Story()
        story.register(1)
        story.hello("aa")
        story.hear(text)
        #expect(story.disconnects == 1)
    }

    @Test("aesgcm's fields come in three lines before the body; withdrawals are reported")
    func bodies() {
        var story = Story()
        story.register(1)
        story.hello("aa")
        let start = #"{"messageType":"notification","channelID":"\#(Story.uuid(1))","version":"1""#
        let headers = #""headers":{"encoding":"aesgcm","encryption":"salt=a","crypto_key":"dh=b"}"#
        guard case .message(let message) = story.hear(start + #","data":"YQ",\#(headers),"ttl":5}"#)
        else {
            Issue.record("no message")
            return
        }
        #expect(
            String(decoding: message.body, as: UTF8.self)
                == "aesgcm\nEncryption: salt=a\nCrypto-Key: dh=b\na")
        #expect(message.ttl == 5)
        guard case .withdrawn(one, "1") = story.hear(start + #","withdrawn":true}"#) else {
            Issue.record("not withdrawn")
            return
        }
    }
}

@Suite("The urgency floor of this machine")
struct UrgencyFloorTests {
    @Test(
        "Power and network decide about the floor",
        arguments: [
            (false, nil, false, Urgency.veryLow), (false, nil, true, .low),
            (true, 80.0, false, .low), (true, 80, true, .normal), (true, 15, false, .high),
            (true, 15.5, false, .low), (false, 3, false, .veryLow),
        ] as [(Bool, Double?, Bool, Urgency)])
    func floor(isOnBattery: Bool, charge: Double?, isMetered: Bool, least: Urgency) {
        let power = PowerState(isOnBattery: isOnBattery, charge: charge)
        #expect(Urgency.floor(power, isMetered: isMetered) == least)
    }
}

@Suite("The list of receivers")
struct ReceiverAddressTests {
    @Test("One address per line; comments and repetitions are skipped")
    func list() throws {
        let file =
            "# mine\n\nwss://push.example/u/abc\n ws://localhost:80/u/x\nwss://push.example/u/abc"
        let list = try ReceiverAddress.list(Array(file.utf8))
        #expect(list.map(\.text) == ["wss://push.example/u/abc", "ws://localhost:80/u/x"])
    }

    @Test(
        "https means the same as wss, with a path or without",
        arguments: [
            ("https://push.example/u/abc", "wss://push.example/u/abc", "https://push.example"),
            ("wss://push.example/u/abc", "wss://push.example/u/abc", "https://push.example"),
            ("HTTPS://push.example:8443", "wss://push.example:8443", "https://push.example:8443"),
            ("wss://push.example/", "wss://push.example/", "https://push.example"),
            (
                "https://site.example/push/u/abc", "wss://site.example/push/u/abc",
                "https://site.example/push"
            ),
            ("http://localhost:80/u/x", "ws://localhost:80/u/x", "http://localhost:80"),
        ])
    func forms(written: String, text: String, baseURL: String) throws {
        let address = try #require(ReceiverAddress(written))
        #expect(address.text == text && address.baseURL == baseURL)
        #expect(address.url == (try #require(ReceiverAddress(text))).url)
        let list = try ReceiverAddress.list(Array("\(written)\n\(text)\n".utf8))
        #expect(list.map(\.text) == [text])
    }

    @Test("Accounts follow the address, with the application that opens them")
    func accounts() throws {
        let file = Array("wss://a.example/u/x telegram/me matrix/@me:b.c=org.example.Chat".utf8)
        #expect(
            try ReceiverAddress.list(file)[0].accounts == [
                EngineAccount(app: "telegram", account: "me"),
                EngineAccount(app: "matrix", account: "@me:b.c", entry: "org.example.Chat"),
            ])
        let source = EngineAccount(app: "telegram", account: "me").source(at: "a.example")
        #expect((source.id, source.name) == ("telegram/me@a.example", "Telegram"))
        // A script is known by what the user called it.
        #expect(EngineAccount(app: "script", account: "build").source(at: "a").name == "build")
    }

    @Test("An account opens the application of its first registration that names one")
    func registrations() throws {
        let list = """
            {"registrations":[{"app":"telegram","account":"me"},
            {"app":"telegram","account":"me","service":"org.example.First"},
            {"app":"matrix","account":"me","service":"org.example.Chat"},
            {"app":"telegram","account":"me","service":"org.example.Second"},
            {"app":"telegram","account":"you"},{"app":"telegram"}]}
            """
        let accounts = EngineAccount.list(registrations: try JSONDocument(Array(list.utf8)).root)
        #expect(
            accounts == [
                EngineAccount(app: "telegram", account: "me", entry: "org.example.First"),
                EngineAccount(app: "matrix", account: "me", entry: "org.example.Chat"),
                EngineAccount(app: "telegram", account: "you"),
            ])
        #expect(accounts.map { $0.source(at: "localhost").service?.last } == ["t", "t", nil])
    }

    @Test(
        "A malformed address is refused with its line number, and is not shown",
        arguments: [
            "wss://a.example/u/secret me", "wss://a.example/u/secret a/", "wss://b/u/secret /b=",
            "wss://b/u/secret a/b=", "ws://push.example/u/secret", "http://push.example/u/secret",
            "a b", "wss://", "https://", "httpx://push.example/u/secret",
        ])
    func refused(line: String) {
        let refusal = #expect(throws: ReceiverAddress.Refusal.self) {
            try ReceiverAddress.list(Array("# one\n\(line)".utf8))
        }
        #expect(refusal?.line == 2)
        #expect(refusal.map { "\($0)\($0.hint)".contains("secret") } == false)
    }
}
