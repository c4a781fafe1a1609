import Base

extension MatrixNotification {
    /// What is pushed to each of the devices that are chosen by their number.
    ///
    /// One that is alone and not too large goes on as it came. Else each gets the notification with
    /// itself as the only device, for pushkeys are the secrets of those who have them; of what is too
    /// large, as little is left out as makes it fit.
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

    /// How much goes on, from all to what no client can do without.
    private enum Extent: CaseIterable {
        case everything, withoutFormattedBody, withoutContent, withoutNames, event
    }

    private static let names: Set = ["sender_display_name", "room_name", "room_alias"]
    /// The members of `event_id_only`, with what else tells how to notify.
    private static let needed: Set = ["event_id", "id", "room_id", "prio", "counts"]
    /// What of an event says without its content what it is, or became of another.
    private static let telling: Set = ["type", "redacts", "membership", "user_is_target"]
    /// What of the content says which other event it is about, or whose membership.
    private static let neededContent: Set = ["m.relates_to", "redacts", "membership"]
    /// Room for an id with escapes in it.
    private static let neededLimit = 2 * idLimit

    /// Members of the notification, one behind the other with their commas; nil if they do not fit
    /// anyway.
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

    /// Nil for a member that is left out.
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
            // All of them together fit.
            let limit =
                needed.contains(name)
                ? neededLimit : telling.contains(name) || name == "content" ? idLimit : 0
            return json.flatMap { $0.count <= limit ? $0 : nil }
        }
    }

    /// The text is there a second time without its markup; so are the new words of an edit.
    private static func plainContent(_ content: JSONNode) -> [UInt8] {
        guard content.kind == .object else { return Array(content.source) }
        let members = content.members.filter { $0.name != "formatted_body" && $0.name != "format" }
        return object(
            members.map { name, value in
                (name, name == "m.new_content" ? plainContent(value)[...] : value.source)
            })
    }

    /// Nil for a content that is about no other event.
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
        // What the device's owner attached to it is too much: it goes without.
        let form = (forms.last ?? nil) ?? []
        return Array(head.utf8) + form.dropLast() + Array("}}".utf8)
    }
}
