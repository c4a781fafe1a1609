import Base
import Notifications

/// What is published to `/`: the topic and the text, as the body of a request to that topic.
package struct PublishedJSON: Sendable, Confidential {
    package let topic: TopicName
    package let text: [UInt8]

    /// A longer JSON is not read.
    package static let limit = 8_192
}

extension NtfyFields {
    /// Records the members of a JSON body, which count before header fields.
    package mutating func record(json body: [UInt8]) throws(NtfyRefusal) -> PublishedJSON {
        guard body.count <= PublishedJSON.limit else { throw .largeJSON }
        guard let root = try? JSONDocument(body).root, root.kind == .object else { throw .badJSON }
        var (topic, text) = ("", "")
        for (name, node) in root.members where node.kind != .null {
            switch name.lowercased() {
            case "topic": topic = try node.string()
            case "message": text = try node.string()
            case let name: try record(name, node)
            }
        }
        guard let topic = TopicName(topic) else { throw .badTopic }
        guard !topic.isReserved else { throw .reservedTopic }
        record(topic: topic)
        // The type of the body is not that of the text.
        overwrite(.isRaw, "1")
        return PublishedJSON(topic: topic, text: Array(text.utf8))
    }

    private mutating func record(_ name: String, _ node: JSONNode) throws(NtfyRefusal) {
        switch name {
        case "title": overwrite(.title, try node.string())
        case "click": overwrite(.click, try node.string())
        case "attach": overwrite(.attach, try node.string())
        case "icon": overwrite(.icon, try node.string())
        case "filename": overwrite(.filename, try node.string())
        case "delay": overwrite(.delay, try node.string())
        case "timezone": overwrite(.timezone, try node.string())
        case "ask", "answers":
            guard node.kind == .array else {
                overwrite(.ask, try node.string())
                break
            }
            for answer in node.elements { overwrite(.answer, try answer.string()) }
        case "wait": overwrite(.wait, try node.string())
        case "sequence_id": overwrite(.sequence, try node.string())
        case "email": overwrite(.email, try node.string())
        case "call": overwrite(.call, try node.string())
        case "cache": overwrite(.isKept, try node.string())
        case "firebase": overwrite(.usesFirebase, try node.string())
        case "markdown":
            guard let isMarkdown = node.bool else { throw .badJSON }
            if isMarkdown { overwrite(.isMarkdown, "1") }
        case "priority":
            // A word or a number as text is an error for ntfy; here it means what it says.
            guard let word = node.kind == .number ? node.integer.map(String.init) : node.text
            else { throw .badJSON }
            if word != "0" { overwrite(.priority, word) }
        case "tags":
            guard node.kind == .array else { throw .badJSON }
            var tags: [String] = []
            for tag in node.elements where tag.kind != .null { tags.append(try tag.string()) }
            overwrite(.tags, tags.joined(separator: ","))
        case "actions":
            guard node.kind == .array else { throw .badJSON }
            actions = node
        default: break
        }
    }

    /// The body may be a form of texts: it is not said to be anything else.
    var isForText: Bool {
        !flag(.isRaw) && self[.filename].isEmpty && self[.attach].isEmpty && self[.pollID].isEmpty
    }

    /// Records the fields of a form of texts, as `curl -F` sends it, and returns its message; nil if
    /// the body is no form.
    mutating func record(form body: [UInt8]) throws(NtfyRefusal) -> [UInt8]? {
        guard let boundary = MultipartForm.boundary(Array(self[.contentType].utf8).span) else {
            return nil
        }
        guard let form = MultipartForm(body, boundary: boundary) else {
            throw .invalid.because("a form can have texts only")
        }
        var text: [UInt8] = []
        for (name, value) in form.fields {
            let value = String(decoding: value, as: UTF8.self)
            switch name {
            case "message": text = Array(value.utf8)
            case "title": overwrite(.title, value)
            case "priority": overwrite(.priority, value)
            default: throw .invalid.because("a form can have message, title and priority")
            }
        }
        return text
    }
}

extension JSONNode {
    fileprivate func string() throws(NtfyRefusal) -> String {
        guard let text else { throw .badJSON }
        return text
    }
}
