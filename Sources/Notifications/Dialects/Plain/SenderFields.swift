import Base

/// What the header fields and the query of an unencrypted push say about its notification, in the
/// names that ntfy gave them.
package struct SenderFields: Sendable, Confidential {
    var title = ""
    /// The text, if the body is empty.
    var message = ""
    var click = ""
    var tags: [String] = []
    /// 1 (lowest) to 5; nil if the sender did not say.
    var priority: Int64?
    /// The name of a repository's event; not about how it is shown.
    private(set) var event = ""
    /// The sender asks for something that would be another push if it were left out.
    private(set) var objection: PlainDialect.Refusal?
    /// The body is said to be JSON.
    private(set) var isJSON = false
    /// What separates the parts of the body, if it is said to be a form.
    private(set) var boundary: [UInt8]?
    /// The names of what the sender asks for and does not get.
    package internal(set) var ignored: [String] = []

    /// Anything longer is not shown anyway.
    private static let textLimit = 1_024
    private static let messageLimit = 4_096
    private static let clickLimit = 2_048
    static let tagsLimit = 16
    private static let eventLimit = 40
    private static let ignoredLimit = 8
    private static let nameLimit = 40

    package init() {}

    /// Whether nothing of this would be shown.
    package var isEmpty: Bool {
        title.isEmpty && message.isEmpty && click.isEmpty && tags.isEmpty && priority == nil
    }

    /// Records one field of the request; of several with one name, the first counts. Names may begin
    /// with `X-`.
    package mutating func record(_ name: Span<UInt8>, _ value: Span<UInt8>) {
        if let field = SenderField(name) { record(field, name, value) }
    }

    /// Records the query of the target, after the header fields, which count before it.
    package mutating func record(query: Span<UInt8>) {
        for (name, value) in PercentEncoding.pairs(query) {
            // A simple push has its version there.
            if name.elementsEqual("version".utf8) { continue }
            guard let field = SenderField(name.span), field != .event, field != .contentType else {
                ignore(name.span)
                continue
            }
            record(field, name.span, value.span)
        }
    }

    private mutating func record(
        _ field: SenderField, _ name: Span<UInt8>, _ value: Span<UInt8>
    ) {
        // An empty field says nothing.
        guard !value.isEmpty else { return }
        switch field {
        case .title: if title.isEmpty { title = Self.text(value, limit: Self.textLimit) }
        case .message: if message.isEmpty { message = Self.text(value, limit: Self.messageLimit) }
        case .tags: if tags.isEmpty { tags = Self.tags(Self.text(value)) }
        case .click:
            guard click.isEmpty else { return }
            click = Self.link(Self.text(value, limit: .max))
            if click.isEmpty { ignore(name) }
        case .priority: if priority == nil { setPriority(value) }
        case .delay: objection = objection ?? .delayed
        case .event: if event.isEmpty { event = Self.event(value) }
        case .contentType:
            isJSON = MediaType.isOf(value, "application/json")
            boundary = boundary ?? MultipartForm.boundary(value)
        case .other: ignore(name)
        }
    }

    /// The members that say this in JSON.
    var names: [String] {
        var names: [String] = []
        if !title.isEmpty { names.append("title") }
        if priority != nil { names.append("priority") }
        if !tags.isEmpty { names.append("tags") }
        if !click.isEmpty { names.append("click") }
        return names
    }

    /// The body is in a form of its own, beside which nothing of this is shown.
    mutating func ignoreAll() { names.forEach { ignore($0) } }

    mutating func ignore(_ name: String) { ignore(Array(name.utf8).span) }

    /// The push has a body, which counts before a text in a field.
    package mutating func useBody() {
        if !message.isEmpty { ignore("message") }
        message = ""
    }

    private mutating func ignore(_ name: Span<UInt8>) {
        guard ignored.count < Self.ignoredLimit, (1...Self.nameLimit).contains(name.count) else {
            return
        }
        for index in name.indices where !name[index].isWordCharacter { return }
        let text = String(decoding: name.array(name.indices), as: UTF8.self).lowercased()
        if !ignored.contains(text) { ignored.append(text) }
    }

    /// RFC 9218 gave a field of this name another meaning, and browsers send that.
    private mutating func setPriority(_ value: Span<UInt8>) {
        let word = String(decoding: value.array(value.indices), as: UTF8.self)
        guard !Self.isOfBrowser(priority: word) else { return }
        priority = PlainDialect.priority(word)
        if priority == nil { objection = objection ?? .badPriority }
    }

    /// A `Priority` of RFC 9218, and not one of ntfy's words.
    package static func isOfBrowser(priority word: String) -> Bool {
        ["u=", "i=", "i,", "i;"].contains(word.prefix(2)) || word == "i"
    }

    /// Empty for anything but a word.
    private static func event(_ value: Span<UInt8>) -> String {
        guard value.count <= eventLimit else { return "" }
        for index in value.indices {
            let isLetter = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(value[index])
            guard isLetter || value[index] == UInt8(ascii: "_") else { return "" }
        }
        return String(decoding: value.array(value.indices), as: UTF8.self)
    }

    /// The text of a field, cut at a character. Bytes that are not UTF-8 are replaced.
    static func text(_ value: Span<UInt8>, limit: Int = textLimit) -> String {
        cut(EncodedWords.decoded(value.array(value.indices)), limit)
    }

    package static func cut(_ value: [UInt8], _ limit: Int = textLimit) -> String {
        var end = min(value.count, limit)
        // The bytes after the first of a character begin with the bits 10.
        while end > 0, end < value.count, value[end] & 0xC0 == 0x80 { end -= 1 }
        return String(decoding: value[..<end], as: UTF8.self)
    }

    /// Empty for one that is not opened. A link that was cut would lead elsewhere.
    static func link(_ text: String) -> String {
        text.utf8.count <= clickLimit ? DeclarativeDialect.link(text) : ""
    }

    static func tags(_ text: String) -> [String] {
        text.split(separator: ",").prefix(tagsLimit)
            .map { String($0.drop(while: \.isWhitespace)) }
            .map { String($0.prefix { !$0.isWhitespace }) }
            .filter { !$0.isEmpty }
    }
}

/// What a field of a push is about.
enum SenderField {
    case title, message, priority, tags, click
    /// When the push is to be shown.
    case delay
    /// What happened in a repository.
    case event
    case contentType
    /// Something of ntfy's that is not done here.
    case other

    init?(_ name: String) {
        var name = name
        let field = name.withUTF8 { SenderField(Span(_unsafeElements: $0)) }
        guard let field else { return nil }
        self = field
    }

    /// Nil for a field that has nothing to do with notifications. Of header fields there are many
    /// and few concern us, so the length decides first.
    init?(_ name: Span<UInt8>) {
        let isMarked =
            name.count > 2 && name[0].lowercased == UInt8(ascii: "x")
            && name[1] == UInt8(ascii: "-")
        let name = isMarked ? name.extracting(2..<name.count) : name
        let length = name.count
        guard length < Self.known.count else { return nil }
        for (word, field) in Self.known[length] where name.equalsIgnoringCase(word) {
            self = field
            return
        }
        return nil
    }

    /// By the length of the name.
    private static let known: [[(StaticString, SenderField)]] = {
        let all: [(StaticString, SenderField)] = [
            ("title", .title), ("t", .title), ("message", .message), ("m", .message),
            ("priority", .priority), ("prio", .priority), ("p", .priority), ("tags", .tags),
            ("tag", .tags), ("ta", .tags), ("click", .click), ("delay", .delay), ("at", .delay),
            ("in", .delay), ("content-type", .contentType),
            // Forgejo and Gitea send GitHub's field as well as their own.
            ("github-event", .event), ("forgejo-event", .event), ("gitea-event", .event),
            ("actions", .other), ("action", .other), ("attach", .other), ("a", .other),
            ("icon", .other), ("filename", .other), ("file", .other), ("f", .other),
            ("markdown", .other), ("md", .other), ("email", .other), ("e-mail", .other),
            ("call", .other), ("cache", .other), ("firebase", .other), ("timezone", .other),
            ("template", .other), ("tpl", .other), ("sequence-id", .other), ("sequence_id", .other),
            ("sid", .other),
        ]
        let longest = all.map(\.0.utf8CodeUnitCount).max() ?? 0
        return (0...longest).map { length in
            all.filter { $0.0.utf8CodeUnitCount == length }
        }
    }()
}
