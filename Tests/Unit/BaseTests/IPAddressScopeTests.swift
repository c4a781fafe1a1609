import Base
import Testing

@Suite("The scope of an address")
struct IPAddressScopeTests {
    @Test(
        "One machine on the internet",
        arguments: ["1.1.1.1", "8.8.8.8", "172.15.255.255", "172.32.0.1", "2606:4700::1111"])
    func internet(text: String) throws {
        let address = try #require(IPAddress(text))
        #expect(address.isGlobalUnicast && !address.isPrivate)
    }

    @Test(
        "An organisation or a home",
        arguments: ["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.255.255", "fd00::1"])
    func home(text: String) throws {
        let address = try #require(IPAddress(text))
        #expect(!address.isGlobalUnicast && address.isPrivate)
    }

    @Test(
        "This machine, this link, many machines, examples, and addresses that wrap another one",
        arguments: [
            "0.0.0.0", "100.64.0.1", "127.0.0.1", "169.254.1.1", "192.0.2.1", "198.19.0.1",
            "224.0.0.1", "255.255.255.255", "::", "::1", "fe80::1", "ff02::1", "2001:0:1::1",
            "2001:db8::1", "2002:808:808::1", "3fff::1", "64:ff9b::808:808",
        ])
    func special(text: String) throws {
        let address = try #require(IPAddress(text))
        #expect(!address.isGlobalUnicast && !address.isPrivate)
    }
}
