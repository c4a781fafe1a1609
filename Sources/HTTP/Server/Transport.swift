import Crypto
import System

/// A socket, with or without TLS.
struct Transport: ~Copyable {
    enum Result {
        case bytes(Int)
        case wantsRead
        case wantsWrite
        /// The peer sends no more.
        case closed
        case failed
    }

    private let socket: Socket
    private var stream: TLSStream?
    /// Whether the transport has to speak TLS and has not begun to.
    private(set) var awaitsTLS: Bool
    /// The handshake failed because the peer speaks HTTP without TLS.
    private(set) var isPlainHTTP = false

    init(plain socket: consuming Socket) {
        self.socket = socket
        stream = nil
        awaitsTLS = false
    }

    /// Costs little more than its descriptor until `beginTLS`, before which nothing may be read or
    /// written.
    init(encrypted socket: consuming Socket) {
        self.init(plain: socket)
        awaitsTLS = true
    }

    /// With `ciphers` the connection gets records of our own after its handshake.
    mutating func beginTLS(
        _ context: TLSContext, _ ciphers: RecordCiphers?
    ) throws(TLSError) {
        stream = try TLSStream(serving: socket.descriptor, context, ciphers)
        awaitsTLS = false
    }

    /// Starts TLS as a client of `host`. All input without TLS must have been read.
    consuming func encrypted(
        to host: String, _ context: TLSContext
    ) throws(TLSError) -> Transport {
        let socket = self.finish()
        let stream = try TLSStream(connecting: socket.descriptor, to: host, context)
        return Transport(socket, consume stream)
    }

    private init(_ socket: consuming Socket, _ stream: consuming TLSStream) {
        self.socket = socket
        self.stream = consume stream
        awaitsTLS = false
    }

    func limitUntaken(_ limit: Duration) { socket.limitUntaken(limit) }

    var descriptor: Int32 { socket.descriptor }
    /// Nil if the connection was made.
    var connectFailure: SystemError? { socket.connectFailure() }
    var isEncrypted: Bool { awaitsTLS || stream != nil }
    var peerCredentials: PeerCredentials? { socket.peerCredentials() }

    /// Whether TLS holds bytes that it read ahead, which the socket does not report.
    var hasPending: Bool {
        switch stream {
        case .some(let stream): stream.hasPending
        case .none: false
        }
    }

    /// What the peer sent too much of that carries no data; nil if it did not.
    var flood: TLSFlood? {
        switch stream {
        case .some(let stream): stream.flood
        case .none: nil
        }
    }

    /// Whether OpenSSL has left the connection to records of our own.
    var hasOwnRecords: Bool {
        switch stream {
        case .some(let stream): stream.hasOwnRecords
        case .none: false
        }
    }

    var applicationProtocol: ApplicationProtocol? {
        switch stream {
        case .some(let stream): stream.applicationProtocol
        case .none: nil
        }
    }

    /// Changes when the handshake gets on; nil without TLS.
    var handshakeStep: UInt32? {
        switch stream {
        case .some(let stream): stream.handshakeStep
        case .none: nil
        }
    }

    mutating func handshake() -> Result {
        switch stream?.handshake() {
        case nil, .done: .bytes(0)
        case .wantsRead: .wantsRead
        case .wantsWrite: .wantsWrite
        case .closed: .closed
        case .failed(let error): failed(error)
        }
    }

    private mutating func failed(_ error: TLSError) -> Result {
        isPlainHTTP = error.isPlainHTTP
        return .failed
    }

    /// Unlike `handshake`, returns the reason of a failure.
    mutating func clientHandshake() -> TLSProgress { stream?.handshake() ?? .done }

    mutating func read(into buffer: inout MutableSpan<UInt8>) -> Result {
        switch stream?.read(into: &buffer) {
        case nil: Self.result(socket.read(into: &buffer), else: .wantsRead)
        case .bytes(let count): .bytes(count)
        case .wantsRead: .wantsRead
        case .wantsWrite: .wantsWrite
        case .closed: .closed
        case .failed: .failed
        }
    }

    /// Reads without consuming.
    borrowing func peek(into buffer: inout MutableSpan<UInt8>) -> Result {
        Self.result(socket.peek(into: &buffer), else: .wantsRead)
    }

    /// Consumes that many of the bytes that `peek` returned.
    borrowing func skip(_ count: Int, _ scratch: UnsafeMutableBufferPointer<UInt8>) {
        guard count > 0 else { return }
        var buffer = scratch.extracting(0..<count).mutableSpan
        // They are in the socket, so one call reads them all.
        _ = socket.read(into: &buffer)
    }

    /// Writes `output` from `start` on.
    mutating func write(_ output: [UInt8], from start: Int) -> Result {
        let bytes = output.span.extracting(start..<output.count)
        return switch stream?.write(bytes) {
        case nil: Self.result(socket.write(bytes), else: .wantsWrite)
        case .bytes(let count): .bytes(count)
        case .wantsRead: .wantsRead
        case .wantsWrite: .wantsWrite
        case .closed: .closed
        case .failed: .failed
        }
    }

    /// Ends TLS and returns the socket for a lingering close.
    consuming func finish() -> Socket {
        // The connection ends whether or not this can be sent.
        _ = stream?.shutdown()
        stream = nil
        return socket
    }

    private static func result(_ transfer: Transfer, else blocked: Result) -> Result {
        switch transfer {
        case .bytes(let count): .bytes(count)
        case .wouldBlock: blocked
        case .closed: .closed
        case .failed: .failed
        }
    }
}

/// The watch and the timer that a connection has on its loop.
struct ConnectionWatch {
    private(set) var interest = Interest.readable
    private var watch: WatchID?
    private var timer: TimerID?
    private var deadline: Duration?

    /// False if the descriptor cannot be watched.
    mutating func begin(
        _ descriptor: Int32, _ handler: any EventHandler, on loop: EventLoop
    ) -> Bool {
        watch = try? loop.watch(descriptor, for: interest, handler)
        return watch != nil
    }

    mutating func setInterest(_ interest: Interest, on loop: EventLoop) {
        guard interest.rawValue != self.interest.rawValue, let watch else { return }
        self.interest = interest
        loop.setInterest(interest, of: watch)
    }

    mutating func end(on loop: EventLoop) {
        if let watch { loop.unwatch(watch) }
        watch = nil
    }

    /// One timer serves whichever deadline is next.
    mutating func setTimer(
        _ deadline: Duration?, _ handler: any TimerHandler, _ service: HTTPService
    ) {
        guard let deadline, deadline != self.deadline else { return }
        self.deadline = deadline
        let interval = Interval(deadline - service.now)
        if let timer, service.loop.reschedule(timer, after: interval) { return }
        timer = service.loop.schedule(after: interval, handler)
    }

    mutating func timerFired() { (timer, deadline) = (nil, nil) }

    mutating func cancelTimer(on loop: EventLoop) {
        if let timer { loop.cancel(timer) }
        timer = nil
    }
}
