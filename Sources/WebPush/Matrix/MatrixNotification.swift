import Base

/// A homeserver's request to a push gateway (Matrix Push Gateway API, `notify`).
///
/// The first drafts of that protocol are read too: `counts` and `devices` stood beside the
/// notification, and `id` identified duplicates.
package struct MatrixNotification: Sendable, Confidential {
    package static let requestLimit = 512 << 10
    package static let deviceLimit = 100
    /// The size that every Web Push client accepts (RFC 8030 section 7.2).
    package static let bodyLimit = 4_096
    /// The longest event id (Matrix, "Appendices", section "Common Identifier Format").
    static let idLimit = 255
    /// How long a notification is kept, in seconds.
    package static let ttl: UInt32 = 86_400

    package let devices: [MatrixDevice]
    package let urgency: Urgency
    /// Repetitions of the same notification have the same name. It is nil for a notification that
    /// only brings counts, which may safely be repeated.
    package let repetitionName: [UInt8]?
    let request: [UInt8]
    let root: JSONNode
    let notification: JSONNode

    package init(_ request: [UInt8]) throws(MatrixRefusal) {
        do throws(JSONScanner.Failure) {
            root = try JSONDocument(request).root
        } catch {
            throw .badJSON("The body is not JSON")
        }
        guard let notification = root["notification"], notification.kind == .object else {
            throw .badJSON("notification is missing or not an object")
        }
        guard let list = notification["devices"] ?? root["devices"] else {
            throw .badJSON("devices is missing")
        }
        devices = try Self.devices(list)
        urgency = notification["prio"]?.text == "low" ? .low : .high
        repetitionName = Self.repetitionName(notification)
        self.request = request
        self.notification = notification
    }

    private static func devices(_ list: JSONNode) throws(MatrixRefusal) -> [MatrixDevice] {
        let elements = list.elements
        guard !elements.isEmpty else { throw .badJSON("devices is empty or not an array") }
        guard elements.count <= deviceLimit else {
            throw .badJSON("There are more than \(deviceLimit) devices")
        }
        var devices: [MatrixDevice] = []
        devices.reserveCapacity(elements.count)
        for element in elements {
            guard let pushkey = element["pushkey"]?.text, let appID = element["app_id"]?.text
            else { throw .badJSON("A device needs app_id and pushkey") }
            devices.append(MatrixDevice(pushkey: pushkey, appID: appID, json: element.source))
        }
        return devices
    }

    /// A prefix keeps ids of events and of notifications apart.
    private static func repetitionName(_ notification: JSONNode) -> [UInt8]? {
        for (name, mark) in [("event_id" as StaticString, "e"), ("id", "n")] {
            guard let id = notification[name]?.text, !id.isEmpty else { continue }
            return id.utf8.count <= idLimit ? Array((mark + id).utf8) : nil
        }
        return nil
    }
}

/// A device that a notification is for.
package struct MatrixDevice: Sendable, Confidential {
    /// The endpoint, as its client gave it to the homeserver.
    package let pushkey: String
    /// The application that set the pusher.
    package let appID: String
    /// The homeserver's JSON object for this device.
    let json: ArraySlice<UInt8>
}

extension MatrixNotification {
    /// The push bodies for the chosen devices, which are given by index.
    ///
    /// A single device gets the notification as received, unless it is too large. Of several
    /// devices, each gets a copy that names only this device, because pushkeys are secrets. If the
    /// notification is too large, as little as possible is left out.
    package func bodies(for chosen: [Int]) -> [[UInt8]] {
        guard !chosen.isEmpty else { return [] }
        if devices.count == 1, request.count <= Self.bodyLimit {
            return chosen.map { _ in request }
        }
        var members = notification.members.filter { $0.name != "devices" }
        if notification["counts"] == nil, let counts = root["counts"] {
            members.append((name: "counts", value: counts))
        }
        let forms = Extent.allCases.map { Self.text(of: members, $0) }
        return chosen.map { Self.body(forms, devices[$0]) }
    }

    /// How much is passed on, from everything to the minimum that clients need.
    private enum Extent: CaseIterable {
        case everything, withoutFormattedBody, withoutContent, withoutNames, event
    }

    private static let names: Set = ["sender_display_name", "room_name", "room_alias"]
    /// The members of `event_id_only`, and those that decide how to notify.
    private static let needed: Set = ["event_id", "id", "room_id", "prio", "counts"]
    /// Members that describe an event without its content.
    private static let telling: Set = ["type", "redacts", "membership", "user_is_target"]
    /// Members of the content that refer to another event or to a membership.
    private static let neededContent: Set = ["m.relates_to", "redacts", "membership"]
    /// Room for an id that contains escapes.
    private static let neededLimit = 2 * idLimit

    /// The members of the notification, joined by commas; nil if they would not fit anyway.
    private static func text(
        of members: [(name: String, value: JSONNode)], _ extent: Extent
    ) -> [UInt8]? {
        var text: [UInt8] = []
        for (name, value) in members {
            guard let json = json(name, value, extent) else { continue }
            guard text.count + name.utf8.count + json.count <= bodyLimit else { return nil }
            append(name, json, to: &text)
            text.append(UInt8(ascii: ","))
        }
        return text
    }

    private static func append(_ name: String, _ json: ArraySlice<UInt8>, to text: inout [UInt8]) {
        text.append(contentsOf: JSONText.quoted(name).utf8)
        text.append(UInt8(ascii: ":"))
        text.append(contentsOf: json)
    }

    /// Nil if the member is left out.
    private static func json(
        _ name: String, _ value: JSONNode, _ extent: Extent
    ) -> ArraySlice<UInt8>? {
        switch extent {
        case .everything: return value.source
        case .withoutFormattedBody where name == "content": return plainContent(value)[...]
        case .withoutContent where name == "content", .withoutNames where name == "content":
            return relation(value)
        case .withoutFormattedBody, .withoutContent: return value.source
        case .withoutNames: return names.contains(name) ? nil : value.source
        case .event:
            let json = name == "content" ? relation(value) : value.source
            // All of them fit.
            let limit =
                needed.contains(name)
                ? neededLimit : telling.contains(name) || name == "content" ? idLimit : 0
            return json.flatMap { $0.count <= limit ? $0 : nil }
        }
    }

    /// Leaves out the formatted copy of the text, and the new content of an edit.
    private static func plainContent(_ content: JSONNode) -> [UInt8] {
        guard content.kind == .object else { return Array(content.source) }
        let members = content.members.filter { $0.name != "formatted_body" && $0.name != "format" }
        return object(
            members.map { name, value in
                (name, name == "m.new_content" ? plainContent(value)[...] : value.source)
            })
    }

    /// Nil if the content refers to no other event.
    private static func relation(_ content: JSONNode) -> ArraySlice<UInt8>? {
        let members = content.members.filter { name, value in
            neededContent.contains(name) && value.source.count <= neededLimit
        }
        return members.isEmpty ? nil : object(members.map { ($0.name, $0.value.source) })[...]
    }

    private static func object(_ members: [(name: String, json: ArraySlice<UInt8>)]) -> [UInt8] {
        var text: [UInt8] = [UInt8(ascii: "{")]
        for (name, json) in members {
            if text.count > 1 { text.append(UInt8(ascii: ",")) }
            append(name, json, to: &text)
        }
        text.append(UInt8(ascii: "}"))
        return text
    }

    private static func body(_ forms: [[UInt8]?], _ device: MatrixDevice) -> [UInt8] {
        let head = #"{"notification":{"#
        let (before, after) = (#""devices":["#, "]}}")
        let around = head.utf8.count + before.utf8.count + after.utf8.count + device.json.count
        for case let form? in forms where form.count + around <= bodyLimit {
            return Array(head.utf8) + form + Array(before.utf8) + device.json + Array(after.utf8)
        }
        // The data attached to the device is too large and is left out.
        let form = (forms.last ?? nil) ?? []
        return Array(head.utf8) + form.dropLast() + Array("}}".utf8)
    }
}
