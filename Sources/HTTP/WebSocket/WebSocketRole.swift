/// Which end of a WebSocket we are.
package enum WebSocketRole: Sendable, CaseIterable {
    case server
    case client
}
