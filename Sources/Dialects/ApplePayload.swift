import Base
import Notifications

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
