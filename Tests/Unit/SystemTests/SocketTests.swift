import Foundation
import Testing
@testable import System

@Suite("Sockets")
struct SocketTests {
    @Test("Reading and writing report their result")
    func transfers() throws {
        let (ours, theirs) = try End.pair()
        #expect(try ours.read() == .wouldBlock)
        #expect(try theirs.write("hello") == .bytes(5))
        #expect(try ours.read(2) == .bytes(2))
        #expect(try ours.read() == .bytes(3))
        try theirs.use { $0.shutdownWriting() }
        #expect(try ours.read() == .closed)
        // A half-closed peer still reads.
        #expect(try ours.write("x") == .bytes(1))
        theirs.close()
        #expect(try ours.write("x") == .closed)
    }

    @Test("Bytes that a full socket does not accept are left to write")
    func full() throws {
        let (ours, theirs) = try End.pair()
        let text = String(repeating: "x", count: 100_000)
        var sent = 0
        while case .bytes(let count) = try ours.write(text) { sent += count }
        #expect(sent > 0)
        #expect(try ours.write(text) == .wouldBlock)
        ours.close()
        #expect(try theirs.readToEnd() == sent)
    }

    @Test("Descriptors do not block and are not inherited")
    func flags() throws {
        let listening = try ListeningSocket.tcp(#require(SocketAddress("127.0.0.1:0")))
        let client = try End.connect(to: listening.address)
        let (accepted, _) = try listening.acceptNext()
        for descriptor in [listening.descriptor, client.descriptor, accepted.descriptor] {
            #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0)
            #expect(fcntl(descriptor, F_GETFL) & O_NONBLOCK != 0)
        }
    }

    @Test("A failed connection reports the reason")
    func refused() throws {
        // A port that was free a moment ago and that nobody listens on.
        let address = try ListeningSocket.tcp(#require(SocketAddress("127.0.0.1:0"))).address
        let client = try End.connect(to: address)
        var entry = pollfd(fd: client.descriptor, events: Int16(POLLOUT), revents: 0)
        #expect(poll(&entry, 1, 10_000) == 1)
        let failure = try client.use { $0.connectFailure() }
        #expect(failure?.description == "connect: Connection refused")
    }

    @Test("The user at the other end is known for a Unix socket, but not for TCP")
    func credentials() throws {
        let (ours, _) = try End.pair()
        let credentials = try ours.use { $0.peerCredentials() }
        #expect(
            credentials
                == PeerCredentials(processID: getpid(), userID: getuid(), groupID: getgid()))
        let listening = try ListeningSocket.tcp(#require(SocketAddress("127.0.0.1:0")))
        let client = try End.connect(to: listening.address)
        #expect(try client.use { $0.peerCredentials() } == nil)
    }
}
