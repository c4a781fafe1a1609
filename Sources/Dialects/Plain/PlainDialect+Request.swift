import Base

extension PlainDialect {
    package enum Refusal: Error { case notText }

    /// The payload of an unencrypted request: its body, or, if header fields say how it is shown,
    /// JSON of both. The engine, callbacks and the store all get this form.
    package static func payload(
        _ body: [UInt8], _ fields: SenderFields
    ) throws(Refusal) -> [UInt8] {
        guard String(validating: body, as: UTF8.self) != nil else { throw .notText }
        guard !fields.isEmpty else { return body }
        var writer = JSONWriter(capacity: body.count + 256)
        writer.object { writer in
            var missing = fields
            if let root = object(body), text(root) != nil, !root.isTooNested {
                missing.forget(root)
                for (name, value) in root.firstMembers {
                    writer.name(text: name)
                    writer.value(value)
                }
            } else if body.isEmpty {
                // A title alone is all there is to say.
                missing.forgetTitle()
                writer.member("message", fields.title)
            } else {
                writer.member("message", String(decoding: body, as: UTF8.self))
            }
            missing.write(to: &writer)
        }
        return writer.bytes
    }
}

extension SenderFields {
    /// What the body says itself counts before a field.
    fileprivate mutating func forget(_ root: JSONNode) {
        if root.has("title") { title = "" }
        if root.has("click") { click = "" }
        if root.has("tags") { tags = [] }
        if root.has("priority") { priority = nil }
    }

    fileprivate mutating func forgetTitle() { title = "" }

    fileprivate func write(to writer: inout JSONWriter) {
        if !title.isEmpty { writer.member("title", title) }
        if let priority { writer.member("priority", Int(priority)) }
        if !tags.isEmpty {
            writer.name("tags")
            writer.array { writer in tags.forEach { writer.string($0) } }
        }
        if !click.isEmpty { writer.member("click", click) }
    }
}

extension JSONNode {
    /// Its members; of several with one name, only the first.
    var firstMembers: [(name: String, value: JSONNode)] {
        var names: Set<String> = []
        return members.filter { names.insert($0.name).inserted }
    }
}
