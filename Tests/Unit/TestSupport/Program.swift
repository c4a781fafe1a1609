package import Foundation

/// The program under test, as a user runs it.
package enum Program {
    package struct Outcome: Sendable {
        package let exitCode: Int32
        package let output: String
        package let errors: String
    }

    /// Built next to the test bundle.
    package static var path: String {
        let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        return URL(filePath: tests ?? "").deletingLastPathComponent()
            .appending(path: "bellwire").path
    }

    package static func run(
        _ arguments: [String], input: Data = Data(), environment: [String: String] = [:],
        inherited: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> Outcome {
        let process = try RunningProcess(
            path, arguments, environment: Self.environment(inherited).merging(environment) { $1 },
            hasInput: true, errors: .apart)
        // Written from another thread: a program that answers line by line may fill its output
        // first.
        let writer = Thread {
            try? process.input.write(contentsOf: input)
            try? process.input.close()
        }
        writer.start()
        let outputData = try process.output.readToEnd() ?? Data()
        let errorData = try process.errors.readToEnd() ?? Data()
        return Outcome(
            exitCode: process.wait(),
            output: String(decoding: outputData, as: UTF8.self),
            errors: String(decoding: errorData, as: UTF8.self))
    }

    /// Without the variables that lead to the session of whoever runs the tests.
    private static func environment(_ inherited: [String: String]) -> [String: String] {
        inherited.filter { name, _ in !name.hasPrefix("DBUS_") && !name.hasPrefix("XDG_") }
    }
}
