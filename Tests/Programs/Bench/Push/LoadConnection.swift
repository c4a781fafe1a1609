import Base
import Crypto
import System

/// The protocol on a connection of the load program.
protocol LoadSpeaker: AnyObject {
    /// The TLS handshake is done.
    func opened(_ connection: LoadConnection)
    /// Returns how many bytes it used; the others are passed again with more after them.
    func received(_ bytes: inout MutableSpan<UInt8>, on connection: LoadConnection) -> Int
    /// The connection failed, or ended too early.
    func lost(_ reason: String)
}

/// A connection of the load program to the server that is measured, through TLS.
///
/// The loop holds it as long as it is watched.
final class LoadConnection: EventHandler {
    /// What all connections share; they run on one thread.
    final class Context {
        let loop: EventLoop
        let address: SocketAddress
        let tls: TLSContext
        fileprivate let scratch = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 64 * 1024)

        init(_ loop: EventLoop, _ address: SocketAddress, _ tls: TLSContext) {
            self.loop = loop
            self.address = address
            self.tls = tls
            scratch.initialize(repeating: 0)
        }

        deinit { scratch.deallocate() }
    }

    private enum Stage { case connecting, shakingHands, open, ended }

    /// Waits to be sent by `flush`.
    @exclusivity(unchecked) var output: [UInt8] = []
    @exclusivity(unchecked) private var stage = Stage.connecting
    @exclusivity(unchecked) private var held: [UInt8] = []
    @exclusivity(unchecked) private var speaker: (any LoadSpeaker)?
    @exclusivity(unchecked) private var stream: TLSStream?
    @exclusivity(unchecked) private var socket: Socket?
    @exclusivity(unchecked) private var watch: WatchID?
    private let context: Context

    /// The name in the certificate of the server.
    static let host = "localhost"

    init(_ context: Context, _ speaker: any LoadSpeaker) throws {
        self.context = context
        self.speaker = speaker
        let socket = try Socket.connect(to: context.address)
        let descriptor = socket.descriptor
        self.socket = consume socket
        watch = try context.loop.watch(descriptor, for: .writable, self)
    }

    func ready(_ readiness: Readiness, of watch: WatchID) {
        switch stage {
        case .connecting: connected()
        case .shakingHands: shakeHands()
        case .open:
            if readiness.isWritable { flush() }
            if readiness.isReadable { receive() }
        case .ended: break
        }
    }

    func drain() { end() }

    /// Closes at once; the speaker is not called again.
    func end() {
        guard stage != .ended else { return }
        stage = .ended
        // The loop may release this object here.
        withExtendedLifetime(self) {
            if let watch { context.loop.unwatch(watch) }
            watch = nil
            speaker = nil
            stream = nil
            socket = nil
        }
    }

    private func lose(_ reason: String) {
        let speaker = speaker
        end()
        speaker?.lost(reason)
    }

    private func connected() {
        guard let failure = socket?.connectFailure() else { return startHandshake() }
        lose("\(failure)")
    }

    private func startHandshake() {
        guard let descriptor = socket?.descriptor,
            let stream = try? TLSStream(connecting: descriptor, to: Self.host, context.tls)
        else { return lose("no memory") }
        self.stream = consume stream
        stage = .shakingHands
        shakeHands()
    }

    private func shakeHands() {
        switch stream?.handshake() {
        case .done:
            stage = .open
            wait(for: .readable)
            speaker?.opened(self)
            if stream?.hasPending == true { receive() }
        case .wantsRead: wait(for: .readable)
        case .wantsWrite: wait(for: .writable)
        case .failed(let error): lose("\(error)")
        case .closed, nil: lose("closed during the handshake")
        }
    }

    /// Writes as much as possible now.
    func flush() {
        var written = 0
        while written < output.count {
            switch stream?.write(output.span.extracting(written..<output.count)) {
            case .bytes(let count): written += count
            case .wantsWrite:
                output.removeFirst(written)
                return wait(for: [.readable, .writable])
            case .wantsRead, .closed, .failed, nil: return lose("cannot write")
            }
        }
        output.removeAll(keepingCapacity: true)
        wait(for: .readable)
    }

    private func receive() {
        repeat {
            let scratch = context.scratch
            var buffer = scratch.mutableSpan
            switch stream?.read(into: &buffer) {
            case .bytes(let count): receive(scratch.extracting(0..<count))
            case .wantsRead, .wantsWrite: return
            case .closed, .failed, nil: return lose("closed")
            }
        } while stream?.hasPending == true
    }

    private func receive(_ piece: UnsafeMutableBufferPointer<UInt8>) {
        guard let speaker else { return }
        var bytes = piece.mutableSpan
        guard held.isEmpty else {
            held.append(contentsOf: bytes.span)
            var whole: [UInt8] = []
            swap(&whole, &held)
            var span = whole.mutableSpan
            let used = speaker.received(&span, on: self)
            whole.removeFirst(used)
            if stage == .open { held = whole }
            return
        }
        let used = speaker.received(&bytes, on: self)
        if used < piece.count, stage == .open {
            held.append(contentsOf: bytes.span.extracting(used..<piece.count))
        }
    }

    private func wait(for interest: Interest) {
        if let watch { context.loop.setInterest(interest, of: watch) }
    }
}
