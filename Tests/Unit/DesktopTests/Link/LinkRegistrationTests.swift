import Base
import Testing
import WebPush

@testable import Desktop

@Suite("The link to a receiver and what is registered")
struct LinkRegistrationTests {
    private let one = LinkStory.channel(1)

    @Test(
        "The first registration connects, says hello and gets its endpoint")
    func first() {
        var story = LinkStory()
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
        let request = #"{"messageType":"register","channelID":"\#(LinkStory.uuid(1))"}"#
        #expect(story.sent.last == request)
        story.registered(1, "https://p.example/wpush/v1/x")
        #expect(story.told.last == .endpoint(one, "https://p.example/wpush/v1/x"))
    }

    @Test("Without a channel it connects until the receiver has answered once, and then rests")
    func look() {
        var story = LinkStory()
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
        var story = LinkStory()
        story.register(1, known: "https://p.example/1")
        story.fail(8, pausing: .seconds(300))
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
        var story = LinkStory()
        story.register(1)
        story.fail(8, pausing: .seconds(1))
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
        var story = LinkStory(userAgent: "old")
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
        #expect(story.told.contains(.endpoint(LinkStory.channel(2), "https://p.example/2b")))
    }

    @Test("A Bellwire receiver is asked for every channel; only a new endpoint is reported")
    func verified() {
        var story = LinkStory(userAgent: "aa")
        story.register(1, known: "https://p.example/1")
        story.register(2, known: "https://p.example/2")
        story.hello("aa")
        #expect(story.sent.filter { $0.contains("register") }.count == 2)
        story.registered(1, "https://p.example/1")
        story.registered(2, "https://p.example/2b")
        #expect(story.told == [.endpoint(LinkStory.channel(2), "https://p.example/2b")])
    }

    @Test("Another receiver is not asked for channels it has: it would make new endpoints")
    func foreign() {
        var story = LinkStory(userAgent: "aa")
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
        var story = LinkStory()
        story.register(1)
        story.hello("aa")
        story.registered(1, text)
        #expect(story.told.last == .refuse(one, .internal))
        // Nothing else needs the receiver.
        #expect(story.disconnects == 1 && story.link.deadline == nil)
    }

    @Test("A channel that ends while its registration is under way is ended at the receiver")
    func endedUnderWay() {
        var story = LinkStory()
        story.register(1)
        story.hello("aa")
        story.link.unregister(one, at: story.now)
        story.collect()
        #expect(story.sent.last?.contains(#""unregister""#) == true)
        #expect(!story.told.contains(.forget(one)))
    }

    @Test("A registration that failed temporarily is repeated after a minute")
    func retried() {
        var story = LinkStory()
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
        var story = LinkStory()
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
}
