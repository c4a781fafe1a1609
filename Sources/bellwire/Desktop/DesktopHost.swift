import Base
import Configuration
import Desktop
import Reactor
import System
import TLS

/// The desktop service of a process: its folder, its store, and the loop that serves it.
final class DesktopHost {
    /// How long what is under way may take at the end.
    private static let drainLimit = Duration.seconds(2)
    /// And how long the loop is waited for, whatever hangs in it.
    private static let endLimit = Duration.seconds(4)

    private let folder: StateFolder
    private let group: LoopGroup
    private let service: DesktopService
    private let log: Log

    /// Everything that can go wrong without the bus does so here.
    init(_ configuration: ServerConfiguration, _ terms: DesktopTerms, _ log: Log) throws {
        try PrivateFolder.make(configuration.state, mode: 0o750)
        let path = Self.folder(in: configuration.state)
        let keys = try KeyFolder(configuration)
        let master = try keys.desktopKey(storeIsThere: DesktopStore.isThere(in: path))
        let folder = try StateFolder(path)
        let store = try DesktopStore(folder: folder, masterKey: master)
        var trust = Trust.system
        if let file = configuration.receiverAuthorities {
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

    static func folder(in state: String) -> String { state + "/desktop" }

    /// `ready` once the name on the bus is ours; `ended` if that cannot be, or not any more. Both
    /// are called on the thread of the loop.
    func start(
        ready: @escaping @Sendable () -> Void,
        ended: @escaping @Sendable (DesktopService.Failure) -> Void
    ) throws {
        try service.start(ready: ready, ended: ended)
        try group.start(name: "desktop")
    }

    /// Takes others over while it runs. After a mistake everything stays as it was, and false.
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
                    ("effect", "those from before stay in use"),
                ])
            return false
        }
    }

    /// Lets go of the bus and of the receivers. What is under way comes again at the next start.
    func end() {
        let service = service
        group.loops[0].post { service.end() }
        group.drain(within: Self.drainLimit)
        if group.join(within: Self.endLimit).contains(nil) { log.write(.error, "desktop-hangs") }
    }

    /// From the first of the usual files, or the one that was named.
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
