import Base
import Configuration
import Crypto
import Desktop
import System
import WebPush

/// The desktop service of a process: its folder, its store and its loop.
final class DesktopHost {
    /// The time that running work gets at the end.
    private static let drainLimit = Duration.seconds(2)
    /// The time that a hanging loop gets at the end.
    private static let endLimit = Duration.seconds(4)

    private let folder: StateFolder
    private let group: LoopGroup
    private let service: DesktopService
    private let log: Log

    /// Does everything that can fail without the bus.
    init(_ configuration: ServerConfiguration, _ terms: DesktopTerms, _ log: Log) throws {
        try PrivateFolder.make(configuration.state, mode: 0o750)
        let path = Self.folder(in: configuration.state)
        let keys = try KeyFolder(configuration)
        let master = try keys.desktopKey(storeIsThere: DesktopStore.isThere(in: path))
        let folder = try Self.lock(path)
        let store = try DesktopStore(folder: folder, masterKey: master)
        var trust = DevelopmentAuthority.trust(configuration)
        if let file = configuration.values[.receiverAuthorities] {
            trust = .authorities(try TextFile.read(file))
        }
        let context = try TLSContext(client: trust, protocols: [.http1])
        let group = try LoopGroup(count: 1)
        service = try DesktopService(
            store: store, terms: terms, trust: context, on: group.loops[0], log: log)
        self.folder = folder
        self.group = group
        self.log = log
    }

    private static func lock(_ path: String) throws -> StateFolder {
        do throws(StateFolder.Failure) {
            return try StateFolder(path)
        } catch {
            guard case .inUse = error else { throw error }
            throw CommandError(
                message: "another desktop service of this user is running, with \(path)",
                hint: "one is enough; to stop it: systemctl --user stop bellwire-desktop")
        }
    }

    static func folder(in state: String) -> String { state + "/desktop" }

    /// Calls `ready` once the process owns its name on the bus, and `ended` if it cannot get the
    /// name or loses it. Both run on the loop's thread.
    func start(
        ready: @escaping @Sendable () -> Void,
        ended: @escaping @Sendable (DesktopService.Failure) -> Void
    ) throws {
        try service.start(ready: ready, ended: ended)
        try group.start(name: "desktop")
    }

    /// Applies new terms while it runs. After a mistake nothing changes and it returns false.
    @discardableResult
    func reload(_ log: Log, _ terms: () throws -> DesktopTerms) -> Bool {
        do {
            let (service, terms) = (service, try terms())
            group.loops[0].post {
                #if DEBUG
                    PlantedTrap.spring("desktop")
                #endif
                service.use(terms)
            }
            return true
        } catch {
            log.write(
                .error, "receivers-refused",
                [
                    ("reason", CommandError(error).message),
                    ("effect", "the previous ones stay in use"),
                ])
            return false
        }
    }

    /// Disconnects from the bus and the receivers. Unfinished messages come again at the next
    /// start.
    func end() {
        let service = service
        group.loops[0].post { service.end() }
        group.drain(within: Self.drainLimit)
        if group.join(within: Self.endLimit).contains(nil) { log.write(.error, "desktop-hangs") }
    }

    /// Reads the configured file, or the first default one that exists.
    static func receivers(_ configuration: ServerConfiguration) throws -> [ReceiverAddress] {
        let files = configuration.receiversFiles
        let present = files.first { FileStamp(of: $0) != nil }
        guard let file = present ?? (configuration.isReceiversFileNamed ? files.first : nil) else {
            return []
        }
        let bytes = try KeyFile.read(file)
        do throws(ReceiverAddress.Refusal) {
            return try ReceiverAddress.list(bytes)
        } catch {
            throw CommandError.usage(
                "\(file):\(error.line): \(error.description)", hint: error.hint)
        }
    }
}

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
        let devices = try [ListedDevice](answer: try control.send("GET", devicesPath))
        let known = devices.filter { $0.name == deviceName }
        if known.count == 1, FileStamp(of: path) != nil { return try KeyFile.read(path) }
        for device in known { _ = try control.send("DELETE", "\(devicesPath)/\(device.id)") }
        let made = try MadeDevice(
            answer: try control.send("POST", devicesPath, DeviceRequest(deviceName).json))
        let secret = Array(made.bearer.utf8)
        try KeyFile.remove(path)
        try KeyFile.create(path, secret.span)
        return secret
    }

    /// The accounts that the device may show. It asks as the device, so registrations of other
    /// owners cannot start anything here.
    private static func accounts(_ secret: [UInt8], _ state: String) throws -> [EngineAccount] {
        let device = ControlConnection(path: socket(in: state), bearer: Secret(secret.span))
        let answer = try device.send("GET", RegistrationsPath.all)
        return [ListedRegistration](json: answer).map(EngineAccount.list) ?? []
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
