import Base

/// Payloads for Apple's push service, including ZEGO's offline pushes, which add a JSON text with a
/// name for replacing.
package enum ZPNsDialect {
    package static func events(_ payload: [UInt8], _ context: DialectContext) -> [Event] {
        guard let root = try? JSONDocument(payload).root, root.kind == .object else {
            return PlainDialect.events(payload, context)
        }
        guard let apple = ApplePayload(root, context.presentation) else {
            return eventsWithoutAlert(root, context) ?? PlainDialect.events(payload, context)
        }
        let own = Own(root)
        let badge = apple.badge.map { [Event.badge(unread: $0, missedCalls: nil)] } ?? []
        if own.isRetracting { return badge + [.retracted(name: own.name, order: own.order)] }
        var presentation = apple.presentation()
        if presentation.title.isEmpty { presentation.title = root["title"]?.text ?? "" }
        if presentation.body.isEmpty { presentation.body = root["body"]?.text ?? "" }
        presentation.data = own.data
        guard !presentation.title.isEmpty || !presentation.body.isEmpty else {
            return badge + whatShowsNothing(apple, own, hasBadge: !badge.isEmpty)
        }
        // A badge of 0 would clear the screen, but a payload that shows something does not ask for
        // that.
        let count = apple.badge.map { [Event.unread($0)] } ?? []
        if own.isCall { return count + [.call(call(presentation, apple, own))] }
        return count + [.message(message(presentation, apple, own))]
    }

    /// A retraction needs no alert; any other payload without one is not ours.
    private static func eventsWithoutAlert(
        _ root: JSONNode, _ context: DialectContext
    ) -> [Event]? {
        let own = Own(root)
        return own.isRetracting ? [.retracted(name: own.name, order: own.order)] : nil
    }

    /// Retracts what had its name; otherwise there may be something to fetch.
    private static func whatShowsNothing(
        _ apple: ApplePayload, _ own: Own, hasBadge: Bool
    ) -> [Event] {
        if apple.isMutable, !own.name.isEmpty { return [.ended(name: own.name, order: own.order)] }
        if apple.wakes { return [.fetchRequired(reason: "content_available", details: [])] }
        return hasBadge ? [] : [.ignored]
    }

    private static func message(
        _ presentation: Presentation, _ apple: ApplePayload, _ own: Own
    ) -> IncomingMessage {
        let thread = apple.thread
        var message = IncomingMessage(
            chat: .conversation(thread.isEmpty ? "zpns" : "zpns:\(thread)"),
            content: PushContent(.text, text: presentation.body))
        message.name = own.name
        message.order = own.order
        // Without `mutable-content` a push does not replace the earlier one of the same name.
        message.replacement = apple.isMutable ? .inPlace : .beside
        message.chatTitle = thread.isEmpty ? "Messages" : presentation.title
        message.senderName = presentation.title
        message.isSilent = apple.isPassive
        message.presentation = presentation
        return message
    }

    /// Every call is its own conversation, because one may arrive while another rings.
    private static func call(
        _ presentation: Presentation, _ apple: ApplePayload, _ own: Own
    ) -> IncomingCall {
        var call = IncomingCall(
            chat: .conversation(own.name), stage: .requested, callerName: presentation.title,
            missedText: presentation.body, name: own.name)
        call.replacement = apple.isMutable ? .anew : .beside
        call.order = own.order
        call.data = presentation.data
        return call
    }
}

extension ZPNsDialect {
    /// The sender's data for its own application.
    private struct Own {
        /// The name by which it replaces or retracts; empty for none.
        let name: String
        let order: Int64?
        /// Passed to the application that opens it.
        let data: String
        let isCall: Bool
        let isRetracting: Bool

        init(_ root: JSONNode) {
            let own = Self.object(root["payload"])
            let id = own?["customId"] ?? root["customId"]
            name = id?.textOrNumber.map { "zpns:\($0)" } ?? ""
            order = (own?["timestamp"] ?? own?["sequence"])?.integer
            data = PayloadData.text(root.members(without: ["aps"]) + [("customId", id)])
            let says = own?["type"]?.text == "call" || own?["callInvite"]?.bool == true
            isCall = says && !name.isEmpty
            isRetracting = own?["retract"]?.bool == true && !name.isEmpty
        }

        /// An object, or a string that holds one; anything else is ignored, and the push is shown.
        private static func object(_ node: JSONNode?) -> JSONNode? {
            guard let node else { return nil }
            if node.kind == .object { return node }
            guard let text = node.text, let own = try? JSONDocument(Array(text.utf8)).root,
                own.kind == .object
            else { return nil }
            return own
        }
    }
}

/// What a payload for Apple's push service says about its notification, in its member `aps`.
struct ApplePayload {
    private let aps: JSONNode
    private let alert: JSONNode?
    private let source: SourcePresentation

    /// Nil for any other payload.
    init?(_ root: JSONNode, _ source: SourcePresentation) {
        guard let aps = root["aps"], aps.kind == .object else { return nil }
        self.aps = aps
        self.source = source
        alert = aps["alert"]
    }

    /// Title and subtitle, joined.
    var title: String {
        [
            text("title", "title-loc-key", "title-loc-args"),
            text("subtitle", "subtitle-loc-key", "subtitle-loc-args"),
        ].filter { !$0.isEmpty }.joined(separator: " – ")
    }

    var body: String { alert?.text ?? text("body", "loc-key", "loc-args") }

    /// The total number of unread messages, not an increment.
    var badge: Int64? { aps["badge"]?.integer.flatMap { $0 < 0 ? nil : $0 } }

    /// The application may change the notification before it is shown.
    var isMutable: Bool { aps["mutable-content"]?.integer == 1 }

    /// Wakes the application, whether or not anything is shown.
    var wakes: Bool { aps["content-available"]?.integer == 1 }

    /// The thread of the notification; empty if none is given.
    var thread: String { aps["thread-id"]?.text ?? "" }

    func presentation() -> Presentation {
        let sound = aps["sound"]?.text ?? aps["sound"]?["name"]?.text ?? ""
        var presentation = Presentation(
            title: title, body: body,
            sound: sound == "default" ? "" : Presentation.bareSound(sound))
        let isCritical = level == "critical" || aps["sound"]?["critical"]?.integer == 1
        presentation.urgency = isCritical ? .critical : isPassive ? .low : .normal
        if let key = alert?["action-loc-key"]?.text {
            presentation.defaultAction = source.sentences[key] ?? key
        }
        return presentation
    }

    /// Appears in the list without lighting up the screen or making a sound.
    var isPassive: Bool { level == "passive" }

    private var level: String { aps["interruption-level"]?.text ?? "active" }

    /// The text itself, or the application's own sentence for a key. For an unknown key, shows its
    /// arguments, which say more than nothing.
    private func text(
        _ name: StaticString, _ keyName: StaticString, _ argumentsName: StaticString
    ) -> String {
        guard let key = alert?[keyName]?.text, !key.isEmpty else { return alert?[name]?.text ?? "" }
        let arguments = (alert?[argumentsName]?.elements ?? []).compactMap(\.textOrNumber)
        if let sentence = source.sentences[key] {
            return TemplateText(apple: sentence[...]).filled(arguments)
        }
        if let text = alert?[name]?.text, !text.isEmpty { return text }
        return arguments.isEmpty ? key : arguments.joined(separator: " ")
    }
}
