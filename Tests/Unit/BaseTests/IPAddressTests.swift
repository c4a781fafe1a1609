import Base
import Foundation
import Testing

@Suite("Addresses")
struct IPAddressTests {
    @Test(
        "Every form is read, and written as RFC 5952 demands",
        arguments: [
            ("192.0.2.7", "192.0.2.7"), ("255.255.255.255", "255.255.255.255"),
            ("::", "::"), ("::1", "::1"), ("1::", "1::"),
            ("2001:DB8:0:0:0:0:0:1", "2001:db8::1"), ("2001:0db8::0001", "2001:db8::1"),
            ("2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"),
            ("2001:0:0:1:0:0:0:1", "2001:0:0:1::1"), ("2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"),
            ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"), ("::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"),
            ("::ffff:192.0.2.7", "192.0.2.7"), ("::FFFF:c000:207", "192.0.2.7"),
            ("64:ff9b::192.0.2.33", "64:ff9b::c000:221"), ("fe80::", "fe80::"),
        ])
    func text(text: String, canonical: String) {
        #expect(IPAddress(text)?.description == canonical)
    }

    @Test(
        "Invalid addresses are refused",
        arguments: [
            "", ":", ":::", "1", "1.2.3", "1.2.3.4.5", "1.2.3.256", "01.2.3.4", "1.2.3.04",
            "1.2.3.",
            ".1.2.3", "1..2.3", "1.2.3.4 ", "+1.2.3.4", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9",
            "1:2:3:4:5:6:7:8::", "::1:2:3:4:5:6:7:8", "1::2::3", "12345::", "g::", "1:", ":1",
            "1.2.3.4::", "::1.2.3.4:5", "1:2:3:4:5:6:7:1.2.3.4", "fe80::1%eth0", "[::1]", "1:::2",
        ])
    func refused(text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test("A mapped address equals the IPv4 address")
    func mapped() {
        #expect(IPAddress("::ffff:10.0.0.1") == IPAddress("10.0.0.1"))
        #expect(IPAddress("::ffff:127.0.0.1")?.isLoopback == true)
        #expect(IPAddress("::10.0.0.1")?.v4 == nil)
        #expect(["127.9.9.9", "::1"].allSatisfy { IPAddress($0)?.isLoopback == true })
        #expect(["128.0.0.1", "::2", "1::1"].allSatisfy { IPAddress($0)?.isLoopback == false })
    }

    @Test("The C library reads and writes the same")
    func oracle() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<20_000 {
            // Half of the groups are zero, so that there are gaps of all kinds.
            let groups = (0..<8).map { _ in
                Bool.random()
                    ? 0 : UInt16.random(in: 0...0xFFFF, using: &random) >> (4 * .random(in: 0...3))
            }
            var address = in6_addr()
            withUnsafeMutableBytes(of: &address) { bytes in
                for (index, group) in groups.enumerated() {
                    bytes.storeBytes(of: group.bigEndian, toByteOffset: index * 2, as: UInt16.self)
                }
            }
            var buffer = [CChar](repeating: 0, count: 46)
            inet_ntop(AF_INET6, &address, &buffer, 46)
            let text = String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
            let long = groups.map { String($0, radix: 16) }.joined(separator: ":")
            let ours = IPAddress(long)
            #expect(IPAddress(text) == ours)
            // The C library writes the deprecated IPv4-compatible form, RFC 5952 does not.
            if !text.contains(".") { #expect(ours?.description == text) }
        }
    }
}
