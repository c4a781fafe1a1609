import Base

extension PlainDialect {
    /// Why a push is not shown as its sender means it.
    package enum Refusal: Error {
        case notText
        /// It is to be shown later.
        case delayed
        case badPriority
        /// It is declared as a form, and has something else than texts that are known.
        case badForm
        /// It is declared as JSON.
        case badJSON
    }

    /// The payload of an unencrypted request: its body, or, if header fields say how it is shown,
    /// JSON of both. The engine, callbacks and the store all get this form.
    package static func payload(
        _ body: [UInt8], _ fields: SenderFields
    ) throws(Refusal) -> [UInt8] {
        if let objection = fields.objection { throw objection }
        if let boundary = fields.boundary, !body.isEmpty {
            let (text, missing) = try form(body, boundary, fields)
            return try payload(text, missing)
        }
        guard String(validating: body, as: UTF8.self) != nil else { throw .notText }
        if fields.isJSON, !body.isEmpty, (try? JSONDocument(body)) == nil { throw .badJSON }
        // ntfy's JSON says it there.
        let isLater = object(body).map { text($0) != nil && $0["delay"]?.text?.isEmpty == false }
        if isLater == true { throw .delayed }
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
                if fields.message.isEmpty { missing.forgetTitle() }
                writer.member("message", fields.message.isEmpty ? fields.title : fields.message)
            } else {
                writer.member("message", String(decoding: body, as: UTF8.self))
            }
            missing.write(to: &writer)
        }
        return writer.bytes
    }

    /// The text of a form, and what it says besides, which counts before the header fields.
    private static func form(
        _ body: [UInt8], _ boundary: [UInt8], _ fields: SenderFields
    ) throws(Refusal) -> (text: [UInt8], SenderFields) {
        guard let form = MultipartForm(body, boundary: boundary), !form.fields.isEmpty else {
            throw .badForm
        }
        var text: [UInt8] = []
        var said = fields
        said.forgetBody()
        for (name, value) in form.fields {
            switch name {
            case "message": text = value
            case "title": said.title = SenderFields.text(value.span)
            case "click": said.click = String(decoding: value, as: UTF8.self)
            case "tags": said.tags = SenderFields.tags(value.span)
            case "priority":
                said.priority = priority(String(decoding: value, as: UTF8.self))
                if said.priority == nil { throw .badPriority }
            default: throw .badForm
            }
        }
        guard !text.isEmpty || !said.title.isEmpty else { throw .badForm }
        return (text, said)
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
