package import Foundation

/// A program next to the test. It is killed with the last reference, and with the process of the
/// tests. Nothing else in the tests starts or signals processes.
package final class RunningProcess: Sendable {
    package enum ErrorOutput: Sendable {
        case inherited, apart, withOutput, nowhere
    }

    private let child: ChildProcess
    /// Its standard input, if that was requested.
    package let input: FileHandle
    package let output: FileHandle
    /// Its standard error, if that is `apart`.
    package let errors: FileHandle

    package init(
        _ program: String, _ arguments: [String] = [],
        environment: [String: String] = ProcessInfo.processInfo.environment,
        hasInput: Bool = false, errors errorOutput: ErrorOutput = .inherited
    ) throws {
        guard FileManager.default.isExecutableFile(atPath: program),
            let nowhere = FileHandle(forUpdatingAtPath: "/dev/null")
        else { throw POSIXError(.ENOENT) }
        let (input, output, errors) = (Pipe(), Pipe(), Pipe())
        let written =
            switch errorOutput {
            case .inherited: FileHandle.standardError
            case .apart: errors.fileHandleForWriting
            case .withOutput: output.fileHandleForWriting
            case .nowhere: nowhere
            }
        child = try ChildProcess(
            program, arguments, environment,
            descriptors: [
                (hasInput ? input.fileHandleForReading : nowhere).fileDescriptor,
                output.fileHandleForWriting.fileDescriptor, written.fileDescriptor,
            ])
        // Otherwise no reader would ever see the end.
        for handle in [
            input.fileHandleForReading, output.fileHandleForWriting, errors.fileHandleForWriting,
        ] { try handle.close() }
        self.input = input.fileHandleForWriting
        self.output = output.fileHandleForReading
        self.errors = errors.fileHandleForReading
    }

    deinit { end(by: SIGKILL) }

    /// The exit code, or the number of the signal that ended it; nil while it runs.
    package var status: Int32? { child.status }

    /// Does nothing if it has ended.
    package func signal(_ number: Int32) { child.signal(number) }

    package func wait() -> Int32 { child.wait() }

    /// Everything that it writes until it ends.
    package func text() throws -> String {
        let data = try output.readToEnd() ?? Data()
        _ = wait()
        return String(decoding: data, as: UTF8.self)
    }

    @discardableResult
    package func end(by number: Int32) -> Int32 {
        signal(number)
        return wait()
    }
}
