import Base
import Testing

@testable import Topics

@Suite("Messages of other servers")
struct ImportedMessageTests {
    private func message(_ json: String) throws -> ImportedMessage? {
        ImportedMessage(try JSONDocument(Array(json.utf8)).root)
    }

    @Test("An id of another server leads to the same number each time, and ours to their own")
    func ids() throws {
        for number: UInt64 in [0, 1, 62, .max >> 1] {
            #expect(TopicMessageID(number: number).folded == number)
        }
        let id = try #require(TopicMessageID("zzzzzzzzzzzz"))
        #expect(id.number == nil && id.folded <= .max >> 1)
        #expect(id.folded != TopicMessageID("zzzzzzzzzzzy")?.folded)
        let taken = try #require(try message(#"{"id":"zzzzzzzzzzzz","time":5,"message":"a"}"#))
        #expect(taken.message.id.number == id.folded)
        #expect(taken.message.sequence == "zzzzzzzzzzzz" && taken.message.time == 5)
    }

    @Test("What ntfy tells its readers is what it says here")
    func ntfy() throws {
        let taken = try #require(
            try message(
                """
                {"id":"AbCdEf012345","time":100,"expires":200,"event":"message","topic":"t",
                "sequence_id":"disk","title":"Backup","message":"done","priority":4,
                "tags":["tada","","x"],"click":"https://a.example/","icon":"ftp://x","actions":[
                {"id":"0123456789","action":"view","label":"Open","url":"https://b.example/"}],
                "attachment":{"name":"log","url":"https://c.example/log"},
                "content_type":"text/markdown","encoding":""}
                """))
        let content = taken.message.content
        #expect(taken.message.sequence == "disk" && taken.upload == nil)
        #expect(content.title == "Backup" && content.text == "done" && content.priority == 4)
        #expect(content.tags == ["tada", "x"] && content.click == "https://a.example/")
        #expect(content.icon.isEmpty && content.isMarkdown && !content.isBase64)
        #expect(content.actions.map(\.label) == ["Open"])
        #expect(content.actions.first?.id.count == TopicAction.idLength)
        #expect(content.attachment?.url == "https://c.example/log")
        #expect(content.attachment?.name == "log")
    }

    @Test("What Gotify has keeps its number and its extras")
    func gotify() throws {
        let taken = try #require(
            try message(
                """
                {"gotify":true,"id":"AbCdEf012345","time":100,"title":" ","message":"done",
                "priority":9,"extras":{"client::display":{"contentType":"text/markdown"},"x":1}}
                """))
        let content = taken.message.content
        #expect(content.gotifyPriority == 9 && content.isMarkdown && content.title.isEmpty)
        #expect(content.extras.contains(#""x":1"#))
    }

    @Test("A file comes with its name and its kind, and a link to it does not")
    func file() throws {
        let taken = try #require(
            try message(
                """
                {"id":"AbCdEf012345","time":100,"message":"m","file":"JVBERi0xLjQ=",
                "attachment":{"name":"a.pdf"}}
                """))
        #expect(taken.upload?.bytes == Array("%PDF-1.4".utf8) && taken.upload?.suffix == ".pdf")
        let attachment = try #require(taken.message.content.attachment)
        #expect(attachment.name == "a.pdf")
        #expect(attachment.type == "application/pdf" && attachment.size == 8)
        #expect(attachment.url.isEmpty)
    }

    @Test(
        "Anything else is none",
        arguments: [
            "[]", "1", #"{"time":1,"message":"a"}"#, #"{"id":"short","time":1,"message":"a"}"#,
            #"{"id":"AbCdEf012345","message":"a"}"#,
            #"{"id":"AbCdEf012345","time":-1,"message":"a"}"#,
            #"{"id":"AbCdEf012345","time":1e99,"message":"a"}"#,
            #"{"id":"AbCdEf012345","time":1}"#, #"{"id":"AbCdEf012345","time":1,"message":7}"#,
            #"{"id":"AbCdEf012345","time":1,"gotify":true,"message":[]}"#,
        ])
    func none(_ json: String) throws { #expect(try message(json) == nil) }

    @Test("A text that is too long is none; tags, buttons and icons that are wrong are left out")
    func limits() throws {
        let long = String(repeating: "a", count: ImportedMessage.textLimit + 1)
        let start = #"{"id":"AbCdEf012345","time":1,"message":""#
        #expect(try message(start + long + #""}"#) == nil)
        #expect(try message(start + long.dropLast() + #""}"#) != nil)
        let rest = #"a","tags":7,"priority":9,"actions":[{"action":"x"}],"title":""# + long + #""}"#
        let taken = try #require(try message(start + rest))
        let content = taken.message.content
        #expect(content.tags.isEmpty && content.priority == 0 && content.actions.isEmpty)
        #expect(content.title.utf8.count <= Publication.titleLimit)
    }
}
