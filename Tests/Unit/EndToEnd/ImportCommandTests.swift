import Base
import Foundation
import TestSupport
import Testing

@testable import bellwire

@Suite("bellwire import")
struct ImportCommandTests {
    @Test("Each answer of the service has words, and a refusal its reason")
    func words() throws {
        let answers: [(String, String, String)] = [
            ("REGISTRATION_SUCCEEDED", "", "taken over"),
            ("WOULD_REGISTER", "", "would be taken over"), ("KNOWN", "", "is registered already"),
            ("NOT_INSTALLED", "", "not taken over: no program of this name is installed"),
            ("OTHER_APPLICATION", "", "not taken over: another application"),
            ("SANDBOXED", "", "not taken over: it is sandboxed"),
            ("REGISTRATION_FAILED", "ACTION_REQUIRED", "not taken over: no receiver is listed"),
            ("REGISTRATION_FAILED", "UNAUTHORIZED", "not taken over: its sandbox"),
            ("REGISTRATION_FAILED", "INTERNAL_ERROR", "not taken over: the desktop service"),
        ]
        for (answer, reason, words) in answers {
            let row = ImportReport.Row(
                "org.example.App", "App", ImportReport.Outcome(answer, reason: reason))
            let report = ImportReport([row], provider: "Ntfy", isDryRun: false)
            #expect(report.text.contains("org.example.App  App  \(words)"), "\(report.text)")
            #expect(report.isWhole == !words.hasPrefix("not"))
            var writer = JSONWriter()
            writer.object { report.append(to: &$0) }
            let json = try ServeFixture.object(writer.text)
            let rows = try #require(json["registrations"] as? [[String: Any]])
            #expect((rows[0]["reason"] as? String != nil) == words.hasPrefix("not"))
            #expect(json["provider"] as? String == "Ntfy")
        }
    }

    @Test("A file of another kind, and one that is missing, are refused")
    func files() throws {
        let folder = try TemporaryFolder()
        let file = folder.file("file.conf")
        try "[Unit]\nDescription=x\n".write(toFile: file, atomically: true, encoding: .utf8)
        let outcome = try Program.run(["import", "kunifiedpush", file])
        #expect(outcome.exitCode == 1)
        #expect(outcome.errors.contains("is not a file of KUnifiedPush's distributor"))
        let missing = try Program.run(
            ["import", "kunifiedpush"], environment: ["HOME": folder.path])
        #expect(missing.exitCode == 1)
        #expect(missing.errors.contains("/.config/KDE/kunifiedpush-distributor.conf"))
        #expect(try Program.run(["import", "gotify"]).exitCode == 2)
    }

    @Test("Without a desktop service it says how to start one, and prints no token")
    func noService() throws {
        let folder = try TemporaryFolder()
        let file = folder.file("kunifiedpush-distributor.conf")
        try """
        [Clients]
        Tokens=secret-token
        [secret-token]
        ServiceName=org.example.App
        """.write(toFile: file, atomically: true, encoding: .utf8)
        let bus = try PrivateBus()
        let outcome = try Program.run(
            ["import", "kunifiedpush", file, "--dry-run"],
            environment: ["DBUS_SESSION_BUS_ADDRESS": bus.address, "HOME": folder.path])
        #expect(outcome.exitCode == 4)
        #expect(outcome.errors.contains("no desktop service runs in this session"))
        #expect(!(outcome.output + outcome.errors).contains("secret-token"))
    }

    @Test("A file without registrations needs no service")
    func empty() throws {
        let folder = try TemporaryFolder()
        let file = folder.file("kunifiedpush-distributor.conf")
        try "[PushProvider]\nType=Ntfy\n".write(toFile: file, atomically: true, encoding: .utf8)
        let bus = try PrivateBus()
        let environment = ["DBUS_SESSION_BUS_ADDRESS": bus.address, "HOME": folder.path]
        let outcome = try Program.run(["import", "kunifiedpush", file], environment: environment)
        #expect(outcome.exitCode == 0, "\(outcome.errors)")
        #expect(outcome.output == "KUnifiedPush has no registrations\n")
    }
}
