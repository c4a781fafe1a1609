import Base
import Notifications

/// What Uptime Kuma finds out about its monitors. A monitor that is up again takes its notification
/// back.
enum UptimeKumaDialect {
    static let cutter = MemberCutter(names: [
        "heartbeat", "hostname", "id", "monitor", "monitorID", "msg", "name", "status", "url",
    ])

    static func events(_ payload: [UInt8], _ context: DialectContext) -> [Event] {
        guard let root = PlainDialect.object(payload), root.has("heartbeat") || root.has("monitor")
        else { return PlainDialect.events(payload, context) }
        let (beat, monitor) = (root["heartbeat"], root["monitor"])
        let monitorName = NoteText.title(monitor?["name"]) ?? "Uptime Kuma"
        let id = NoteText.name(beat?["monitorID"] ?? beat?["monitor_id"] ?? monitor?["id"])
        let name = id.map { "monitor:\($0)" } ?? ""
        let text = NoteText.body(beat?["msg"])
        var note = Note(
            conversation: "monitor:\(id ?? "")", conversationTitle: monitorName, name: name,
            title: monitorName, body: text ?? NoteText.body(root["msg"]) ?? "New message",
            link: NoteText.link(monitor?["url"]))
        switch beat?["status"]?.integer {
        case 1: return [name.isEmpty ? .ignored : .ended(name: name, order: nil)]
        case 0:
            note.title = "\(monitorName) is down"
            note.urgency = .critical
        case 3:
            note.title = "\(monitorName) is under maintenance"
            note.urgency = .low
        default:
            // A test, or news about a certificate: it says nothing about up or down.
            note.name = ""
        }
        return [note.event]
    }
}
