import Base
import Bus

/// The call of `org.freedesktop.Application` that passes a user's action to an application.
package struct ApplicationCall: Equatable, Sendable {
    package let service: String
    /// Nil only brings the application to the front.
    package let action: String?
    package let parameter: String?
    package let token: String?
    /// After this call the application knows everything about the action.
    package let isComplete: Bool

    /// Brings the application to the front.
    package init(activating service: String, token: String?) {
        self.service = service
        (action, parameter) = (nil, nil)
        self.token = token
        isComplete = true
    }

    /// Calls an action only if the desktop entry lists it, because applications ignore others
    /// without an error. Otherwise it brings the application to the front, which is enough for a
    /// click; the application gets the rest as a client of the engine. Nil for an action that needs
    /// no application at the front.
    package init?(_ owed: OwedAction, for entry: DesktopEntry?) {
        guard let service = owed.service, BusName.isValid(service), !BusName.isUnique(service)
        else { return nil }
        self.service = service
        token = owed.token
        let name = Self.names[owed.action] ?? owed.action
        if let entry, entry.isActivatable, entry.actions.contains(name) {
            action = name
            parameter =
                owed.action == "default" ? owed.data ?? "{}" : Self.description(of: owed)
            isComplete = true
            return
        }
        guard !["mark_read", "decline"].contains(owed.action) else { return nil }
        (action, parameter) = (nil, nil)
        isComplete = owed.action == "default"
    }

    /// Actions that every notification has, as desktop entries list them.
    private static let names = [
        "default": "open-notification", "reply": "reply-notification",
        "mark_read": "mark-notification-read", "accept": "accept-call", "decline": "decline-call",
    ]

    private static func description(of owed: OwedAction) -> String {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("chat_id", Int(owed.chat))
            writer.member("message_id", Int(owed.message))
            if let text = owed.text { writer.member("text", text) }
            if let callID = owed.callID { writer.member("call_id", callID) }
            if let data = owed.data { writer.member(text: "data", json: data) }
        }
        return writer.text
    }

    var message: BusMethodCall {
        let path = "/" + String(service.map { $0 == "." ? "/" : $0 == "-" ? "_" : $0 })
        let platform = BusValue.options(
            token.map { [("activation-token", .string($0)), ("desktop-startup-id", .string($0))] }
                ?? [])
        // The specification allows at most one parameter.
        let values = parameter.map { [BusValue.variant(.string($0))] } ?? []
        let arguments: [BusValue] =
            action.map { [.string($0), .array("v", values), platform] } ?? [platform]
        return BusMethodCall(
            to: service, path: path, interface: "org.freedesktop.Application",
            member: action == nil ? "Activate" : "ActivateAction", arguments)
    }
}
