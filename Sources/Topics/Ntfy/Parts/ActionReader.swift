package import Base

/// Reads the buttons of a message as senders write them. Their ids are made later.
package enum ActionReader {
    /// Clients send header fields of some KiB.
    private static let longestText = 16 << 10
    private static let mostPairs = 64

    /// From a parameter: an array of JSON, or the short form.
    package static func actions(_ text: String) throws(NtfyRefusal) -> [TopicAction] {
        let bytes = Array(text.utf8)
        guard bytes.count <= longestText else { throw NtfyRefusal.badActions.because("too long") }
        guard bytes.first(where: { !$0.isBlank }) == UInt8(ascii: "[") else {
            var form = ShortActions(bytes)
            return try checked(try form.actions())
        }
        guard let document = try? JSONDocument(bytes) else {
            throw NtfyRefusal.badActions.because("no valid JSON")
        }
        return try actions(document.root)
    }

    /// From JSON, where null is the same as no member.
    package static func actions(_ node: JSONNode) throws(NtfyRefusal) -> [TopicAction] {
        guard node.kind != .null else { return [] }
        guard node.kind == .array else { throw NtfyRefusal.badActions.because("no array") }
        let actions = try node.elements.prefix(TopicAction.most + 1).enumerated().map {
            (index, element) throws(NtfyRefusal) in
            var action = TopicAction(element)
            action.kind = try kind(element["action"]?.text ?? "", of: index)
            action.id = ""
            return action
        }
        return try checked(actions)
    }

    static func kind(_ word: String, of index: Int) throws(NtfyRefusal) -> TopicAction.Kind {
        let kind = TopicAction.Kind.allCases.first { $0.word == word.lowercased() }
        guard let kind else { throw refusal(index, word.isEmpty ? "no action" : "unknown action") }
        return kind
    }

    static func refusal(_ index: Int, _ reason: String) -> NtfyRefusal {
        NtfyRefusal.badActions.because("number \(index + 1): \(reason)")
    }

    private static func checked(_ actions: [TopicAction]) throws(NtfyRefusal) -> [TopicAction] {
        guard actions.count <= TopicAction.most else {
            throw NtfyRefusal.badActions.because("more than \(TopicAction.most)")
        }
        return try actions.enumerated().map { (index, action) throws(NtfyRefusal) in
            var action = action
            action.method = action.method.uppercased()
            guard action.headers.count <= mostPairs, action.extras.count <= mostPairs else {
                throw refusal(index, "too many headers or extras")
            }
            action.headers = last(action.headers)
            action.extras = last(action.extras)
            if let flaw = flaw(action) { throw refusal(index, flaw) }
            return action
        }
    }

    private static func flaw(_ action: TopicAction) -> String? {
        guard !action.label.isEmpty else { return "no label" }
        return switch action.kind {
        case .view, .http:
            if action.url.isEmpty {
                "no url"
            } else if !action.body.isEmpty, ["GET", "HEAD"].contains(action.method) {
                "a body with a method that has none"
            } else {
                nil
            }
        case .copy: action.value.isEmpty ? "no value" : nil
        case .broadcast: nil
        }
    }

    /// Of pairs with one name, the last.
    private static func last(_ pairs: [TopicAction.Pair]) -> [TopicAction.Pair] {
        pairs.indices.filter { index in
            !pairs[(index + 1)...].contains { $0.name == pairs[index].name }
        }.map { pairs[$0] }
    }
}

/// As readers of messages get it.
extension TopicAction: JSONObject {
    package mutating func fields(_ fields: inout JSONFields) {
        fields.member("id", &id)
        fields.constant("action", kind.word)
        fields.member("label", &label)
        fields.member("clear", &clears)
        fields.text("url", &url)
        fields.text("method", &method)
        Self.pairs("headers", &headers, &fields)
        fields.text("body", &body)
        fields.text("intent", &intent)
        Self.pairs("extras", &extras, &fields)
        fields.text("value", &value)
    }

    private static func pairs(
        _ name: StaticString, _ pairs: inout [Pair], _ fields: inout JSONFields
    ) {
        var texts = pairs.map { (name: $0.name, value: $0.value) }
        fields.member(name, texts: &texts)
        pairs = texts.map { Pair($0.name, $0.value) }
    }
}
