package enum WebSocketRole: Sendable, CaseIterable {
    case server
    case client
}
