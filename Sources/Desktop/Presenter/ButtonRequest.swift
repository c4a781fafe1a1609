import Base
package import HTTP
import Notifications

/// The request that a button sends, as its sender wrote it.
package struct ButtonRequest: Equatable, Sendable, Confidential {
    package let request: StatusRequest
    /// The owner of the topic allowed that it stays in a home or on a machine.
    package let mayStayInside: Bool

    /// Nil for what is never sent.
    init?(_ action: Presentation.Action, _ press: ButtonPress) {
        let request = try? StatusRequest(
            action.method, action.link, fields: action.fields.map { ($0.name, $0.value) },
            usual: [("User-Agent", "bellwire"), ("Idempotency-Key", press.key)],
            body: action.body)
        // It has no button.
        guard let request else { return nil }
        self.request = request
        mayStayInside = action.mayStayInside
    }

    /// The host that the request of an action goes to; nil for one that is never sent.
    static func host(of action: Presentation.Action) -> String? {
        ButtonRequest(action, ButtonPress(of: action.name, key: ""))?.request.url.host
    }
}
