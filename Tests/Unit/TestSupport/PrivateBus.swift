import Foundation

/// A message bus for one test.
package final class PrivateBus: Sendable {
    private let process: RunningProcess
    package let address: String

    /// Only services in `folder` can be activated.
    package init(services folder: String? = nil) throws {
        let configuration = FileManager.default.temporaryDirectory
            .appending(path: "bus-\(UUID().uuidString).conf")
        try Self.configuration(services: folder).write(
            to: configuration, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: configuration) }
        process = try RunningProcess(
            "/usr/bin/dbus-daemon",
            ["--config-file=\(configuration.path)", "--nofork", "--print-address=1"],
            errors: .nowhere)
        // It has read its configuration when it prints its address.
        var line = Data()
        while let byte = try process.output.read(upToCount: 1), byte != Data([10]) {
            if byte.isEmpty { break }
            line += byte
        }
        address = String(decoding: line, as: UTF8.self)
    }

    package func stop() { process.end(by: SIGKILL) }

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
