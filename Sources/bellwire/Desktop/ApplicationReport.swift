import Base
import Bus

/// The applications of the desktop service as text.
struct ApplicationReport {
    let service: String
    let description: String
    let sandbox: String
    let registrations: Int
    let isRunning: Bool
    let waiting: Int
    let created: Int
    /// Seconds since 1970; nil if nothing was delivered yet.
    let lastDelivery: Int?
    let isMuted: Bool
    let urgency: String
    let trouble: String?
    /// When its registrations end because no receiver is listed, in seconds since 1970.
    let end: Int?

    init(_ value: BusValue) {
        let members = value.members ?? [:]
        func number(_ name: String) -> Int? { members[name]?.integer.map(Int.init) }
        service = members["service"]?.text ?? ""
        description = members["description"]?.text ?? ""
        sandbox = members["sandbox"]?.text ?? ""
        registrations = number("registrations") ?? 0
        isRunning = members["running"]?.flag ?? false
        waiting = number("waiting") ?? 0
        created = number("created") ?? 0
        lastDelivery = number("last-delivery")
        isMuted = members["muted"]?.flag ?? false
        urgency = members["urgency"]?.text ?? ""
        trouble = members["trouble"]?.text
        end = number("end")
    }

    static func text(
        _ applications: [ApplicationReport], _ receivers: [ReceiverReport]
    ) -> String {
        TextTable.text(receivers.map(\.row))
            + (applications.isEmpty
                ? "no applications; they register by themselves when they start\n"
                : TextTable.text(applications.map(\.row)))
    }

    private var row: [String] {
        var remarks = [isRunning ? "running" : "not running"]
        if waiting > 0 { remarks.append("\(waiting) waiting") }
        if isMuted { remarks.append("muted") }
        if urgency != "very-low" { remarks.append("started for \(urgency) and above") }
        if let trouble { remarks.append(Printable.text(trouble)) }
        if let end { remarks.append("no receiver is listed, ends " + LocalTime.text(end)) }
        return [
            Printable.text(service), Printable.text(description),
            lastDelivery.map { "last " + LocalTime.text($0) } ?? "nothing yet",
            remarks.joined(separator: ", "),
        ]
    }

    static func json(
        _ applications: [ApplicationReport], _ receivers: [ReceiverReport]
    ) -> String {
        var writer = JSONWriter()
        writer.object { writer in
            writer.name("applications")
            writer.array { writer in
                for application in applications { application.append(to: &writer) }
            }
            writer.name("receivers")
            writer.array { writer in
                for receiver in receivers { receiver.append(to: &writer) }
            }
        }
        return writer.text + "\n"
    }

    private func append(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("service", service)
            writer.member("description", description)
            if !sandbox.isEmpty { writer.member("sandbox", sandbox) }
            writer.member("registrations", registrations)
            writer.member("running", isRunning)
            writer.member("waiting", waiting)
            writer.member("created", created)
            if let lastDelivery { writer.member("last_delivery", lastDelivery) }
            writer.member("muted", isMuted)
            writer.member("urgency", urgency)
            if let trouble { writer.member("trouble", trouble) }
            if let end { writer.member("end", end) }
        }
    }
}
