package import Base
import Notifications

/// A message that another server has kept, as a request brings it: in ntfy's words for its readers,
/// or, with the member `gotify`, in Gotify's.
package struct ImportedMessage: Sendable, Confidential {
    /// Its sequence is its former id, unless its sender named another. So whoever knows that id
    /// changes it here, too.
    package let message: TopicMessage
    /// The file that came with it. Of its attachment the address and the end are missing.
    package let upload: Publication.Upload?

    package static let textLimit = 1 << 20
    private static let wordLimit = 4_096

    /// Nil if it is none. Only what it says has to be right; what else cannot be read is left out.
    package init?(_ node: JSONNode) {
        guard let former = node["id"]?.text.flatMap({ TopicMessageID($0) }),
            let time = node["time"]?.integer, time > 0, time < 1 << 40,
            var content = Self.content(node)
        else { return nil }
        let id = TopicMessageID(number: former.folded)
        for index in content.actions.indices {
            let number = former.folded &+ UInt64(index + 1)
            content.actions[index].id = String(
                TopicMessageID(number: number).text.suffix(TopicAction.idLength))
        }
        let file = node["file"]?.text.flatMap { Base64.decode(Array($0.utf8)) }
        let name = TopicAttachment.fileName(node["attachment"]?["name"]?.text ?? "")
        upload = file.flatMap { Publication.Upload(file: $0, named: name, in: &content) }
        guard !content.text.isEmpty else { return nil }
        let sequence = node["sequence_id"]?.text.flatMap { TopicName($0)?.text }
        message = TopicMessage(id: id, sequence: sequence ?? former.text, time: time, content)
    }

    private static func content(_ node: JSONNode) -> TopicContent? {
        let isGotify = node["gotify"]?.bool == true
        guard
            var content = isGotify
                ? try? TopicContent(GotifyFields(node), defaultPriority: 0)
                : TopicContent(ofReader: node),
            content.text.utf8.count <= textLimit,
            [content.click, content.icon, content.attachment?.url ?? ""].allSatisfy({
                $0.utf8.count <= wordLimit
            })
        else { return nil }
        content.title = SenderFields.cut(Array(content.title.utf8), Publication.titleLimit)
        return content
    }
}

extension TopicContent {
    private static let mostTags = 64

    /// What ntfy tells its readers of a message.
    fileprivate init(ofReader node: JSONNode) {
        self.init()
        (title, text) = (node["title"]?.text ?? "", node["message"]?.text ?? "")
        let number = node["priority"]?.integer ?? 0
        priority = 0...5 ~= number ? UInt8(number) : 0
        let words = node["tags"]?.elements.compactMap(\.text).filter { !$0.isEmpty } ?? []
        tags = words.count <= Self.mostTags ? words : []
        click = node["click"]?.text ?? ""
        icon = node["icon"]?.text.flatMap { $0.isWebAddress ? $0 : nil } ?? ""
        if let node = node["actions"], let read = try? ActionReader.actions(node) { actions = read }
        if let node = node["attachment"], node.kind == .object {
            let (link, name) = (node["url"]?.text ?? "", node["name"]?.text ?? "")
            if link.isWebAddress { attachment = TopicAttachment(link: link, named: name) }
        }
        isMarkdown = node["content_type"]?.text == "text/markdown"
        isBase64 = node["encoding"]?.text == "base64"
    }
}

extension Publication.Upload {
    /// The content has it as its attachment. Nil for a file that is empty or too long.
    fileprivate init?(file: [UInt8], named name: String, in content: inout TopicContent) {
        guard 1...Publication.uploadLimit ~= file.count else { return nil }
        let type = FileType(of: file)
        var attachment = TopicAttachment()
        attachment.name = name.isEmpty ? "attachment" + type.suffix : name
        (attachment.type, attachment.size) = (type.name, Int64(file.count))
        content.attachment = attachment
        self.init(bytes: file, suffix: type.suffix)
    }
}
