import Base
import Testing
import WebPush

@testable import Desktop

@Suite("The link to a receiver, its waits and its messages")
struct LinkConnectionTests {
    private let one = LinkStory.channel(1)

    @Test("Waits grow to a limit, and end at once when the network is back")
    func backoff() {
        var story = LinkStory()
        story.register(1)
        story.fail(12, pausing: .seconds(200))
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
        var story = LinkStory()
        story.register(1)
        story.fail(6, pausing: .seconds(200))
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

    @Test("However often a receiver restarts, the wait after a connection that worked is short")
    func restarts() {
        var story = LinkStory()
        story.register(1)
        for number in 1...8 {
            story.hello("aa")
            story.registered(1, "https://p.example/1")
            story.now += .seconds(3)
            story.closed()
            // The receiver is not there yet at the first attempt.
            story.pass(.milliseconds(500))
            story.closed()
            story.pass(.seconds(1))
            #expect(story.connects == 1 + 2 * number)
        }
    }

    @Test("A receiver that ends connections at once, or answers only hello, is left alone longer")
    func unworking() {
        var story = LinkStory()
        story.register(1, known: "https://p.example/1")
        for _ in 0..<4 {
            story.hello("aa")
            story.closed()
            story.pass(.seconds(10))
        }
        for _ in 0..<2 {
            story.hello("aa")
            story.pass(.seconds(10))
            story.pass(.seconds(200))
        }
        let count = story.connects
        story.closed()
        story.pass(.seconds(31))
        #expect(story.connects == count)
        story.pass(.seconds(1))
        #expect(story.connects == count + 1)
    }

    @Test("After being told to stay away, it reconnects on a new network or registration")
    func resting() {
        var story = LinkStory()
        story.register(1)
        story.hello("aa")
        story.closed(isFinal: true)
        #expect(story.link.deadline == nil)
        story.wake()
        #expect(story.connects == 2)
    }

    @Test("After being told to stay away, a new registration connects at once")
    func restingRegistration() {
        var story = LinkStory()
        story.register(1, known: "https://p.example/1")
        story.hello("aa")
        story.closed(isFinal: true)
        story.register(2)
        #expect(story.connects == 2)
    }

    @Test("A pause that the receiver asked for outlives the last registration")
    func pauseKept() {
        var story = LinkStory(userAgent: "aa")
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
        story.link.unregister(LinkStory.channel(2), at: story.now)
        story.pass(.seconds(60))
        #expect(story.connects == 2)
        #expect(story.link.deadline == nil)
    }

    @Test("After sleep an open connection has ten seconds to prove that it works")
    func probe() {
        var story = LinkStory()
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
        var story = LinkStory()
        story.register(1)
        story.hello("aa")
        story.registered(1, "https://p.example/1")
        let id = LinkStory.uuid(1)
        let text =
            #"{"messageType":"notification","channelID":"\#(id)","version":"v/\"1","data":"YWJj"}"#
        guard case .notification(let message) = story.hear(text) else {
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
        var story = LinkStory(userAgent: "aa", ended: [one])
        story.link.start()
        story.collect()
        story.hello("aa")
        #expect(
            story.sent.last
                == #"{"messageType":"unregister","channelID":"\#(LinkStory.uuid(1))","code":200}"#)
        let channel = LinkStory.uuid(1)
        story.hear(#"{"messageType":"unregister","channelID":"\#(channel)","status":200}"#)
        #expect(story.told == [.forget(one)])
        #expect(story.disconnects == 1)
    }

    @Test("A channel that no receiver knows is forgotten at once")
    func neverKnown() {
        var story = LinkStory()
        story.register(1)
        story.link.unregister(one, at: story.now)
        story.collect()
        #expect(story.told == [.forget(one)])
    }

    @Test(
        "A malformed message ends the connection",
        arguments: ["", "x", "[]", #"{"messageType":"notification"}"#, #"{"messageType":"hello"}"#])
    func rubbish(text: String) {
        var story = LinkStory()
        story.register(1)
        story.hello("aa")
        story.hear(text)
        #expect(story.disconnects == 1)
    }

    @Test("aesgcm's fields come in three lines before the body; withdrawals are reported")
    func bodies() {
        var story = LinkStory()
        story.register(1)
        story.hello("aa")
        let channel = LinkStory.uuid(1)
        let start = #"{"messageType":"notification","channelID":"\#(channel)","version":"1""#
        let headers = #""headers":{"encoding":"aesgcm","encryption":"salt=a","crypto_key":"dh=b"}"#
        let text = start + #","data":"YQ",\#(headers),"ttl":5}"#
        guard case .notification(let message) = story.hear(text) else {
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
