import Base

/// A device that exists during the test.
struct TestDevice {
    private static let path = "/api/v1/devices"
    /// Also identifies a device that an interrupted test left behind.
    private static let name = "bellwire test"

    let url: String
    private let control: ControlConnection

    init(_ arguments: Arguments) throws {
        control = try ControlConnection(arguments)
        try Self.removeAll(control)
        var body = JSONWriter()
        body.object { $0.member("name", Self.name) }
        url = try DeviceReport.Added(json: try control.send("POST", Self.path, body.bytes)).url
    }

    /// A failure here says nothing about the tested way; the next test removes the rest.
    func remove() { try? Self.removeAll(control) }

    private static func removeAll(_ control: ControlConnection) throws {
        let devices = try DeviceReport.devices(json: try control.send("GET", path))
        for device in devices where device.name == name {
            _ = try control.send("DELETE", "\(path)/\(device.id)")
        }
    }
}
