#if DEBUG
    import Foundation
    import TestSupport
    import Testing

    /// With a mistake that only programs for tests have: a loop takes no turn any more.
    @Suite("A service that hangs")
    struct HangTests {
        private var fixture: ServeFixture

        init() throws { fixture = try ServeFixture() }

        @Test("A server that is asked to end does so in five seconds")
        mutating func server() throws {
            fixture.environment["BELLWIRE_TRAP"] = "request:hang:boom"
            let server = try fixture.startInClear()
            let answer = try ServeFixture.output(
                "/usr/bin/curl", ["-s", "-m", "1", server.baseURL + "/health?boom"])
            #expect(answer.isEmpty)
            server.signal(SIGTERM)
            #expect(server.hasEnded(within: 5))
            #expect(server.errors.contains("event=server-hangs"))
        }

        @Test("A desktop service that is asked to end does so in five seconds")
        mutating func desktop() throws {
            let bus = try PrivateBus()
            fixture.environment["DBUS_SESSION_BUS_ADDRESS"] = bus.address
            fixture.environment["BELLWIRE_TRAP"] = "desktop:hang:"
            let service = try ServerProcess(["desktop"], environment: fixture.environment)
            // Where it reads its receivers again.
            service.signal(SIGHUP)
            service.signal(SIGTERM)
            #expect(service.hasEnded(within: 5))
            #expect(service.errors.contains("event=desktop-hangs"))
        }
    }
#endif
