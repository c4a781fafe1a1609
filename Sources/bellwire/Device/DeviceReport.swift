import Base
import Desktop
import WebPush

/// Devices as text.
extension ListedDevice {
    static func text(_ devices: [ListedDevice]) -> String {
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

    private static func presence(of device: ListedDevice) -> String {
        if device.isConnected { return "connected" }
        return device.lastSeen.map { "last seen " + LocalTime.text($0) } ?? "never seen"
    }
}

extension MadeDevice {
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
