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
        case tooDeep
    }

    /// The payload of an unencrypted request: its body, or, if header fields say how it is shown,
    /// JSON of both. The engine, callbacks and the store all get this form. What is not shown is added
    /// to what `fields` ignores.
    package static func payload(
        _ body: [UInt8], _ fields: inout SenderFields
    ) throws(Refusal) -> [UInt8] {
        if let objection = fields.objection { throw objection }
        if let boundary = fields.boundary, !body.isEmpty {
            let text = try fields.take(form: body, boundary)
            return try payload(text, &fields)
        }
        guard String(validating: body, as: UTF8.self) != nil else { throw .notText }
        let said = try json(body, isDeclared: fields.isJSON).map(PlainMembers.init)
            .flatMap { $0.body == nil ? nil : $0 }
        if let said { try fields.note(said) }
        guard !fields.isEmpty else { return body }
        var writer = JSONWriter(capacity: body.count + 256)
        writer.object { writer in
            var missing = fields
            if let said, !said.root.isTooNested {
                missing.forget(said)
                let names = missing.names
                for (name, value) in said.root.firstMembers where !names.contains(name) {
                    writer.name(text: name)
                    writer.value(value)
                }
            } else if body.isEmpty {
                // A title alone is all there is to say.
                if fields.message.isEmpty { missing.title = "" }
                writer.member("message", fields.message.isEmpty ? fields.title : fields.message)
            } else {
                writer.member("message", String(decoding: body, as: UTF8.self))
            }
            missing.write(to: &writer)
        }
        return writer.bytes
    }

    /// Nil for anything but an object.
    private static func json(_ body: [UInt8], isDeclared: Bool) throws(Refusal) -> JSONNode? {
        guard !body.isEmpty else { return nil }
        do throws(JSONScanner.Failure) {
            let root = try JSONDocument(body).root
            return root.kind == .object ? root : nil
        } catch {
            guard isDeclared else { return nil }
            throw error == .tooDeep ? Refusal.tooDeep : Refusal.badJSON
        }
    }
}

extension SenderFields {
    /// Records the fields of a form, which count before the others, and returns its text.
    fileprivate mutating func take(
        form body: [UInt8], _ boundary: [UInt8]
    ) throws(PlainDialect.Refusal) -> [UInt8] {
        guard let form = MultipartForm(body, boundary: boundary) else { throw .badForm }
        var text: [UInt8] = []
        var said = SenderFields()
        for (name, value) in form.fields {
            let name = Array(name.utf8)
            switch SenderField(name.span) {
            case .message: if text.isEmpty { text = value }
            case .title, .priority, .tags, .click, .delay: said.record(name.span, value.span)
            case .event, .contentType, .other, nil: throw .badForm
            }
        }
        guard !text.isEmpty || !said.title.isEmpty else { throw .badForm }
        said.fill(from: self)
        self = said
        return text
    }

    /// Takes from other fields what these leave open, but nothing about their body.
    private mutating func fill(from other: SenderFields) {
        if title.isEmpty { title = other.title }
        if click.isEmpty { click = other.click }
        if tags.isEmpty { tags = other.tags }
        priority = priority ?? other.priority
        ignored = other.ignored
    }

    /// Objects to what JSON says like a field, and names what is ignored of it.
    fileprivate mutating func note(_ said: PlainMembers) throws(PlainDialect.Refusal) {
        let root = said.root
        // Shorter words for these may be data of the sender's own.
        if root["delay"]?.saysSomething == true { throw .delayed }
        if let node = root["priority"], node.saysSomething, PlainDialect.priority(node) == nil {
            throw .badPriority
        }
        if let click = said.text(.click), Self.link(click).isEmpty { ignore("click") }
        for (name, value) in root.members where value.saysSomething {
            // A picture that JSON holds is shown.
            let isShown = name == "icon" && value.text?.hasPrefix("data:") == true
            if SenderField(name) == .other, !isShown { ignore(name) }
        }
    }

    /// What the body says itself counts before a field.
    fileprivate mutating func forget(_ said: PlainMembers) {
        if said.text(.title) != nil { title = "" }
        if said.text(.click) != nil { click = "" }
        if said.first(.tags, { $0 }) != nil { tags = [] }
        if said.priority != nil { priority = nil }
    }

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

    /// As for header fields, an empty text says nothing.
    var saysSomething: Bool { kind != .null && text != "" }
}
