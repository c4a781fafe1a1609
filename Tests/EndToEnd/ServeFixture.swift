import Foundation
import TestSupport

/// A home of its own for a server, and the requests of a test by curl.
struct ServeFixture {
    let home: TemporaryFolder
    var environment: [String: String]

    init() throws {
        home = try TemporaryFolder()
        environment = ["HOME": home.path, "PATH": "/usr/bin:/bin"]
    }

    var state: String { home.path + "/.local/state/bellwire" }
    var authority: String { state + "/keys/development-ca.pem" }

    func start(
        _ arguments: [String] = ["--listen", "127.0.0.1:0"], program: String = Program.path
    ) throws -> ServerProcess {
        try ServerProcess(["serve"] + arguments, program: program, environment: environment)
    }

    func run(_ arguments: [String]) throws -> Program.Outcome {
        try Program.run(arguments, environment: environment.merging(["XDG_STATE_HOME": ""]) { $1 })
    }

    /// The body and the status of an answer, `000` for none.
    func curl(_ arguments: [String]) throws -> String {
        try Self.output(
            "/usr/bin/curl",
            ["-sS", "-m", "10", "--cacert", authority, "-w", " %{http_code}"]
                + arguments)
    }

    static func output(_ program: String, _ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }
}
