import System

/// The clients that are connected, as a person counts them: each user agent, and each screen that
/// shows notifications. A screen has a connection for every account, and perhaps one for
/// applications; all of them together are one client. Any thread may use it.
package final class ConnectedClients: Sendable {
    private struct Connections {
        var userAgents = 0
        var screens = 0
        var isEmpty: Bool { userAgents == 0 && screens == 0 }
    }

    private let connections = Lock<[Pass: Connections]>([:])

    package init() {}

    func userAgentCame(_ pass: Pass) { change(pass) { $0.userAgents += 1 } }

    func userAgentLeft(_ pass: Pass) { change(pass) { $0.userAgents -= 1 } }

    /// A client of an engine came.
    package func screenCame(_ pass: Pass) { change(pass) { $0.screens += 1 } }

    package func screenLeft(_ pass: Pass) { change(pass) { $0.screens -= 1 } }

    package var count: Int {
        connections.withLock { connections in
            connections.values.reduce(0) { $0 + max($1.userAgents, $1.screens > 0 ? 1 : 0) }
        }
    }

    private func change(_ pass: Pass, _ change: (inout Connections) -> Void) {
        connections.withLock { connections in
            var known = connections[pass] ?? Connections()
            change(&known)
            connections[pass] = known.isEmpty ? nil : known
        }
    }
}
