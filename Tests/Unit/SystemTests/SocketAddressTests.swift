import Base
import Testing
@testable import System

@Suite("Socket addresses")
struct SocketAddressTests {
    @Test(
        "An address is read, and written in canonical form",
        arguments: [
            ("127.0.0.1:8443", "127.0.0.1:8443"), ("0.0.0.0:0", "0.0.0.0:0"),
            ("[::]:443", "[::]:443"), ("[2001:DB8:0::1]:65535", "[2001:db8::1]:65535"),
            ("[::ffff:10.0.0.1]:80", "10.0.0.1:80"), ("unix:/run/a:b.sock", "unix:/run/a:b.sock"),
        ])
    func text(text: String, canonical: String) {
        #expect(SocketAddress(text)?.description == canonical)
    }

    @Test(
        "Anything else is refused",
        arguments: [
            "", ":", "443", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1",
            "127.0.0.1:+1", "127.0.0.1:000080", "::1:443", "[::1]", "[::1]443", "[127.0.0.1]:80",
            "[::1:443", "::1]:443", "localhost:443", " 127.0.0.1:443", "unix:", "unix:run/a.sock",
        ])
    func refused(text: String) {
        #expect(SocketAddress(text) == nil)
    }

    @Test(
        "The kernel's form holds the same address",
        arguments: ["127.0.0.1:8443", "[2001:db8::1]:443", "unix:/run/a.sock"])
    func storage(text: String) throws {
        let address = try #require(SocketAddress(text))
        #expect(try SocketAddress.Storage(address).address == address)
    }

    @Test("A path that does not fit is refused, one that just fits is not")
    func longPath() throws {
        let path = "/" + String(repeating: "x", count: 106)
        #expect(try SocketAddress.Storage(.unix(path: path)).address == .unix(path: path))
        #expect(throws: SystemError.self) {
            try SocketAddress.Storage(.unix(path: path + "x"))
        }
    }
}
