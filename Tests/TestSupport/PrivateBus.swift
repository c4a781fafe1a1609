import Foundation

/// A message bus of a test's own, gone with it.
// Unchecked: the process is started once and ended once.
package final class PrivateBus: @unchecked Sendable {
    private let process = Process()
    package let address: String

    /// Services in `folder` can be activated, and are the only ones.
    package init(services folder: String? = nil) throws {
        let pipe = Pipe()
        let configuration = FileManager.default.temporaryDirectory
            .appending(path: "bus-\(UUID().uuidString).conf")
        try Self.configuration(services: folder).write(
            to: configuration, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: configuration) }
        process.executableURL = URL(filePath: "/usr/bin/dbus-daemon")
        process.arguments = [
            "--config-file=\(configuration.path)", "--nofork", "--print-address=1",
        ]
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        try process.run()
        // It has read its file when it prints where it listens.
        var line = Data()
        while let byte = try pipe.fileHandleForReading.read(upToCount: 1), byte != Data([10]) {
            if byte.isEmpty { break }
            line += byte
        }
        address = String(decoding: line, as: UTF8.self)
    }

    deinit { stop() }

    /// Killed, because it inherits a mask of signals that may hold back a request to end.
    package func stop() {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    private static func configuration(services folder: String?) -> String {
        """
        <busconfig>
          <type>session</type>
          <listen>unix:abstract=bellwire-test-\(UUID().uuidString)</listen>
          \(folder.map { "<servicedir>\($0)</servicedir>" } ?? "")
          <policy context="default">
            <allow send_destination="*" eavesdrop="true"/>
            <allow eavesdrop="true"/>
            <allow own="*"/>
          </policy>
        </busconfig>
        """
    }
}
