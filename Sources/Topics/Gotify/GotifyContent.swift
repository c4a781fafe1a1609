import Base

extension TopicContent {
    /// What a sender of Gotify says. What senders may not decide is ignored: id and date, and
    /// beside an application's token its id.
    package init(_ fields: GotifyFields, defaultPriority: Int64) throws(GotifyRefusal) {
        self.init()
        text = try fields.text("message") ?? ""
        guard !text.isEmpty else { throw .missing("message") }
        title = try fields.text("title") ?? ""
        if title.isBlank { title = "" }
        gotifyPriority = try fields.number("priority") ?? defaultPriority
        guard let extras = try fields.object("extras"), !extras.members.isEmpty else { return }
        self.extras = JSONText.anew(extras)
        isMarkdown = extras["client::display"]?["contentType"]?.text == "text/markdown"
        let notification = extras["client::notification"]
        click = notification?["click"]?["url"]?.text ?? ""
        let picture = notification?["bigImageUrl"]?.text ?? ""
        if picture.isWebAddress { attachment = TopicAttachment(link: picture) }
    }
}
