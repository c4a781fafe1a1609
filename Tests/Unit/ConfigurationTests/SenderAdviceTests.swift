import Base
import Testing

@testable import Configuration

@Suite("Advice for senders")
struct SenderAdviceTests {
    private func advice(
        _ addresses: [String], own: [String] = ["127.0.0.1", "8.8.4.4"],
        url: String = "https://push.example.org:8443/push"
    ) throws -> SenderAdvice? {
        SenderAdvice(
            try BaseURL(url), addresses: addresses.compactMap(IPAddress.init),
            ownAddresses: Set(own.compactMap(IPAddress.init)))
    }

    @Test("A private address gets settings for each sender that contain it")
    func settings() throws {
        let text = try #require(try advice(["192.168.7.5", "fd12::5", "192.168.7.5"])).text
        #expect(text.contains("leads to another machine"))
        #expect(
            text.contains("ip_range_whitelist:\n      - '192.168.7.5/32'\n      - 'fd12::5/128'\n"))
        #expect(text.contains("allowed_endpoints = ['https://push.example.org:8443']"))
        #expect(text.contains("'allow_local_remote_servers' => true,"))
        var writer = JSONWriter()
        try advice(["127.0.0.1"])?.write(to: &writer)
        #expect(
            writer.text
                == #"{"this_machine":true,"refused_addresses":["127.0.0.1"],"#
                + #""synapse":{"ip_range_whitelist":["127.0.0.1/32"]},"#
                + #""mollysocket":{"allowed_endpoints":["https://push.example.org:8443"]},"#
                + #""nextcloud":{"allow_local_remote_servers":true}}"#)
    }

    @Test("A public address of this machine needs no setting; another machine no advice")
    func publicAddresses() throws {
        let text = try #require(try advice(["8.8.4.4"])).text
        #expect(text.contains("this machine by a public address") && !text.contains("Synapse"))
        #expect(try advice(["8.8.8.8", "2a00:1450::1"]) == nil)
        #expect(try advice([]) == nil)
    }
}
