import Reactor

/// Has something to send at the end of the loop's turn.
protocol QueuedSender: AnyObject {
    func flushNow()
}

/// Where the connections of one loop meet to send: what they append in one turn of the loop leaves
/// at its end, each in one write, and buffers pass from one to the next.
///
/// One write after the other also costs less than each between two reads: its code is at hand.
// Unchecked: touched by the thread of the loop alone.
final class SendQueue: @unchecked Sendable {
    private static let flushesPerCall = 256
    private static let buffersKept = 32
    private static let bufferKept = 64 * 1024
    private static let roomKept = 1_024

    private let loop: EventLoop
    @exclusivity(unchecked) private var waiting: [any QueuedSender] = []
    @exclusivity(unchecked) private var next = 0
    @exclusivity(unchecked) private var spares: [[UInt8]] = []

    init(on loop: EventLoop) { self.loop = loop }

    func flushLater(_ sender: any QueuedSender) {
        if waiting.isEmpty { post() }
        waiting.append(sender)
    }

    /// An idle connection holds no buffer. A borrowed one has room for what is sent most.
    func lend(_ output: inout [UInt8]) {
        if output.capacity == 0, let spare = spares.popLast() { output = spare }
    }

    func takeBack(_ output: inout [UInt8]) {
        guard output.isEmpty, output.capacity > 0 else { return }
        if spares.count < Self.buffersKept, output.capacity <= Self.bufferKept {
            spares.append(output)
        }
        output = []
    }

    private func post() {
        loop.post { self.flush() }
    }

    private func flush() {
        let end = min(next + Self.flushesPerCall, waiting.count)
        while next < end {
            let sender = waiting[next]
            next += 1
            sender.flushNow()
        }
        if next < waiting.count { return post() }
        waiting.removeAll(keepingCapacity: waiting.capacity <= Self.roomKept)
        next = 0
    }
}
