import Base
package import Notifications

/// ZEGO's offline pushes: an Apple payload, and a text of JSON with a name of the sender's own.
package enum ZPNsDialect {
    package static func events(_ payload: [UInt8], _ context: DialectContext) -> [Event] {
        guard let root = try? JSONDocument(payload).root, root.kind == .object else {
            return PlainDialect.events(payload, context)
        }
        let aps = root["aps"]
        let own = ownPayload(root)
        let customID = own?["customId"]?.textOrNumber ?? root["customId"]?.textOrNumber
        let order = (own?["timestamp"] ?? own?["sequence"])?.integer
        let name = customID.map { "zpns:\($0)" } ?? ""
        if !name.isEmpty, own?["retract"]?.bool == true {
            return [.retracted(name: name, order: order)]
        }
        let text = alert(aps?["alert"], root)
        let data = PayloadData.text(
            root.members(without: ["aps"]) + [("customId", own?["customId"])])
        if isCall(own), isMutable(aps) == false, !name.isEmpty {
            var call = IncomingCall(
                chat: .conversation("zpns"), stage: .requested, callerName: text.title,
                missedText: text.body, name: name)
            call.data = data
            return [.call(call)]
        }
        var message = IncomingMessage(
            chat: .conversation("zpns"), content: PushContent(.text, text: text.body))
        message.name = name
        message.order = order
        // Without the mark a push stands beside the former one, whatever its name.
        message.replaces = isMutable(aps)
        message.chatTitle = "Messages"
        message.senderName = text.title
        message.presentation = Presentation(title: text.title, body: text.body)
        message.presentation?.data = data
        let sound = aps?["sound"]?.text ?? ""
        message.presentation?.sound = sound == "default" ? "" : Presentation.bareSound(sound)
        var events: [Event] = [.message(message)]
        if let badge = aps?["badge"]?.integer, badge > 0 {
            events.insert(.badge(unread: badge, missedCalls: nil), at: 0)
        }
        return events
    }

    /// A text that holds JSON, or an object; anything else says nothing, and the push is shown.
    private static func ownPayload(_ root: JSONNode) -> JSONNode? {
        guard let node = root["payload"] else { return nil }
        if node.kind == .object { return node }
        guard let text = node.text, let own = try? JSONDocument(Array(text.utf8)).root,
            own.kind == .object
        else { return nil }
        return own
    }

    private static func isMutable(_ aps: JSONNode?) -> Bool {
        aps?["mutable-content"]?.integer == 1
    }

    private static func isCall(_ own: JSONNode?) -> Bool {
        own?["type"]?.text == "call" || own?["callInvite"]?.bool == true
    }

    private static func alert(
        _ alert: JSONNode?, _ root: JSONNode
    ) -> (title: String, body: String) {
        if let text = alert?.text { return (root["title"]?.text ?? "", text) }
        let title = [alert?["title"]?.text, alert?["subtitle"]?.text].compactMap { $0 }
            .filter { !$0.isEmpty }.joined(separator: " – ")
        let body = alert?["body"]?.text ?? root["body"]?.text ?? ""
        return (title.isEmpty ? root["title"]?.text ?? "" : title, body)
    }
}
