import Base
import Desktop

/// Devices as text.
enum DeviceReport {
    struct Device {
        let id: Int
        let name: String
        let owner: String
        let isConnected: Bool
        /// Seconds since 1970; nil if it never connected.
        let lastSeen: Int?
        /// False after a restore, until somebody confirms it.
        let isConfirmed: Bool
        let isReceiveOnly: Bool
    }

    struct Added: Confidential {
        let name: String
        let bearer: String
        let websocket: String
        let url: String
        var isReceiveOnly = false
    }

    static func devices(_ root: JSONNode) -> [Device] {
        (root["devices"]?.elements ?? []).map { node in
            Device(
                id: Int(node["id"]?.integer ?? 0), name: node["name"]?.text ?? "",
                owner: node["owner"]?.text ?? "", isConnected: node["connected"]?.bool ?? false,
                lastSeen: (node["last_seen"]?.integer).map(Int.init),
                isConfirmed: node["unconfirmed"]?.bool != true,
                isReceiveOnly: node["receive_only"]?.bool ?? false)
        }
    }

    static func text(_ devices: [Device]) -> String {
        guard !devices.isEmpty else { return "no devices; add one with bellwire device add NAME\n" }
        let rows = devices.map { device in
            [
                "\(device.id)", Printable.text(device.name), Printable.text(device.owner),
                presence(of: device)
                    + (device.isReceiveOnly ? ", receives only" : "")
                    + (device.isConfirmed ? "" : ", not let in: confirm it"),
            ]
        }
        return TextTable.text(rows)
    }

    private static func presence(of device: Device) -> String {
        if device.isConnected { return "connected" }
        return device.lastSeen.map { "last seen " + LocalTime.text($0) } ?? "never seen"
    }
}

extension DeviceReport.Added {
    init(_ root: JSONNode) throws {
        guard let name = root["name"]?.text, let bearer = root["bearer"]?.text,
            let websocket = root["websocket"]?.text, let url = root["url"]?.text
        else { throw CommandError.unreadable }
        (self.name, self.bearer, self.websocket, self.url) = (name, bearer, websocket, url)
    }

    /// The text about a new device. It is shown only once, because the secret is all that a device
    /// needs.
    var text: String {
        let places = isReceiveOnly ? receiving : asking
        return """
            device \(Printable.text(name)) may connect; keep this secret, it is shown only once

            \(places)
            \(isLocal ? Self.localNote : "")
            """ + (isReceiveOnly ? "\n" + picture : "")
    }

    private var receiving: String {
        """
          Firefox: in about:config, set dom.push.serverURL to
            \(websocket)
          KUnifiedPush: choose the provider Autopush, and set its Url to
            \(url)
          Sunup on a phone: scan the picture, and use the address as its server
            \(url)
        """
    }

    /// Settings of other programs are no place for a secret that opens everything.
    private var asking: String {
        """
          another desktop with Bellwire: add this line to ~/.config/bellwire/receivers
            \(websocket)
          a program that asks the API: send this as its bearer secret
            \(bearer)
          Firefox, KUnifiedPush, Sunup on a phone: add a device with --receive-only
        """
    }

    private static let localNote = """

        Only this machine reaches this address. Set base-url before you use it on another one.

        """

    private var isLocal: Bool {
        guard let host = ReceiverAddress(websocket)?.url.host else { return false }
        return host == "localhost" || IPAddress(host)?.isLoopback == true
    }

    private var picture: String { CodePicture.text(of: url) }
}
