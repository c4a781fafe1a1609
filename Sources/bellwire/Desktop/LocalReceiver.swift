import Base
import Configuration
import Desktop
import Reactor
import System

/// The receiver in this process for the desktop beside it. The desktop connects through a socket
/// that only this user can reach, with a credential like any device.
enum LocalReceiver {
    /// Users are unlikely to choose this name.
    private static let deviceName = "desktop of this server"
    private static let devicesPath = "/api/v1/devices"

    static func socket(in state: String) -> String {
        DesktopHost.folder(in: state) + "/receiver.sock"
    }

    /// Makes the folder that the server listens in.
    static func prepare(_ state: String) throws -> ListenAddress {
        try PrivateFolder.make(state, mode: 0o750)
        try PrivateFolder.make(DesktopHost.folder(in: state))
        return ListenAddress(.unix(path: socket(in: state)))
    }

    /// Call it when the server runs. The credential is made at the first start, and again if the
    /// server no longer knows it.
    static func address(_ state: String) throws -> ReceiverAddress {
        let control = ControlConnection(path: state + "/control.sock")
        let secret = try credential(state, control)
        var address = try address(secret: secret, state)
        address.accounts = try accounts(secret, state)
        return address
    }

    private static func credential(
        _ state: String, _ control: ControlConnection
    ) throws -> [UInt8] {
        let path = DesktopHost.folder(in: state) + "/local-device"
        let devices = try DeviceReport.devices(json: try control.send("GET", devicesPath))
        let known = devices.filter { $0.name == deviceName }
        if known.count == 1, FileStamp(of: path) != nil { return try KeyFile.read(path) }
        for device in known { _ = try control.send("DELETE", "\(devicesPath)/\(device.id)") }
        var body = JSONWriter()
        body.object { $0.member("name", deviceName) }
        let answer = try control.send("POST", devicesPath, body.bytes)
        let secret = Array(try DeviceReport.Added(json: answer).bearer.utf8)
        try KeyFile.remove(path)
        try KeyFile.create(path, secret.span)
        return secret
    }

    /// The accounts that the device may show. It asks as the device, so registrations of other
    /// owners cannot start anything here.
    private static func accounts(_ secret: [UInt8], _ state: String) throws -> [EngineAccount] {
        let device = ControlConnection(path: socket(in: state), bearer: Secret(secret.span))
        let answer = try device.send("GET", RegistrationsPath.all)
        return (try? JSONDocument(answer).root).map(EngineAccount.list) ?? []
    }

    private static func address(secret: [UInt8], _ state: String) throws -> ReceiverAddress {
        let text = "ws://localhost/u/" + String(decoding: secret, as: UTF8.self)
        guard var address = ReceiverAddress(text) else {
            throw CommandError(message: "the stored credential of the desktop is damaged")
        }
        address.place = .unix(path: socket(in: state))
        return address
    }
}
