import Base
import Testing

@testable import Topics

@Suite("Names of topics and ids of messages")
struct TopicNameTests {
    @Test(arguments: ["builds", "a", "A-b_9", String(repeating: "x", count: 64)])
    func names(_ text: String) { #expect(TopicName(text)?.text == text) }

    @Test(arguments: ["", "a b", "a/b", "ä", "a,b", "~poll", String(repeating: "x", count: 65)])
    func noNames(_ text: String) { #expect(TopicName(text) == nil) }

    @Test func reserved() throws {
        #expect(try #require(TopicName("v1")).isReserved)
        #expect(try #require(TopicName("V1")).isReserved == false)
    }

    @Test func unifiedPush() throws {
        #expect(try #require(TopicName("upAb3456789012")).isUnifiedPush)
        #expect(try #require(TopicName("upAb345678901")).isUnifiedPush == false)
        #expect(try #require(TopicName("upAb345678-012")).isUnifiedPush == false)
        let key = "upk" + String(repeating: "0a", count: 16)
        #expect(try #require(TopicName(key)).isUnifiedPush)
        #expect(try #require(TopicName(key + "0")).isUnifiedPush == false)
        #expect(try #require(TopicName(key.dropLast() + "g")).isUnifiedPush == false)
    }

    @Test(arguments: [0, 1, 61, 62, 1 << 40, UInt64.max >> 1])
    func ids(_ number: UInt64) throws {
        let id = TopicMessageID(number: number)
        #expect(id.number == number)
        #expect(TopicMessageID(id.text) == id)
    }

    @Test func wrongIDs() throws {
        #expect(TopicMessageID(number: 0).text == "AAAAAAAAAAAA")
        #expect(TopicMessageID("AAAAAAAAAAA") == nil)
        #expect(TopicMessageID("AAAAAAAAAA-A") == nil)
        #expect(try #require(TopicMessageID("999999999999")).number == nil)
    }

    @Test func contentIsReadAsItWasWritten() {
        var content = TopicContent()
        content.title = "title"
        content.tags = ["a", "b"]
        content.priority = 5
        content.gotifyPriority = -2
        content.attachment = TopicAttachment()
        var action = TopicAction()
        action.headers = [TopicAction.Pair("A", "b")]
        content.actions = [action]
        content.isByOwner = true
        var writer = Coder()
        content.code(&writer)
        var reader = Coder(reading: writer.written)
        #expect(reader.coded(TopicContent()) == content)
        #expect(reader.isWhole)
    }
}
