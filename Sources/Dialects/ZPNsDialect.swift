import Base
package import Notifications

/// Payloads for Apple's push service, and ZEGO's offline pushes among them: those bring a text of
/// JSON with a name of the sender's own.
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
        // A badge of none clears the screen, which whoever shows something does not mean.
        let count = apple.badge.map { [Event.unread($0)] } ?? []
        if own.isCall { return count + [.call(call(presentation, apple, own))] }
        return count + [.message(message(presentation, apple, own))]
    }

    /// Only a retraction needs none; anything else that has none is not ours.
    private static func eventsWithoutAlert(
        _ root: JSONNode, _ context: DialectContext
    ) -> [Event]? {
        let own = Own(root)
        return own.isRetracting ? [.retracted(name: own.name, order: own.order)] : nil
    }

    /// In the place of what had its name comes nothing; else there may be something to fetch.
    private static func whatShowsNothing(
        _ apple: ApplePayload, _ own: Own, hasBadge: Bool
    ) -> [Event] {
        if apple.isMutable, !own.name.isEmpty {
            return [.ended(name: own.name, order: own.order)]
        }
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
        // Without the mark a push stands beside the former one, whatever its name.
        message.replacement = apple.isMutable ? .anew : .beside
        message.chatTitle = thread.isEmpty ? "Messages" : presentation.title
        message.senderName = presentation.title
        message.isSilent = apple.isPassive
        message.presentation = presentation
        return message
    }

    /// Each is a conversation of its own: one may come while another rings.
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
    /// What the sender says to its own application.
    private struct Own {
        /// Under which it replaces or retracts; empty for none.
        let name: String
        let order: Int64?
        /// For the application that opens it.
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

        /// A text that holds JSON, or an object; anything else says nothing, and the push is shown.
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
