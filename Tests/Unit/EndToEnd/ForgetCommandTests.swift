import Foundation
import TestSupport
import Testing

@Suite("bellwire forget")
struct ForgetCommandTests {
    private let fixture: ServeFixture

    init() throws { fixture = try ServeFixture() }

    private func isAnywhere(_ text: String, in folder: String) throws -> Bool {
        try FileManager.default.contentsOfDirectory(atPath: folder)
            .filter { $0.hasPrefix("bellwire.db") }.contains { name in
                let data = try Data(contentsOf: URL(filePath: folder + "/" + name))
                return data.range(of: Data(text.utf8)) != nil
            }
    }

    @Test("Names of a device and of an owner vanish from the database while the server runs")
    func names() throws {
        let server = try fixture.start()
        let (device, owner) = ("device-marker-7f3a", "owner-marker-7f3a")
        for name in [device, "second"] {
            #expect(try fixture.run(["device", "add", name, "--owner", owner]).exitCode == 0)
        }
        for name in [device, owner] { #expect(try isAnywhere(name, in: fixture.state)) }
        #expect(try fixture.run(["forget", "--device", device]).output == "forgot \(device)\n")
        #expect(try !isAnywhere(device, in: fixture.state))
        #expect(try fixture.run(["forget", "--owner", owner]).output == "forgot \(owner)\n")
        #expect(try !isAnywhere(owner, in: fixture.state))
        #expect(try fixture.run(["device", "list"]).output.hasPrefix("no devices"))
        let again = try fixture.run(["forget", "--owner", owner])
        #expect(again.exitCode == 3 && again.errors.contains("there is no owner \(owner)"))
        #expect(try fixture.run(["forget", "--device", device]).exitCode == 3)
        #expect(try fixture.run(["forget"]).exitCode == 2)
        #expect(try fixture.run(["forget", owner]).exitCode == 2)
        #expect(server.end() == 0)
    }

    @Test("Other users forget their own devices and themselves, and nobody else")
    func otherUsers() throws {
        guard geteuid() == 0 else { return }
        let (server, folder) = try fixture.startForUsers()
        #expect(try fixture.run(["device", "add", "ours", "--state", folder]).exitCode == 0)
        for name in ["his", "second"] {
            #expect(try asUser(["device", "add", name], folder).contains("may connect"))
        }
        #expect(try asUser(["forget", "--device", "ours"], folder).contains("there is no device"))
        #expect(try asUser(["forget", "--owner", "admin"], folder).contains("there is no owner"))
        #expect(try asUser(["forget", "--device", "his"], folder) == "forgot his\n")
        #expect(try asUser(["forget", "--owner", "uid:23456"], folder) == "forgot uid:23456\n")
        let rest = try fixture.run(["device", "list", "--state", folder]).output
        #expect(rest.hasPrefix("1  ours  admin  "), "\(rest)")
        #expect(server.end() == 0)
    }

    private func asUser(_ arguments: [String], _ folder: String) throws -> String {
        try fixture.runAsUser(arguments, folder)
    }
}
