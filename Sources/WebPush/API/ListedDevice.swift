package import Base

/// A device that may connect, as `/api/v1/devices` and the overview list it.
package struct ListedDevice: ListedObject, Equatable, Sendable {
    package static let list: StaticString = "devices"

    package var id = 0
    package var name = ""
    package var owner = ""
    /// Seconds since 1970.
    package var created = 0
    package var isConnected = false
    /// Nil if it never connected.
    package var lastSeen: Int?
    /// False after a restore, until somebody confirms it.
    package var isConfirmed = true
    package var isReceiveOnly = false

    package init() {}

    package mutating func fields(_ fields: inout JSONFields) {
        fields.member("id", &id)
        fields.member("name", &name)
        fields.member("owner", &owner)
        fields.member("created", &created)
        fields.member("connected", &isConnected)
        fields.member("last_seen", &lastSeen)
        fields.denial("unconfirmed", &isConfirmed)
        fields.flag("receive_only", &isReceiveOnly)
    }
}

/// What a device is asked for by: `{"name", "owner"?, "receive_only"?}`.
package struct DeviceRequest: JSONObject, Equatable, Sendable {
    package var name = ""
    package var owner: String?
    package var isReceiveOnly = false

    package init() {}

    package init(_ name: String, owner: String? = nil, isReceiveOnly: Bool = false) {
        (self.name, self.owner, self.isReceiveOnly) = (name, owner, isReceiveOnly)
    }

    package mutating func fields(_ fields: inout JSONFields) {
        fields.member("name", &name)
        fields.member("owner", &owner)
        fields.flag("receive_only", &isReceiveOnly)
    }
}

/// A device that was just made, with its secret, which is known only at this moment.
package struct MadeDevice: JSONObject, Sendable, Confidential {
    package var id = 0
    package var name = ""
    package var owner = ""
    package var bearer = ""
    /// Firefox needs this address.
    package var websocket = ""
    /// Other clients need the https address.
    package var url = ""
    package var isReceiveOnly = false

    package init() {}

    package mutating func fields(_ fields: inout JSONFields) {
        fields.member("id", &id)
        fields.member("name", &name)
        fields.member("owner", &owner)
        fields.member("bearer", &bearer)
        fields.member("websocket", &websocket)
        fields.member("url", &url)
        fields.flag("receive_only", &isReceiveOnly)
    }
}

/// An owner of devices, with what it has on the server.
package struct ListedOwner: ListedObject, Equatable, Sendable {
    package static let list: StaticString = "owners"

    package var id = 0
    package var name = ""
    package var devices = 0
    package var userAgents = 0
    package var endpoints = 0
    package var registrations = 0
    /// How much waits.
    package var messages = 0
    package var bytes = 0
    /// What topics keep.
    package var keptMessages = 0
    package var keptBytes = 0

    package init() {}

    package mutating func fields(_ fields: inout JSONFields) {
        fields.member("id", &id)
        fields.member("name", &name)
        fields.member("devices", &devices)
        fields.member("user_agents", &userAgents)
        fields.member("endpoints", &endpoints)
        fields.member("registrations", &registrations)
        fields.member("messages", &messages)
        fields.member("bytes", &bytes)
        fields.member("kept_messages", &keptMessages)
        fields.member("kept_bytes", &keptBytes)
    }
}
