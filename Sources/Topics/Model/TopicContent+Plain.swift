import Base
import Notifications

extension TopicMessage {
    /// The payload that the engine of a topic gets, in the JSON of the dialect `topic`.
    package var plainPayload: [UInt8] {
        var writer = JSONWriter(capacity: min(content.text.utf8.count, 4_096) + 256)
        writer.object { writer in
            content.write(to: &writer, id)
            // A later state of something changes in place what is shown of it.
            if sequence != id.text { writer.member("sequence_id", sequence) }
        }
        return writer.bytes
    }
}

extension TopicContent {
    /// Nobody reads more on a screen, and the engine keeps what it shows.
    private static let shownLimit = 4_096

    fileprivate func write(to writer: inout JSONWriter, _ id: TopicMessageID) {
        if !title.isEmpty { writer.member("title", title) }
        writer.member("message", SenderFields.cut(Array(text.utf8), Self.shownLimit))
        if ntfyPriority > 0 { writer.member("priority", ntfyPriority) }
        if !tags.isEmpty {
            writer.name("tags")
            writer.array { writer in tags.forEach { writer.string($0) } }
        }
        if !click.isEmpty { writer.member("click", click) }
        if isMarkdown { writer.member("markdown", true) }
        let shown = question?.buttons(of: id) ?? actions.compactMap(\.shown)
        guard !shown.isEmpty else { return }
        writer.name("actions")
        writer.array { writer in
            for var action in shown { writer.object { $0.fields { action.fields(&$0) } } }
        }
    }
}

extension TopicAction {
    /// The engine keeps what it shows.
    private static let shownLimit = 4_096
    private static let labelLimit = 256

    /// The button on a screen; nil for one that a screen cannot have.
    fileprivate var shown: Presentation.Action? {
        let kind: Presentation.Action.Kind
        switch self.kind {
        case .view: kind = .view
        case .http: kind = .http
        case .copy: kind = .copy
        // Other programs of a phone are told.
        case .broadcast: return nil
        }
        let label = SenderFields.cut(Array(label.utf8), Self.labelLimit)
        var action = Presentation.Action(name: id, label: label, link: url, kind: kind)
        (action.clears, action.value) = (clears, value)
        if kind == .http {
            action.method = sentMethod
            action.fields = headers.map { .init($0.name, $0.value) }
            (action.body, action.mayStayInside) = (body, mayStayInside)
        }
        let size = action.fields.reduce(url.utf8.count + body.utf8.count + value.utf8.count) {
            $0 + $1.name.utf8.count + $1.value.utf8.count
        }
        return size <= Self.shownLimit ? action : nil
    }
}
