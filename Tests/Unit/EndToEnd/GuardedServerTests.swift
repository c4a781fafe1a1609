import Foundation
import TestSupport
import Testing

@Suite("A running server's protection from other processes")
struct GuardedServerTests {
    /// Root may inspect every process, so as root the test runs the server as another user.
    private static let isRoot = geteuid() == 0
    private static let user = isRoot ? 23_456 : Int(geteuid())
    private static let other = ["--reuid=\(user)", "--regid=\(user)", "--clear-groups"]

    private let fixture: ServeFixture
    private let state: String

    init() throws {
        fixture = try ServeFixture()
        state = fixture.home.file("guarded")
        let files = FileManager.default
        try files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: fixture.home.path)
        try files.createDirectory(atPath: state, withIntermediateDirectories: false)
        try files.setAttributes([.posixPermissions: 0o700], ofItemAtPath: state)
        guard Self.isRoot else { return }
        try files.setAttributes([.ownerAccountID: Self.user], ofItemAtPath: state)
    }

    @Test("No user can inspect its memory, and it leaves no core file")
    func strangers() throws {
        let server = try start()
        let folder = try #require(try process())
        let limits = try String(contentsOfFile: folder + "/limits", encoding: .utf8)
        #expect(limits.contains(/Max core file size +0 +0\s/))
        // The kernel makes root the owner of these files for a process that is not dumpable.
        for file in ["environ", "maps", "mem", "io"] {
            let owner = try FileManager.default.attributesOfItem(atPath: "\(folder)/\(file)")
            #expect(owner[.ownerAccountID] as? Int == 0)
            #expect(try asUser("/bin/cat", "\(folder)/\(file)").contains("Permission denied"))
        }
        #expect(try asUser("/bin/ls", folder + "/fd").contains("Permission denied"))
        #expect(server.end() == 0)
    }

    private func start() throws -> ServerProcess {
        let words = ["serve", "--listen", "http://127.0.0.1:0", "--state", state + "/state"]
        let environment = fixture.environment.merging(["HOME": state]) { $1 }
        guard Self.isRoot else { return try ServerProcess(words, environment: environment) }
        // Other users have no access to the build folder.
        let copy = fixture.home.file("bellwire")
        try FileManager.default.copyItem(atPath: Program.path, toPath: copy)
        return try ServerProcess(
            Self.other + [copy] + words, program: "/usr/bin/setpriv", environment: environment)
    }

    /// The /proc folder of the process whose command line contains this state.
    private func process() throws -> String? {
        try FileManager.default.contentsOfDirectory(atPath: "/proc").lazy
            .filter { Int($0) != nil }.map { "/proc/" + $0 }
            .first { folder in
                let line = try? Data(contentsOf: URL(filePath: folder + "/cmdline"))
                return line?.range(of: Data((state + "/state").utf8)) != nil
            }
    }

    private func asUser(_ program: String, _ file: String) throws -> String {
        Self.isRoot
            ? try ServeFixture.output("/usr/bin/setpriv", Self.other + [program, file])
            : try ServeFixture.output(program, [file])
    }
}
