import Testing

@testable import Base

@Suite("Blocks of addresses")
struct AddressBlockTests {
    @Test(
        "A block contains the addresses with its prefix",
        arguments: [
            ("10.0.0.0/8", "10.255.1.2", true), ("10.0.0.0/8", "11.0.0.0", false),
            ("192.0.2.7", "192.0.2.7", true), ("192.0.2.7", "192.0.2.8", false),
            ("0.0.0.0/0", "255.255.255.255", true), ("0.0.0.0/0", "::1", false),
            ("fc00::/7", "fdff::1", true), ("fc00::/7", "fe00::1", false),
            ("2001:db8::/63", "2001:db8:0:1::", true), ("2001:db8::/64", "2001:db8:0:1::", false),
            ("::/0", "10.0.0.1", true), ("::1/128", "::1", true), ("::/127", "::2", false),
        ])
    func contains(block: String, address: String, isInside: Bool) throws {
        let block = try #require(AddressBlock(block))
        #expect(block.contains(try #require(IPAddress(address))) == isInside)
    }

    @Test(
        "Invalid blocks are refused",
        arguments: [
            "", "10.0.0.0/33", "10.0.0.1/8", "10.0.0.0/", "10.0.0.0/8/8", "::/129", "fc00::1/7",
            "host/8", "10.0.0.0/-1", "/8",
        ])
    func refused(text: String) {
        #expect(AddressBlock(text) == nil)
    }

    @Test(
        "Times are written as RFC 3339 demands",
        arguments: [
            (0, "1970-01-01T00:00:00Z"), (1_795_281_909, "2026-11-21T17:25:09Z"),
            (951_782_400, "2000-02-29T00:00:00Z"), (951_868_800, "2000-03-01T00:00:00Z"),
        ])
    func time(seconds: Int64, text: String) {
        #expect(CivilTime(secondsSince1970: seconds).rfc3339 == text)
    }
}
