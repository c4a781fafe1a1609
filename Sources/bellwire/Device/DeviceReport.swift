import Base
import Desktop

/// Devices as text.
enum DeviceReport {
    struct Device {
        var id = 0
        var name = ""
        var owner = ""
        var isConnected = false
        /// Seconds since 1970; nil if it never connected.
        var lastSeen: Int?
        /// False after a restore, until somebody confirms it.
        var isConfirmed = true
        var isReceiveOnly = false
    }

    struct Added: Confidential {
        var name = ""
        var bearer = ""
        var websocket = ""
        var url = ""
        var isReceiveOnly = false
    }

    static func devices(json: [UInt8]) throws -> [Device] {
        var devices: [Device] = []
        var scanner = JSONScanner(json)
        do throws(JSONScanner.Failure) {
            try scanner.forEachMember { name, scanner throws(JSONScanner.Failure) in
                guard scanner.isEqual(name, "devices") else { return try scanner.skipValue() }
                try scanner.forEachElement { scanner throws(JSONScanner.Failure) in
                    devices.append(try device(&scanner))
                }
            }
            try scanner.expectEnd()
        } catch {
            throw CommandError(message: "the server's answer cannot be read")
        }
        return devices
    }

    private static func device(
        _ scanner: inout JSONScanner
    ) throws(JSONScanner.Failure) -> Device {
        var device = Device()
        try scanner.forEachMember { name, scanner throws(JSONScanner.Failure) in
            let name = scanner.string(name)
            switch try scanner.next() {
            case .string(let text) where name == "name": device.name = scanner.string(text)
            case .string(let text) where name == "owner": device.owner = scanner.string(text)
            case .number(let range):
                let number = Int(decimalDigits: scanner.bytes.span.extracting(range)) ?? 0
                if name == "id" { device.id = number }
                if name == "last_seen" { device.lastSeen = number }
            case .bool(let isTrue) where name == "connected": device.isConnected = isTrue
            case .bool(let isTrue) where name == "unconfirmed": device.isConfirmed = !isTrue
            case .bool(let isTrue) where name == "receive_only": device.isReceiveOnly = isTrue
            case .string, .bool: break
            default: throw .invalid(at: scanner.position)
            }
        }
        return device
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
    init(json: [UInt8]) throws {
        var scanner = JSONScanner(json)
        var texts: [String: String] = [:]
        do throws(JSONScanner.Failure) {
            try scanner.forEachMember { name, scanner throws(JSONScanner.Failure) in
                texts[scanner.string(name)] = try scanner.stringOrSkip().map(scanner.string)
            }
            try scanner.expectEnd()
        } catch {
            texts = [:]
        }
        guard let name = texts["name"], let bearer = texts["bearer"],
            let websocket = texts["websocket"], let url = texts["url"]
        else { throw CommandError(message: "the server's answer cannot be read") }
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
