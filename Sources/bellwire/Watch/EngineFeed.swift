import Base
import Desktop
import Notifications
import System

/// A connection to an engine over the control socket that never blocks: requests out, lines in.
///
/// It connects again when it breaks, after a second each time; if the engine refuses it, after longer
/// and longer.
// Unchecked: it is used on the thread of its loop, or before that runs.
final class EngineFeed: @unchecked Sendable {
    enum Event {
        /// The engine has taken the first line.
        case joined
        case update(JSONNode)
        case lost
        /// The engine says something else than JSON, or too much of it.
        case unreadable
        /// The engine does not take this client.
        case refused(EngineError)
    }

    private static let lineLimit = 64 << 20
    private static let chunkSize = 64 << 10
    /// How many chunks are read in one turn.
    private static let chunksPerTurn = 16
    private static let pause = Duration.seconds(1)

    private let loop: EventLoop
    private let address: SocketAddress
    private let opening: [UInt8]
    private let handler: (Event) -> Void
    private var connection: Connection?
    /// An account that ended may begin again.
    private var backoff = Backoff(first: .seconds(1), longest: .seconds(60))

    private final class Connection {
        let socket: Socket
        let watch: WatchID
        var lines = LineSplitter(limit: EngineFeed.lineLimit)
        var output: [UInt8]
        var isOpen = false
        var isRefused = false

        init(_ socket: consuming Socket, _ watch: WatchID, _ opening: [UInt8]) {
            self.socket = socket
            self.watch = watch
            output = opening
        }
    }

    init(
        _ address: SocketAddress, _ account: AccountName, on loop: EventLoop,
        _ handler: @escaping (Event) -> Void
    ) {
        (self.address, self.loop, self.handler) = (address, loop, handler)
        opening = account.opening
    }

    func connect() {
        do throws(SystemError) {
            let socket = try Socket.connect(to: address)
            let watch = try loop.watch(socket, for: [.readable, .writable], self)
            connection = Connection(socket, watch, opening)
        } catch {
            handler(.lost)
            connectLater(after: Self.pause)
        }
    }

    func send(_ request: String) {
        guard let connection, connection.isOpen else { return }
        connection.output += Array((request + "\n").utf8)
        loop.setInterest([.readable, .writable], of: connection.watch)
    }

    private func lose() {
        guard let connection = connection.take() else { return }
        loop.unwatch(connection.watch)
        handler(.lost)
        guard connection.isRefused else { return connectLater(after: Self.pause) }
        connectLater(after: backoff.next(chance: .random(in: 0..<1)))
    }

    private func connectLater(after pause: Duration) {
        _ = loop.schedule(after: Interval(pause), self)
    }

    /// False if the connection is broken.
    private func write(_ connection: Connection) -> Bool {
        while !connection.output.isEmpty {
            switch connection.socket.write(connection.output.span) {
            case .bytes(let count): connection.output.removeFirst(count)
            case .wouldBlock: return true
            case .closed, .failed: return false
            }
        }
        loop.setInterest(.readable, of: connection.watch)
        return true
    }

    /// False at the end.
    private func read(_ connection: Connection) -> Bool {
        var chunk = [UInt8](repeating: 0, count: Self.chunkSize)
        for _ in 0..<Self.chunksPerTurn {
            var span = chunk.mutableSpan
            switch connection.socket.read(into: &span) {
            case .bytes(let count):
                connection.lines.append(chunk.span.extracting(0..<count))
                guard take(connection) else { return false }
            case .wouldBlock: return true
            case .closed, .failed: return false
            }
        }
        return true
    }

    private func take(_ connection: Connection) -> Bool {
        while let line = connection.lines.next() {
            guard case .bytes(let line) = line, let document = try? JSONDocument(line) else {
                handler(.unreadable)
                return false
            }
            handle(document.root, connection)
            // The handler may have ended it.
            guard self.connection === connection else { return true }
        }
        if connection.lines.isOverlong { handler(.unreadable) }
        return !connection.lines.isOverlong
    }

    private func handle(_ object: JSONNode, _ connection: Connection) {
        if connection.isOpen { return handler(.update(object)) }
        if let error = EngineError(object) {
            connection.isRefused = true
            return handler(.refused(error))
        }
        connection.isOpen = true
        backoff.reset()
        handler(.joined)
    }
}

extension EngineFeed: EventHandler, TimerHandler {
    func ready(_ readiness: Readiness, of watch: WatchID) {
        guard let connection, connection.watch == watch else { return }
        if readiness.isWritable, !write(connection) { return lose() }
        if readiness.isReadable, !read(connection), self.connection === connection { lose() }
    }

    func timerFired(_ cookie: UInt64) { connect() }

    func drain() { if let connection { loop.unwatch(connection.watch) } }
}
