import TestSupport
import Testing

@testable import System

@Suite("Programs that this one starts")
struct ChildProcessesTests {
    @Test("A program gets its input, and no shell reads its arguments")
    func input() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/$(x) y"
        let text = Array("a\u{0}b".utf8)
        #expect(try ChildProcesses.run(["tee", path], input: text, limit: .seconds(10)))
        #expect(try TextFile.read(path) == text)
    }

    @Test("One that fails, is not there, or does not end has not succeeded")
    func failures() throws {
        #expect(try !ChildProcesses.run(["false"], input: [], limit: .seconds(10)))
        #expect(try !ChildProcesses.run(["sleep", "60"], input: [], limit: .milliseconds(50)))
        #expect(throws: SystemError.self) {
            try ChildProcesses.run(["bellwire-is-no-such-program"], input: [], limit: .seconds(1))
        }
    }
}
