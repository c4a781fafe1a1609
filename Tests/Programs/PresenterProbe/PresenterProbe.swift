import Base
import Crypto
import Desktop
import Glibc
import HTTP
import System

/// The presenter, the store it remembers with, and one source.
final class PresenterProbe: EventHandler {
    struct BadArguments: Error {}

    private let loop: EventLoop
    private let service: PresenterService
    private let source: PresentedSource
    private var connection: EngineConnection?
    private var input: [UInt8] = []

    static func run(_ arguments: ArraySlice<String>) throws {
        let loop = try EventLoop()
        let probe = try PresenterProbe(arguments, on: loop)
        let watch = try loop.watch(STDIN_FILENO, for: .readable, probe)
        say("ready")
        probe.start()
        _ = loop.run()
        loop.unwatch(watch)
    }

    private init(_ arguments: ArraySlice<String>, on loop: EventLoop) throws {
        var rest = arguments
        guard let path = rest.popFirst() else { throw BadArguments() }
        var source = PresentedSource(
            id: "probe", name: "Probe", desktopEntry: "org.example.Probe")
        var engine: [String] = []
        while let word = rest.popFirst() {
            switch word {
            case "service": source.service = rest.popFirst()
            case "engine":
                engine = Array(rest.prefix(3))
                rest = rest.dropFirst(3)
            default: throw BadArguments()
            }
        }
        let log = Log()
        let store = try DesktopStore(
            folder: StateFolder(path), masterKey: Self.masterKey(path + ".key"))
        let service = try PresenterService([source], store: store, on: loop, log: log)
        self.loop = loop
        self.service = service
        self.source = source
        guard engine.count == 3 else {
            service.request = { _, request in Self.say(request.json) }
            return
        }
        guard
            let address = EngineAddress(
                device: engine[0], app: engine[1], account: engine[2])
        else { throw BadArguments() }
        let connection = EngineConnection(
            of: source.id, at: address,
            trust: try TLSContext(client: .system, protocols: [.http1]),
            on: loop, service, log: log)
        service.request = { [weak connection] _, request in connection?.send(request) }
        service.loadPicture = { [weak connection] _, name, then in
            connection?.loadPicture(name, then: then)
        }
        self.connection = connection
    }

    private static func masterKey(_ path: String) throws -> MasterKey {
        if FileStamp(of: path) == nil {
            let json = try StoredKey.generate(.master).json()
            try KeyFile.create(path, json.span)
        }
        guard case .master(let key) = try StoredKey(json: try KeyFile.read(path)) else {
            throw BadArguments()
        }
        return key
    }

    private func start() {
        service.start()
        connection?.connect()
    }

    private static func say(_ line: String) {
        print(line)
        fflush(nil)
    }

    func ready(_ readiness: Readiness, of watch: WatchID) {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let count = read(STDIN_FILENO, &chunk, chunk.count)
        guard count > 0 else { return loop.stop() }
        input += chunk[..<count]
        while let end = input.firstIndex(of: UInt8(ascii: "\n")) {
            service.received(Array(input[..<end]), from: source.id)
            input.removeFirst(end + 1)
        }
    }

    func drain() {}
}
