import Base
import Notifications

/// What a request publishes to a topic.
package struct Publication: Equatable, Sendable, Confidential {
    package private(set) var content = TopicContent()
    /// Nil if it is not a state of an earlier message.
    package private(set) var sequence: String?
    /// When a delayed message is due, in seconds since 1970.
    package private(set) var due: Int64?
    package private(set) var isKept = true
    /// It is for the streams of an application alone, and nobody is shown it.
    package private(set) var isUnifiedPush = false
    /// The message that the readers are asked to fetch from another server. Such a request is not
    /// kept.
    package private(set) var pollID: String?
    /// The file that came as the body. Of its attachment the address and the end are missing.
    package private(set) var upload: Upload?
    /// It is a question.
    package private(set) var question: QuestionWish?
    /// Its sender has a credential of the topic's owner.
    package var isByOwner: Bool {
        get { content.isByOwner }
        set { content.isByOwner = newValue }
    }

    package struct Upload: Equatable, Sendable, Confidential {
        package let bytes: [UInt8]
        /// What its address ends with, such as `.png`.
        package let suffix: String
    }

    /// What the server knows about a request.
    package struct Circumstances: Sendable {
        /// Seconds since 1970.
        let now: Int64
        /// The sender has a credential.
        let mayUpload: Bool
        /// The topic takes any JSON as text, also that of a known service.
        let isRaw: Bool
        /// What clocks show in the zone of that name, or here for an empty name; nil for no zone.
        let zone: @Sendable (String) -> TimeZoneRule?

        package init(
            now: Int64, mayUpload: Bool, isRaw: Bool = false,
            zone: @escaping @Sendable (String) -> TimeZoneRule?
        ) {
            (self.now, self.mayUpload, self.isRaw, self.zone) = (now, mayUpload, isRaw, zone)
        }
    }

    /// The owner of the topic allowed this sender's buttons to send requests to some addresses that
    /// stay in a home or on a machine.
    package mutating func letButtonsStayInside(where isAllowed: (_ url: String) -> Bool) {
        for index in content.actions.indices where content.actions[index].kind == .http {
            content.actions[index].mayStayInside = isAllowed(content.actions[index].url)
        }
    }

    /// A longer body is a file, and text beside a link is cut here.
    package static let textLimit = 4_096
    /// What a sender without a credential may publish.
    package static let anonymousLimit = 65_536
    package static let uploadLimit = 15 << 20
    package static let titleLimit = 1_024
    /// The text of a message that says nothing.
    private static let nothing = "triggered"

    package init(
        _ fields: NtfyFields, _ body: [UInt8], _ circumstances: Circumstances
    ) throws(NtfyRefusal) {
        var (fields, body) = (fields, body)
        isUnifiedPush = fields.isUnifiedPush
        if circumstances.isRaw { fields.overwrite(.isRaw, "1") }
        if !isUnifiedPush, fields.isForText, !body.isEmpty, let text = try fields.record(form: body)
        {
            body = text
        }
        try readLook(of: fields)
        try readWay(of: fields, circumstances)
        try take(body, fields, circumstances.mayUpload)
        guard content.title.utf8.count <= Self.titleLimit else { throw .longTitle }
        if content.text.isEmpty { content.text = Self.nothing }
    }

    /// What a service says, and a file that came with it.
    init(_ made: TopicContent, with file: MultipartForm.Part?) throws(NtfyRefusal) {
        take(made, named: "")
        if let file { try takeFile(file.value, named: file.fileName ?? "") }
        if content.text.isEmpty { content.text = Self.nothing }
    }

    /// How the message looks.
    private mutating func readLook(of fields: NtfyFields) throws(NtfyRefusal) {
        content.title = fields[.title]
        content.text = Self.lines(fields[.message])
        // A template of the request's own may make it.
        if !fields.flag(.template) { content.priority = try fields.priority() }
        content.click = fields[.click]
        content.icon = try fields.webAddress(.icon, else: .badIcon)
        let link = try fields.webAddress(.attach, else: .badLink)
        if !link.isEmpty {
            content.attachment = TopicAttachment(link: link, named: fields[.filename])
        }
        content.tags = try fields.tags()
        content.isMarkdown = fields.isMarkdown
        if let node = fields.actions {
            content.actions = try ActionReader.actions(node)
        } else if !fields[.actions].isEmpty {
            content.actions = try ActionReader.actions(fields[.actions])
        }
    }

    /// When and how the message reaches its readers.
    private mutating func readWay(
        of fields: NtfyFields, _ circumstances: Circumstances
    ) throws(NtfyRefusal) {
        guard fields[.email].isEmpty else { throw .noEmail }
        guard fields[.call].isEmpty else { throw .noCalls }
        isKept = fields.flag(.isKept, default: true)
        let delay = fields[.delay]
        if !delay.isEmpty {
            guard isKept else { throw .delayedUnkept }
            let name = fields[.timezone]
            guard name.isEmpty || TimeZoneRule.isName(name), let zone = circumstances.zone(name)
            else { throw .badDelay.because("unknown timezone") }
            due = try TopicDelay.due(delay, zone: zone, now: circumstances.now)
        }
        let sequence = fields[.sequence]
        guard sequence.isEmpty || TopicName(sequence) != nil else { throw .badSequence }
        if !sequence.isEmpty { self.sequence = sequence }
        question = try fields.question()
        if question != nil {
            guard delay.isEmpty, fields[.pollID].isEmpty, !isUnifiedPush else {
                throw .badQuestion.because("it is asked at once, and of people")
            }
            guard content.actions.isEmpty else {
                throw .badQuestion.because("its answers are its only actions")
            }
            // No other message is a state of it.
            self.sequence = nil
        }
        let id = fields[.pollID]
        if !id.isEmpty { (pollID, isKept, due) = (id, false, nil) }
    }

    /// A header field has no line breaks, so senders write a backslash and an `n`.
    private static func lines(_ text: String) -> String {
        text[...].filled(at: "\\") { rest in
            guard rest.first == "n" else { return nil }
            rest.removeFirst()
            return "\n"
        }
    }
}

extension Publication {
    /// The message, at the time of its acceptance. If it is kept, its history ends so many seconds
    /// after it is due.
    package func message(
        _ id: TopicMessageID, now: Int64, keptFor seconds: UInt32
    ) -> TopicMessage {
        TopicMessage(
            id: id, pollID == nil ? .message : .poll, sequence: pollID ?? sequence,
            time: due ?? now, keptFor: isKept ? seconds : 0, content)
    }
}

/// The body is one of a message, of a file and of an application.
extension Publication {
    private mutating func take(
        _ body: [UInt8], _ fields: NtfyFields, _ mayUpload: Bool
    ) throws(NtfyRefusal) {
        if pollID != nil {
            content.text = "New message"
        } else if isUnifiedPush {
            takeBytes(body)
        } else if let attachment = content.attachment {
            try takeText(body, limit: Self.textLimit)
            if content.text.isEmpty { content.text = Self.received(attachment) }
        } else if mayUpload, !body.isEmpty, !fields[.filename].isEmpty {
            try takeFile(body, named: fields[.filename])
        } else if !mayUpload, body.count > Self.anonymousLimit {
            throw .largeAttachment
        } else if let made = try Self.made(of: body, fields) {
            // The title of a request with a template is a template.
            take(made, named: fields.flag(.template) ? "" : content.title)
        } else if !mayUpload
            || body.count <= Self.textLimit && String(validating: body, as: UTF8.self) != nil
        {
            try takeText(body)
        } else {
            try takeFile(body, named: "")
        }
    }

    /// The bytes stay as they are, because most are encrypted.
    private mutating func takeBytes(_ body: [UInt8]) {
        let bytes = Array(body.prefix(Self.textLimit))
        if let text = String(validating: bytes, as: UTF8.self) {
            content.text = text
        } else {
            content.text = Base64.text(bytes.span)
            content.isBase64 = true
        }
    }

    /// A body counts before the parameter, also one of blanks.
    private mutating func takeText(_ body: [UInt8], limit: Int = .max) throws(NtfyRefusal) {
        guard !body.isEmpty else { return }
        guard String(validating: body, as: UTF8.self) != nil else { throw .notText }
        let text = SenderFields.cut(body.filter { $0 != 0 }, limit)
        content.text = String(text[...].trimmed)
    }

    private mutating func takeFile(_ body: [UInt8], named name: String) throws(NtfyRefusal) {
        guard body.count <= Self.uploadLimit else { throw .largeAttachment }
        let type = FileType(of: body)
        var attachment = TopicAttachment()
        attachment.name = TopicAttachment.fileName(name)
        if attachment.name.isEmpty { attachment.name = "attachment" + type.suffix }
        (attachment.type, attachment.size) = (type.name, Int64(body.count))
        content.attachment = attachment
        upload = Upload(bytes: body, suffix: type.suffix)
        if content.text.isEmpty { content.text = Self.received(attachment) }
    }

    /// What a template makes of the body, or the reader of a service; nil if the body is none for
    /// them.
    private static func made(
        of body: [UInt8], _ fields: NtfyFields
    ) throws(NtfyRefusal) -> TopicContent? {
        let name = fields[.template]
        guard !name.isEmpty else {
            guard !fields.flag(.isRaw) else { return nil }
            return KnownService.read(
                body, contentType: fields[.contentType], event: fields[.event])
        }
        let template =
            fields.flag(.template)
            ? try MessageTemplate(
                message: fields[.message], title: fields[.title], priority: fields[.priority])
            : try MessageTemplate(named: name)
        return try template.apply(body: body, event: fields[.event])
    }

    /// What the parameters say counts before what was made of the body, but for the text.
    private mutating func take(_ made: TopicContent, named title: String) {
        let said = content
        content = made
        content.title = title.isEmpty ? SenderFields.cut(Array(made.title.utf8)) : title
        content.text = SenderFields.cut(Array(made.text.utf8), Self.anonymousLimit)
        if said.priority > 0 { (content.priority, content.gotifyPriority) = (said.priority, nil) }
        if !said.tags.isEmpty { content.tags = said.tags }
        if !said.click.isEmpty { content.click = said.click }
        if !said.icon.isEmpty { content.icon = said.icon }
        if !said.actions.isEmpty { content.actions = said.actions }
        if said.isMarkdown { content.isMarkdown = true }
    }

    private static func received(_ attachment: TopicAttachment) -> String {
        "You received a file: " + attachment.name
    }
}
