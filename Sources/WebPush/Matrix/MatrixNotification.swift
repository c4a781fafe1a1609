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
