import Foundation
import TestSupport
import Testing

@Suite("Programs that tests start")
struct RunningProcessTests {
    /// A process that prints its number and waits.
    private static func sleeper() throws -> RunningProcess {
        try RunningProcess("/bin/sh", ["-c", "echo $$; exec sleep 600"])
    }

    private static func number(_ process: RunningProcess) -> String {
        String(decoding: process.output.availableData.dropLast(), as: UTF8.self)
    }

    private func isThere(_ number: String) -> Bool {
        FileManager.default.fileExists(atPath: "/proc/\(number)")
    }

    /// Another thread, or the system, may be about to end it.
    private func hasGone(_ number: String) -> Bool {
        let deadline = Date(timeIntervalSinceNow: 60)
        while isThere(number), Date() < deadline { usleep(10_000) }
        return !isThere(number)
    }

    @Test("The end of a process is known, and afterwards no signal is sent")
    func end() throws {
        let ends = try RunningProcess("/bin/sh", ["-c", "echo a; exit 7"])
        #expect(try ends.text() == "a\n")
        #expect(ends.status == 7)
        ends.signal(SIGKILL)
        #expect(ends.end(by: SIGKILL) == 7)
        let stays = try Self.sleeper()
        #expect(stays.status == nil)
        #expect(stays.end(by: SIGTERM) == SIGTERM && stays.status == SIGTERM)
    }

    @Test("Failing to start is an error, and no signal is sent")
    func missing() {
        #expect(throws: POSIXError.self) { try RunningProcess("/nowhere") }
        #expect(throws: POSIXError.self) { try ServerProcess([], program: "/nowhere") }
    }

    @Test("A server that does not become ready is an error, and is ended")
    func notReady() throws {
        let error = #expect(throws: ServerProcess.NotReady.self) {
            try ServerProcess(["-c", "echo $$; exec sleep 600"], program: "/bin/sh")
        }
        let number = String(try #require(error).description.dropLast())
        #expect(!number.isEmpty && hasGone(number))
    }

    @Test("A process ends with its last reference")
    func forgotten() throws {
        var process: RunningProcess? = try Self.sleeper()
        let number = try #require(process.map(Self.number))
        #expect(isThere(number))
        process = nil
        #expect(!isThere(number))
    }

    @Test("A process ends when the tests are killed")
    func killed() async throws {
        let result = await #expect(
            processExitsWith: .signal(SIGKILL), observing: [\.standardOutputContent]
        ) {
            let process = try Self.sleeper()
            print("number \(Self.number(process)).")
            fflush(nil)
            withExtendedLifetime(process) { _ = raise(SIGKILL) }
        }
        let output = String(decoding: try #require(result).standardOutputContent, as: UTF8.self)
        let number = try #require(output.firstMatch(of: /number (\d+)\./)?.1)
        #expect(hasGone(String(number)))
    }
}
