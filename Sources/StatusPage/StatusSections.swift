import Base
import WebPush

/// The parts of the status page. The script replaces each when it has changed.
struct StatusSections {
    let overview: Overview
    let frame: PageFrame

    enum Section: String, CaseIterable {
        // What is wrong comes first.
        case errors, state, registrations, devices, events, plots

        var title: Sentence {
            switch self {
            case .state: .server
            case .plots: .plots
            case .registrations: .registrations
            case .devices: .devices
            case .errors: .errors
            case .events: .events
            }
        }
    }

    func contents(of section: Section) -> Markup {
        switch section {
        case .state: state
        case .plots: plots
        case .registrations: registrations
        case .devices: devices
        case .errors: failures
        case .events: events
        }
    }

    private func row(_ title: Sentence, _ value: Markup) -> Markup {
        "<dt>\(frame.say(title))</dt><dd>\(value)</dd>"
    }

    private func amount(_ messages: Int, _ bytes: Int) -> String {
        Sentence.waitingBytes.text(frame.language, "\(messages)", ByteCount.text(bytes))
    }

    private var state: Markup {
        let waiting = amount(overview.waitingMessages, overview.waitingBytes)
        let kept = overview.keptMessages.map { messages in
            row(.kept, "\(amount(messages, overview.keptBytes ?? 0))")
        }
        let sight = overview.owner.map { frame.say(.onlyOwn, $0) } ?? frame.say(.everything)
        let store: Markup = """
            <span class="\(overview.isUsable ? "good" : "bad")">\
            \(frame.say(overview.isUsable ? .storeWorks : .storeFails))</span>
            """
        let clients = overview.clients.map { row(.clients, "\($0)") }
        return """
            <dl>\(row(.version, "\(overview.version)"))\(row(.address, "\(overview.address)"))\
            \(row(.runsSince, time(overview.began)))\
            \(row(.store, store))\(row(.waiting, "\(waiting)"))\(kept ?? "")\(clients ?? "")\
            \(row(.youSee, "\(sight)"))</dl>
            """
    }

    private var plots: Markup {
        guard let counts = overview.counts, let durations = overview.durations else { return "" }
        let since = " (\(frame.say(.sinceStart)))"
        let parts = [50, 99].map { percent -> Markup in
            """
            <dt>\(frame.say(.percentile, "\(percent)"))\(since)</dt>\
            <dd>\(bound(durations.bound(of: percent), durations))</dd>
            """
        }
        return """
            <dl><dt>\(frame.say(.accepted))\(since)</dt><dd>\(counts.accepted)</dd>\
            <dt>\(frame.say(.delivered))\(since)</dt><dd>\(counts.acknowledged)</dd>\(parts)</dl>
            """
    }

    private func bound(_ microseconds: Int?, _ durations: Overview.Durations) -> Markup {
        guard let microseconds else {
            let last = (durations.bounds.last ?? 0) / 1_000
            return durations.counts.last ?? 0 == 0
                ? "–" : "\(frame.say(.over, "\(last)"))"
        }
        return "\(frame.say(.milliseconds, Self.milliseconds(microseconds)))"
    }

    private static func milliseconds(_ microseconds: Int) -> String {
        microseconds % 1_000 == 0 ? "\(microseconds / 1_000)" : "\(Double(microseconds) / 1_000)"
    }

    private var hasOwners: Bool { overview.owner == nil }

    private func time(_ seconds: Int) -> Markup { frame.time(seconds, from: overview.now) }

    private func table(
        _ id: String, _ titles: [Sentence], _ rows: [[Markup]], orElse nothing: Sentence,
        hasActions: Bool = false
    ) -> Markup {
        frame.table(
            titles, rows, name: "aria-labelledby=\"title-\(id)\"", orElse: nothing,
            hasActions: hasActions)
    }
}

extension StatusSections {
    private var registrations: Markup {
        let owner: [Sentence] = hasOwners ? [.owner] : []
        let titles = [.application, .account] + owner + [.lastPush, .waits, .expires, .actions]
        let rows = overview.registrations.map { registration -> [Markup] in
            let owner: [Markup] = hasOwners ? ["\(registration.owner)"] : []
            let last = registration.lastPush.map(time) ?? "\(frame.say(.noPush))"
            return ["\(registration.app)", "\(registration.account)\(mark(of: registration))"]
                + owner
                + [
                    last, "\(registration.waiting)",
                    registration.expires.map(time) ?? "\(frame.say(.neverEnds))",
                    actions(registration),
                ]
        }
        let more: Markup = overview.hasMore ? "<p>\(frame.say(.more))</p>" : ""
        let advice: Markup =
            overview.registrations.contains(where: \.isUnheard)
            ? "<p>\(frame.say(.noScreen)): \(frame.say(.nobodyListens))</p>" : ""
        let table = table(
            "registrations", titles, rows, orElse: .noRegistrations, hasActions: true)
        return "\(table)\(advice)\(more)"
    }

    private func mark(of registration: Overview.Registration) -> Markup {
        registration.isUnheard ? " <span class=\"bad\">(\(frame.say(.noScreen)))</span>" : ""
    }

    private func actions(_ registration: Overview.Registration) -> Markup {
        let place = "/ui/registrations/\(registration.id)"
        let name = registration.name
        return """
            \(frame.button(place + "/test", .sendTest, of: name))\
            <a id="chats-\(registration.id)" href="/ui/accounts/\(registration.id)">\
            \(frame.label(.chats, of: name))</a>\
            \(frame.dangerousButton(place + "/revoke", .revoke, of: name, .reallyRevoke))
            """
    }

    private var devices: Markup {
        let owner: [Sentence] = hasOwners ? [.owner] : []
        // Those that wait for somebody come first.
        let sorted =
            overview.devices.filter { !$0.isConfirmed }
            + overview.devices.filter(\.isConfirmed)
        let rows = sorted.map { device -> [Markup] in
            let owner: [Markup] = hasOwners ? ["\(device.owner)"] : []
            return ["\(device.name)"] + owner + [presence(of: device), actions(device)]
        }
        let titles = [.name] + owner + [.presence, .actions]
        return table("devices", titles, rows, orElse: .noDevices, hasActions: true)
    }

    private func presence(of device: ListedDevice) -> Markup {
        let presence: Markup =
            device.isConnected
            ? "<span class=\"good\">\(frame.say(.connected))</span>"
            : device.lastSeen.map { "\(frame.say(.lastSeen)) \(time($0))" }
                ?? "\(frame.say(.neverSeen))"
        let known: Markup =
            device.isReceiveOnly ? "\(presence), \(frame.say(.receivesOnly))" : presence
        guard !device.isConfirmed else { return known }
        return "\(known), <span class=\"bad\">\(frame.say(.notLetIn))</span>"
    }

    private func actions(_ device: ListedDevice) -> Markup {
        let place = "/ui/devices/\(device.id)"
        let remove = frame.dangerousButton(
            place + "/remove", .remove, of: device.name, .reallyRemove)
        guard hasOwners, !device.isConfirmed else { return remove }
        return "\(frame.button(place + "/confirm", .letIn, of: device.name))\(remove)"
    }

    private var failures: Markup {
        let troubles = self.troubles.map { "<p class=\"bad\">\(frame.say($0))</p>" as Markup }
        guard !overview.failures.isEmpty else {
            guard troubles.isEmpty else { return "\(troubles)" }
            return "<p class=\"good\">\(frame.say(.noErrors))</p>"
        }
        let rows = overview.failures.map { failure -> [Markup] in
            let number: Markup =
                failure.number.map { "<a href=\"/errors#errno-\($0)\">\(failure.word)</a>" }
                ?? "\(failure.word)"
            return [
                number, "<span class=\"bad\">\(failure.count)</span>",
                "\(frame.say(.refusal(failure.word)))",
            ]
        }
        return "\(troubles)\(table("errors", [.error, .count, .meaning], rows, orElse: .noErrors))"
    }

    /// What is wrong now, and not only counted.
    private var troubles: [Sentence] {
        (overview.isUsable ? [] : [.troubleOfStore])
            + (overview.devices.allSatisfy(\.isConfirmed) ? [] : [.troubleOfDevices])
    }

    private var events: Markup {
        let rows = groups.map { event, count -> [Markup] in
            let isFailure = ["refused", "undecryptable", "callback"].contains(event.kind)
            let detail = event.detail.isEmpty ? "" : " (\(event.detail))"
            let times = count == 1 ? "" : "\(count) × "
            return [
                """
                <span class="\(isFailure ? "bad" : "")">\(times)\
                \(frame.say(Self.sentence(of: event.kind)))\(detail)</span>
                """, "\(subject(of: event))", time(event.time / 1_000),
            ]
        }
        return table("events", [.event, .who, .time], rows, orElse: .noEvents)
    }

    /// The newest of events that say the same, and how many they are.
    private var groups: [(Overview.Event, count: Int)] {
        var groups: [(Overview.Event, count: Int)] = []
        var places: [[String]: Int] = [:]
        for event in overview.events {
            let words = [event.kind, event.subject, event.detail]
            if let place = places[words] {
                groups[place].count += 1
            } else {
                places[words] = groups.count
                groups.append((event, 1))
            }
        }
        return groups
    }

    private func subject(of event: Overview.Event) -> String {
        guard event.subject.isEmpty else { return event.subject }
        return frame.say(event.kind == "refused" ? .nobody : .unknownClient)
    }

    private static func sentence(of kind: String) -> Sentence {
        switch kind {
        case "accepted": .eventAccepted
        case "refused": .eventRefused
        case "undecryptable": .eventUndecryptable
        case "delivered": .eventDelivered
        case "connected": .eventConnected
        case "disconnected": .eventDisconnected
        default: .eventCallback
        }
    }
}
