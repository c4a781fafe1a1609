import Base

/// What the alerts of a push have in common.
struct AlertGroup {
    let conversation: String
    let title: String
    let link: JSONNode?

    init(_ root: JSONNode) {
        let key = NoteText.cut(root["groupKey"]?.text ?? "", NoteText.titleLimit)
        conversation = "alerts:\(key)"
        title =
            NoteText.title(root["commonLabels"]?["alertname"])
            ?? NoteText.title(root["groupLabels"]?["alertname"])
            ?? NoteText.title(root["receiver"]) ?? "Alerts"
        link = root["externalURL"]
    }

    var restName: String { "\(conversation):more" }

    func rest(of count: Int64) -> Note {
        var note = Note(
            conversation: conversation, conversationTitle: title, title: title,
            body: count == 1 ? "1 more alert" : "\(count) more alerts")
        note.name = restName
        note.link = NoteText.link(link)
        note.urgency = .low
        return note
    }
}
