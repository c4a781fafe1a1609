#if DEBUG
    import Foundation
    import TestSupport
    import Testing

    /// Test builds of the programs can make a loop hang.
    @Suite("A service that hangs")
    struct HangTests {
        /// In seconds. A sanitizer waits a while for other threads.
        private static let limit = OwnMemory.isSanitized ? 8.0 : 5

        private var fixture: ServeFixture

        init() throws { fixture = try ServeFixture() }

        @Test("A server told to end does so in five seconds")
        mutating func server() throws {
            fixture.environment["BELLWIRE_TRAP"] = "request:hang:boom"
            let server = try fixture.startInClear()
            let answer = try ServeFixture.output(
                "/usr/bin/curl", ["-s", "-m", "1", server.baseURL + "/health?boom"])
            #expect(answer.isEmpty)
            server.signal(SIGTERM)
            #expect(server.hasEnded(within: Self.limit))
            #expect(server.errors.contains("event=server-hangs"))
        }

        @Test("A desktop service told to end does so in five seconds")
        mutating func desktop() throws {
            let bus = try PrivateBus()
            fixture.environment["DBUS_SESSION_BUS_ADDRESS"] = bus.address
            fixture.environment["BELLWIRE_TRAP"] = "desktop:hang:"
            let service = try ServerProcess(["desktop"], environment: fixture.environment)
            // It hangs while it reads its receivers again.
            service.signal(SIGHUP)
            service.signal(SIGTERM)
            #expect(service.hasEnded(within: Self.limit))
            #expect(service.errors.contains("event=desktop-hangs"))
        }

        @Test(
            "It also ends if nobody reads its output",
            // A sanitizer writes to the full pipe itself and waits.
            .disabled(if: OwnMemory.isSanitized),
            arguments: [["serve", "--listen", "http://127.0.0.1:0"], ["desktop"]])
        mutating func deaf(arguments: [String]) throws {
            let bus = try PrivateBus()
            fixture.environment["DBUS_SESSION_BUS_ADDRESS"] = bus.address
            let service = try ServerProcess(
                ["-c", Self.launcher, Program.path] + arguments, program: "/usr/bin/python3",
                environment: fixture.environment)
            service.signal(SIGTERM)
            #expect(service.hasEnded(within: Self.limit))
        }

        /// Fills the program's error pipe, and ends together with the program.
        private static let launcher = """
            import ctypes, os, signal, subprocess, sys
            ours, its = os.pipe()
            program = subprocess.Popen(
                sys.argv[1:], stdout=subprocess.PIPE, stderr=its, text=True,
                preexec_fn=lambda: ctypes.CDLL(None).prctl(1, signal.SIGKILL))
            signal.signal(signal.SIGTERM, lambda *_: program.terminate())
            ready = program.stdout.readline()
            os.set_blocking(its, False)
            for size in 4096, 1:
                try:
                    while True: os.write(its, b"x" * size)
                except BlockingIOError: pass
            os.set_blocking(its, True)
            print(ready, end="", flush=True)
            sys.exit(program.wait())
            """
    }
#endif
