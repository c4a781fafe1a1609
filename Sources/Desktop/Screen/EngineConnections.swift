import Crypto
import Reactor
import System
import TLS

/// The connections to all engines, one for each source.
///
/// Only the thread of the loop uses it.
final class EngineConnections {
    private let desk: NotificationDesk
    private let context: TLSContext
    private let loop: EventLoop
    private let log: Log
    private var connections: [String: EngineConnection] = [:]

    init(_ desk: NotificationDesk, trust context: TLSContext, on loop: EventLoop, log: Log) {
        self.desk = desk
        self.context = context
        self.loop = loop
        self.log = log
    }

    /// Sets the engines: ends the others, and does not touch unchanged ones.
    func use(_ engines: [PresentedEngine]) {
        var former = connections
        connections = [:]
        for engine in engines {
            let id = engine.source.id
            if former[id]?.address == engine.address {
                connections[id] = former.removeValue(forKey: id)
                continue
            }
            connections[id] = EngineConnection(
                of: id, at: engine.address, trust: context, sha1: { try? SHA1.digest(of: $0) },
                on: loop, desk, log: log)
        }
        for connection in former.values { connection.close() }
    }

    func connect() { for connection in connections.values { connection.connect() } }

    func send(_ request: EngineRequest, to source: String) { connections[source]?.send(request) }

    func close() { for connection in connections.values { connection.close() } }
}
