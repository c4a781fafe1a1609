import Foundation
import TestSupport
import Testing

@Suite("The test runner's own session")
struct SessionTests {
    @Test("Programs under test do not use it")
    func session() throws {
        let bus = try PrivateBus()
        let fixture = try ServeFixture()
        let server = try fixture.startInClear()
        let outcome = try Program.run(
            ["test", "--json"], environment: fixture.environment,
            inherited: ["DBUS_SESSION_BUS_ADDRESS": bus.address])
        #expect(outcome.exitCode == 0, "\(outcome.output)\(outcome.errors)")
        #expect(outcome.output.split(separator: "\n").count == 10)
        #expect(server.end() == 0)
    }
}
