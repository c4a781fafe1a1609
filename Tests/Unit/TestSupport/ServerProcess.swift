import Foundation

/// A server next to the test, and its output. Killed with the last reference.
// Unchecked: the texts are used only under the lock.
package final class ServerProcess: @unchecked Sendable {
    package struct NotReady: Error, CustomStringConvertible {
        package let description: String
    }

    private let process: RunningProcess
    private let condition = NSCondition()
    private var outputText = ""
    private var errorText = ""
    private var openPipes = 2

    /// Returns when the server has printed that it is ready.
    package init(
        _ arguments: [String], program: String = Program.path,
        environment: [String: String] = [:]
    ) throws {
        process = try RunningProcess(
            program, arguments, environment: environment, errors: .apart)
        collect(process.output) { [weak self] in self?.outputText += $0 }
        collect(process.errors) { [weak self] in self?.errorText += $0 }
        guard wait(for: { self.outputText.contains("\n") || self.process.status != nil }),
            self.output.hasPrefix("bellwire: ready ")
        else { throw NotReady(description: self.output + self.errors) }
    }

    /// From the line that says it is ready.
    package var baseURL: String {
        condition.withLock { outputText.split(separator: "\n")[0].dropFirst(16).description }
    }
    package var port: Int { URL(string: baseURL)?.port ?? 0 }
    package var output: String { condition.withLock { outputText } }
    package var errors: String { condition.withLock { errorText } }

    package func signal(_ number: Int32) { process.signal(number) }

    /// Waits until the server has printed that to standard error; false after a minute.
    package func hasSaid(_ text: String, times: Int = 1) -> Bool {
        wait { self.errorText.components(separatedBy: text).count > times }
    }

    /// Whether it ends by itself and no other process keeps its output open.
    package func hasEnded(within seconds: Double) -> Bool {
        wait(atMost: seconds) { self.process.status != nil && self.openPipes == 0 }
    }

    /// Asks it to end and returns its status.
    package func end(by number: Int32 = SIGTERM) -> Int32 {
        let status = process.end(by: number)
        // The last output may still be on its way, and another child may hold the pipe open.
        _ = wait(atMost: 2) { self.openPipes == 0 }
        // The reason of a failure, such as the report of a sanitizer.
        if status != 0 { print(errors) }
        return status
    }

    private func wait(atMost seconds: Double = 60, for condition: () -> Bool) -> Bool {
        self.condition.lock()
        defer { self.condition.unlock() }
        let deadline = Date(timeIntervalSinceNow: seconds)
        while !condition() {
            guard Date() < deadline else { return false }
            _ = self.condition.wait(until: min(deadline, Date(timeIntervalSinceNow: 0.2)))
        }
        return true
    }

    /// Reads to the end on its own thread, because `readabilityHandler` can miss the end.
    private func collect(_ pipe: FileHandle, _ add: @escaping @Sendable (String) -> Void) {
        Thread { [weak self] in
            var bytes = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = read(pipe.fileDescriptor, &bytes, bytes.count)
                if count < 0, errno == EINTR { continue }
                guard let self else { return }
                self.condition.withLock {
                    if count > 0 {
                        add(String(decoding: bytes[..<count], as: UTF8.self))
                    } else {
                        self.openPipes -= 1
                    }
                    self.condition.broadcast()
                }
                if count <= 0 { return }
            }
        }.start()
    }
}
