import Reactor

/// Where the WebSockets of one loop meet to send: what they append in one turn of the loop leaves
/// at its end, each in one write, and a buffer passes from one to the next.
// Unchecked: touched by the thread of the loop alone.
final class WebSocketOutbox: @unchecked Sendable {
    private static let flushesPerCall = 256
    private static let bufferKept = 64 * 1024
    private static let roomKept = 1_024

    private let loop: EventLoop
    @exclusivity(unchecked) private var waiting: [WebSocketConnection] = []
    @exclusivity(unchecked) private var next = 0
    @exclusivity(unchecked) private var spare: [UInt8] = []

    init(on loop: EventLoop) { self.loop = loop }

    func flushLater(_ connection: WebSocketConnection) {
        if waiting.isEmpty { post() }
        waiting.append(connection)
    }

    /// An idle connection holds no buffer. A borrowed one has room for what is sent most.
    func lend(_ output: inout [UInt8]) {
        if output.capacity == 0 { swap(&output, &spare) }
    }

    func takeBack(_ output: inout [UInt8]) {
        guard output.isEmpty, output.capacity > 0 else { return }
        let isWanted = spare.capacity == 0 && output.capacity <= Self.bufferKept
        if isWanted { swap(&output, &spare) } else { output = [] }
    }

    private func post() {
        loop.post { self.flush() }
    }

    private func flush() {
        let end = min(next + Self.flushesPerCall, waiting.count)
        while next < end {
            let connection = waiting[next]
            next += 1
            connection.flushNow()
        }
        if next < waiting.count { return post() }
        waiting.removeAll(keepingCapacity: waiting.capacity <= Self.roomKept)
        next = 0
    }
}
