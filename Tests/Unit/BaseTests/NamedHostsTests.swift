import Base
import Testing

@Suite("Hosts that somebody named")
struct NamedHostsTests {
    @Test("A host is the same in all its forms")
    func same() throws {
        let hosts = try #require(NamedHosts(["NAS.lan", "192.168.1.5", "::1", "nas.lan."]))
        #expect(hosts.names == ["nas.lan", "192.168.1.5", "::1"])
        for host in ["nas.lan", "nas.LAN.", "192.168.1.5", "[0:0::1]", "::1"] {
            #expect(hosts.contains(host), "\(host)")
        }
        for host in ["lan", "a.nas.lan", "nas.lan.evil.example", "192.168.1.50", "", "."] {
            #expect(!hosts.contains(host), "\(host)")
        }
    }

    @Test(
        "What is no host is refused",
        arguments: ["", "a b", "http://a", "a/b", "a:80", "*", "ä"])
    func others(text: String) {
        #expect(NamedHosts(["a", text]) == nil)
        #expect(NamedHosts((0...NamedHosts.most).map { "h\($0)" }) == nil)
    }
}
