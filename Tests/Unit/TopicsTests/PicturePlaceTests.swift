import Testing

@testable import Topics

@Suite("Where the picture of a message may be")
struct PicturePlaceTests {
    private func file(_ type: String) -> TopicAttachment {
        var file = TopicAttachment()
        (file.url, file.type) = ("https://push.example/base/file/AbC.png", type)
        return file
    }

    private func places(
        _ attachment: TopicAttachment?, icon: String = ""
    ) -> [PicturePlace] {
        var content = TopicContent()
        (content.attachment, content.icon) = (attachment, icon)
        return content.picturePlaces
    }

    @Test("A file of the server's own counts before links, and an icon last")
    func order() {
        let link = TopicAttachment(link: "https://a.example/x.jpg")
        #expect(places(nil).isEmpty)
        #expect(places(file("image/png")) == [.file("AbC.png")])
        #expect(places(file("image/jpeg"), icon: "i") == [.file("AbC.png"), .link("i")])
        #expect(places(link, icon: "i") == [.link("https://a.example/x.jpg"), .link("i")])
        for type in ["image/gif", "image/webp", "application/pdf", "text/html; charset=utf-8"] {
            #expect(places(file(type)).isEmpty, "\(type)")
        }
    }

    @Test("Only what is kept has a name by which its picture is found")
    func name() throws {
        var content = TopicContent()
        let id = TopicMessageID(number: 7)
        #expect(TopicMessage(id: id, time: 1, keptFor: 60, content).pictureName == "")
        content.icon = "https://a.example/i.png"
        #expect(TopicMessage(id: id, time: 1, keptFor: 60, content).pictureName == id.text)
        #expect(TopicMessage(id: id, time: 1, keptFor: 0, content).pictureName == "")
    }
}
