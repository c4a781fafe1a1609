import Base
import Notifications

/// The parameters of a request in ntfy's language, from its path, JSON, header fields and query.
///
/// A parameter with several values has the one of the place that comes first in this list, and
/// there of the name that comes first in the list of its names.
package struct NtfyFields: Sendable, Confidential {
    private var values: [NtfyParameter: Value] = [:]
    /// The buttons of a JSON body, which are no text.
    var actions: JSONNode?
    /// Each that was named, in this order.
    private var answers: [String] = []

    private struct Value {
        let text: String
        let rank: Int
    }

    /// The rank of what counts before header fields, and of the first name of a query.
    private static let (before, query) = (-1, 100)

    package init() {}

    /// Records a header field of the request.
    package mutating func record(_ name: Span<UInt8>, _ value: Span<UInt8>) {
        guard !value.isEmpty, let name = NtfyParameterName(name) else { return }
        let text = Self.text(EncodedWords.decoded(value.array(value.indices)))
        // Browsers and proxies send another `Priority`; `X-Priority` is ntfy's alone.
        if name.parameter == .priority, name.rank == 1, SenderFields.isOfBrowser(priority: text) {
            return
        }
        set(name.parameter, text, rank: name.rank)
    }

    /// Records the query of the target, whose names are in lower case.
    package mutating func record(query: Span<UInt8>) {
        for (name, value) in PercentEncoding.pairs(query) where !name.contains(where: \.isCapital) {
            guard let known = NtfyParameterName(name.span), known.parameter.isOfQueries else {
                continue
            }
            set(known.parameter, Self.text(value), rank: Self.query + known.rank)
        }
    }

    /// Records what the path of a published message says.
    package mutating func record(topic: TopicName, sequence: String = "") {
        if topic.isUnifiedPush { overwrite(.isUnifiedPush, "1") }
        overwrite(.sequence, sequence)
    }

    /// Sets what counts before all header fields.
    package mutating func overwrite(_ parameter: NtfyParameter, _ text: String) {
        set(parameter, Self.text(Array(text.utf8)), rank: Self.before)
    }

    /// An empty value says nothing.
    private mutating func set(_ parameter: NtfyParameter, _ text: String, rank: Int) {
        if parameter == .answer { answers.append(text) }
        guard !text.isEmpty, rank < values[parameter]?.rank ?? .max else { return }
        values[parameter] = Value(text: text, rank: rank)
    }

    /// Bytes that are not UTF-8 are replaced.
    private static func text(_ bytes: [UInt8]) -> String {
        let text = String(decoding: bytes.filter { $0 != 0 }, as: UTF8.self)
        return String(text[...].trimmed)
    }
}

extension NtfyFields {
    /// Empty if nothing says it.
    package subscript(parameter: NtfyParameter) -> String { values[parameter]?.text ?? "" }

    package func flag(_ parameter: NtfyParameter, default: Bool = false) -> Bool {
        guard let word = values[parameter]?.text else { return `default` }
        return ["1", "yes", "true"].contains(word.lowercased())
    }

    /// The body is for an application that uses UnifiedPush, which may have encrypted it.
    package var isUnifiedPush: Bool {
        flag(.isUnifiedPush) || self[.contentEncoding].lowercased() == "aes128gcm"
    }

    /// What the request asks; nil if it asks nothing.
    func question() throws(NtfyRefusal) -> QuestionWish? {
        let list = self[.ask].split(separator: ",").map { String($0.trimmed) }
        let all = list.filter { !$0.isEmpty } + answers
        guard !all.isEmpty else { return nil }
        let preferences = self[.preference].lowercased().split(separator: ",").map(\.trimmed)
        return try QuestionWish(
            all, key: self[.sequence], wait: self[.wait],
            isHeld: !preferences.contains("respond-async"))
    }

    /// For how many seconds a request wants to wait; nil if it does not say so.
    package func wait() throws(NtfyRefusal) -> UInt32? { try QuestionWish.seconds(self[.wait]) }

    var isMarkdown: Bool {
        let type = Array(self[.contentType].utf8)
        return flag(.isMarkdown) || MediaType.isOf(type.span, "text/markdown")
    }

    /// From 1 to 5; 0 for none.
    func priority() throws(NtfyRefusal) -> UInt8 {
        let word = self[.priority]
        guard !word.isEmpty else { return 0 }
        guard let priority = PlainDialect.priority(word) else { throw .badPriority }
        return UInt8(priority)
    }

    func tags() throws(NtfyRefusal) -> [String] {
        let tags = self[.tags].split(separator: ",").map { String($0.trimmed) }
            .filter { !$0.isEmpty }
        guard tags.reduce(0, { $0 + $1.utf8.count }) <= 512 else { throw .longTags }
        return tags
    }

    /// The address that a parameter holds; empty for none.
    func webAddress(
        _ parameter: NtfyParameter, else refusal: NtfyRefusal
    ) throws(NtfyRefusal) -> String {
        let address = self[parameter]
        guard address.isEmpty || address.isWebAddress else { throw refusal }
        return address
    }
}

extension UInt8 {
    fileprivate var isCapital: Bool { lowercased != self }
}
