import Reactor
import TLS

/// The bytes of a connection, in clear or through TLS, over its socket.
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

    init(plain socket: consuming Socket) {
        self.socket = socket
        stream = nil
    }

    init(encrypted socket: consuming Socket, _ context: TLSContext) throws(TLSError) {
        let stream = try TLSStream(serving: socket.descriptor, context)
        self.socket = socket
        self.stream = consume stream
    }

    /// Goes on through TLS, as a client of `host`, once nothing more is to be read in clear.
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
    }

    var descriptor: Int32 { socket.descriptor }
    /// Why the connection was not made; nil when it was.
    var connectFailure: ReactorError? { socket.connectFailure() }
    var isEncrypted: Bool { stream != nil }
    var peerCredentials: PeerCredentials? { socket.peerCredentials() }

    /// Bytes that were read ahead, which the socket does not tell of.
    var hasPending: Bool {
        switch stream {
        case .some(let stream): stream.hasPending
        case .none: false
        }
    }

    /// What ended the connection, if it was too much of something.
    var flood: TLSFlood? {
        switch stream {
        case .some(let stream): stream.flood
        case .none: nil
        }
    }

    var applicationProtocol: ApplicationProtocol? {
        switch stream {
        case .some(let stream): stream.applicationProtocol
        case .none: nil
        }
    }

    mutating func handshake() -> Result {
        switch stream?.handshake() {
        case nil, .done: .bytes(0)
        case .wantsRead: .wantsRead
        case .wantsWrite: .wantsWrite
        case .closed: .closed
        case .failed: .failed
        }
    }

    /// With the reason of a failure, which a client is told.
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

    /// What lies in the socket and will be read again.
    borrowing func peek(into buffer: inout MutableSpan<UInt8>) -> Result {
        Self.result(socket.peek(into: &buffer), else: .wantsRead)
    }

    /// Reads away so many of the bytes that were seen.
    borrowing func skip(_ count: Int, _ scratch: UnsafeMutableBufferPointer<UInt8>) {
        guard count > 0 else { return }
        var buffer = scratch.extracting(0..<count).mutableSpan
        // They lie there, so all of them come at once.
        _ = socket.read(into: &buffer)
    }

    /// Writes of `output` what stands from `start` on.
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

    /// Says farewell and gives the socket for a lingering close.
    consuming func finish() -> Socket {
        // Whether the farewell leaves or not, the connection ends.
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
