package import Base

/// A user's action on a notification. The engine repeats it until an application has it.
package struct OwedAction: Equatable, Sendable {
    package let id: String
    package let chat: Int64
    package let message: Int64
    package let action: String
    package let text: String?
    /// A JSON object from the payload.
    package let data: String?
    /// The id of a call, from the payload.
    package let callID: String?
    /// The application that the account's registration names.
    package let service: String?
    package let token: String?

    /// Reads `bellwire.updateNotificationAction`.
    package init?(_ node: JSONNode) {
        guard node["@type"]?.text == "bellwire.updateNotificationAction",
            let id = node["id"]?.textOrNumber, let action = node["action"]?.text
        else { return nil }
        self.id = id
        self.action = action
        chat = node["chat_id"]?.integer ?? 0
        message = node["message_id"]?.integer ?? 0
        text = node["text"]?.text
        data = node["data"].map(JSONText.anew)
        callID = node["call_id"]?.textOrNumber
        service = node["service"]?.text
        token = node["activation_token"]?.text
    }
}
