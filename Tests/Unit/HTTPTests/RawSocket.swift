import COpenSSL
import Foundation
import TestSupport
@testable import Crypto

/// One end of a connection for raw bytes. Waits at most five seconds for anything.
final class RawSocket {
    let descriptor: Int32
    private var stream: TLSStream?
    private var received: ArraySlice<UInt8> = []

    init(owning descriptor: Int32) {
        self.descriptor = descriptor
        stream = nil
        var patience = timeval(tv_sec: 5, tv_usec: 0)
        let length = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, length)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, length)
    }

    /// A socket for TCP that is not connected. Only a file that imports what other modules see of the
    /// C library finds its names whatever else is compiled with it.
    static func unconnected(_ flags: Int32 = 0) -> Int32 {
        socket(AF_INET, Int32(SOCK_STREAM.rawValue) | flags, 0)
    }

    convenience init(port: UInt16, receiveBuffer: Int32? = nil) throws {
        let descriptor = Self.unconnected()
        self.init(owning: descriptor)
        if var size = receiveBuffer {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, 4)
        }
        guard withLoopback(port, { connect(descriptor, $0, $1) }) == 0 else {
            throw POSIXError(.ECONNREFUSED)
        }
    }

    convenience init(path: String) throws {
        self.init(owning: socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0))
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let result = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                connect(descriptor, address, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else { throw POSIXError(.ECONNREFUSED) }
    }

    deinit { close(descriptor) }

    /// Received but not returned yet.
    var waitingBytes: Int32 {
        var count: Int32 = 0
        return ioctl(descriptor, UInt(FIONREAD), &count) == 0 ? count : 0
    }

    /// Continues through TLS.
    func encrypt(to host: String, _ context: TLSContext) throws {
        stream = try TLSStream(connecting: descriptor, to: host, context)
        guard stream?.handshake() == .done else { throw POSIXError(.EPROTO) }
    }

    /// The next write updates the keys first and asks the other side to do the same.
    func updateKeys() {
        if let handle = stream?.handle { SSL_key_update(handle, SSL_KEY_UPDATE_REQUESTED) }
    }

    /// That many bytes of key-update records, to be sent past TLS. After this only such bytes can
    /// be sent.
    func keyUpdates(bytes count: Int) -> [UInt8] {
        guard let handle = stream?.handle, let memory = BIO_new(BIO_s_mem()) else { return [] }
        SSL_set0_wbio(handle, memory)
        while BIO_ctrl_pending(memory) < count {
            SSL_key_update(handle, SSL_KEY_UPDATE_NOT_REQUESTED)
            SSL_do_handshake(handle)
        }
        var bytes = [UInt8](repeating: 0, count: BIO_ctrl_pending(memory))
        BIO_read(memory, &bytes, Int32(bytes.count))
        return bytes
    }

    /// Sends past TLS, without waiting, as much as fits.
    func push(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.withUnsafeBytes {
            Foundation.send(
                descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
        }
    }

    func send(_ text: String) { send(Array(text.utf8)) }

    /// Returns whether everything was sent.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = write(bytes.span.extracting(sent..<bytes.count))
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    private func write(_ bytes: Span<UInt8>) -> Int {
        if case .some(let transfer) = stream?.write(bytes) {
            if case .bytes(let count) = transfer { return count }
            return 0
        }
        return bytes.withUnsafeBytes {
            Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
    }

    func shutdownWriting() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// The next bytes; nil at the end, or if nothing comes.
    func next() -> [UInt8]? {
        var room = [UInt8](repeating: 0, count: 1 << 17)
        var span = room.mutableSpan
        if case .some(let transfer) = stream?.read(into: &span) {
            if case .bytes(let count) = transfer { return Array(room[..<count]) }
            return nil
        }
        let count = recv(descriptor, &room, room.count, 0)
        return count > 0 ? Array(room[..<count]) : nil
    }

    /// A head up to its empty line; bytes after it are kept.
    func head() -> String {
        let end = Data("\r\n\r\n".utf8)
        while true {
            if let range = Data(received).firstRange(of: end) {
                let head = received.prefix(range.upperBound)
                received = received.dropFirst(range.upperBound)
                return String(decoding: head, as: UTF8.self)
            }
            guard let bytes = next() else { return String(decoding: received, as: UTF8.self) }
            received += bytes
        }
    }

    /// The next frame; nil at the end, or if none comes.
    func frame() -> ConformanceFrame? { frameAndMask()?.frame }

    func frameAndMask() -> (frame: ConformanceFrame, masked: Bool)? {
        while true {
            var rest = received
            if let taken = ConformanceFrame.take(from: &rest) {
                received = rest
                return taken
            }
            guard let bytes = next() else { return nil }
            received += bytes
        }
    }

    /// Frames up to a close frame, or the end.
    func frames() -> [ConformanceFrame] {
        var frames: [ConformanceFrame] = []
        while let frame = frame() {
            frames.append(frame)
            if frame.opcode == 8 { break }
        }
        return frames
    }

    /// Whether the other side ended the connection without another byte.
    var isAtEnd: Bool { received.isEmpty && next() == nil }
}

/// Calls `body` with the address of a port of 127.0.0.1.
func withLoopback(
    _ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
) -> Int32 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return withUnsafePointer(to: &address) { address in
        address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
            body(address, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
    }
}
