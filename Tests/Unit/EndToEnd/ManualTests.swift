import Foundation
import TestSupport
import Testing

@Suite("bellwire manual: pages and completions say what help says")
struct ManualTests {
    private let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    @Test("Each command has a page with its forms, its options and its exit codes")
    func pages() throws {
        let names = try output(["manual"]).split(separator: "\n").map(String.init)
        let commands = try commandNames()
        #expect(commands.count > 20)
        #expect(
            Set(names)
                == Set(commands.map { "bellwire-\($0).1" }).union([
                    "bellwire.1", "bellwire.conf.5", "bellwire.conf", "bellwire.bash", "_bellwire",
                    "bellwire.fish",
                ]))
        for command in commands {
            let page = plain(
                try output(["manual", "bellwire-\(command).1", "--date", "2026-01-02"]))
            let help = try Help(of: command)
            for form in help.forms { #expect(page.contains(form), "\(command): \(form)") }
            for option in help.options {
                #expect(page.contains(".TP\n\(option.term)\n\(option.help)\n"), "\(command)")
            }
            for example in help.examples {
                let sentence = example.help.prefix(1).uppercased() + example.help.dropFirst() + "."
                #expect(page.contains(".TP\n\(example.line)\n\(sentence)\n"), "\(command)")
            }
            #expect(page.hasPrefix(".TH BELLWIRE-\(command.uppercased()) 1 \"2026-01-02\""))
            for code in 0...4 { #expect(page.contains(".TP\n\(code)\n")) }
        }
    }

    @Test("The overview lists every command with its summary")
    func overview() throws {
        let page = plain(try output(["manual", "bellwire.1"]))
        let summaries = try Help.Overview().commands
        #expect(summaries.count > 20)
        for (name, summary) in summaries {
            let sentence = summary.prefix(1).uppercased() + summary.dropFirst() + "."
            #expect(page.contains("bellwire-\(name)(1)\n\(sentence)\n"))
        }
    }

    @Test("The page of the configuration and the commented file have every setting")
    func configuration() throws {
        let page = plain(try output(["manual", "bellwire.conf.5"]))
        let sample = try output(["manual", "bellwire.conf"])
        let settings = try Help(of: "check").options.filter {
            !["config", "live", "json", "help"].contains($0.name)
        }
        #expect(settings.count > 20)
        for setting in settings {
            let value = setting.term.dropFirst(setting.name.count + 3)
            let variable = "BELLWIRE_" + setting.name.uppercased().replacing("-", with: "_")
            #expect(
                page.contains(
                    ".TP\n\(setting.name) = \(value)\n\(setting.help); variable: \(variable)\n"),
                "\(setting.name)")
            #expect(sample.contains("\n#\(setting.name) = "), "\(setting.name)")
        }
    }

    @Test("bash offers what help lists")
    func bash() throws {
        let commands = try commandNames()
        #expect(try completed("").sorted() == (commands + ["help"]).sorted())
        for command in commands {
            let help = try Help(of: command)
            #expect(try completed(command, "--") == help.options.map { "--" + $0.name })
        }
        #expect(try completed("se") == ["send", "serve"])
        #expect(try completed("help", "wat") == ["watch"])
        #expect(try completed("device", "") == ["add", "list", "remove", "confirm"])
        #expect(try completed("device", "--owner", "ann", "r") == ["remove"])
        #expect(try completed("device", "--owner", "=", "ann", "add", "") == [])
        #expect(try completed("serve", "--registration", "") == ["open", "token"])
        #expect(try completed("serve", "--registration", "=", "t") == ["token"])
        // As fish passes it.
        let word = try output(["complete", "serve", "--registration=o"])
        #expect(word == "--registration=open\n")
        #expect(try completed("serve", "--registration", "=") == ["open", "token"])
        #expect(try completed("serve", "--base-url", "") == [])
        #expect(
            try completed("apps", "urgency", "org.example.App", "very") == ["very-low"])
    }

    @Test("bash offers files and folders where they are wanted")
    func bashFiles() throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(
            atPath: folder.file("one folder"), withIntermediateDirectories: false)
        try Data().write(to: URL(filePath: folder.file("one file")))
        let beginning = folder.file("one")
        #expect(
            try completed("keys", "show", beginning).sorted()
                == [folder.file("one file"), folder.file("one folder")])
        #expect(try completed("serve", "--state", beginning) == [folder.file("one folder")])
        #expect(try completed("keys", "new", beginning) == [])
    }

    @Test("A shell is told every command and option, and what each is for")
    func offers() throws {
        for (name, summary) in try Help.Overview().commands {
            #expect(try output(["complete", ""]).contains("\(name)\t\(summary)\n"))
            for option in try Help(of: name).options {
                let offered = try output(["complete", name, "--\(option.name)"])
                #expect(offered.contains("--\(option.name)\t\(option.help)\n"), "\(name)")
            }
        }
        #expect(try output(["complete", "device", "list", "--"]).contains("--receive-only"))
        #expect(try !output(["complete", "topic", "list", "--"]).contains("--from"))
        #expect(try output(["complete", "none", ""]) == "")
    }

    @Test("fish asks the program, too")
    func fish() throws {
        // Not every machine has this shell.
        guard FileManager.default.isExecutableFile(atPath: "/usr/bin/fish") else { return }
        let folder = try TemporaryFolder()
        let script = folder.file("bellwire.fish")
        try Data(try output(["manual", "bellwire.fish"]).utf8).write(to: URL(filePath: script))
        let process = try RunningProcess(
            "/usr/bin/fish",
            [
                "--no-config", "-c", #"source $argv[1]; complete -C "$argv[2] device c""#, script,
                Program.path,
            ])
        let output = try process.output.readToEnd() ?? Data()
        #expect(process.wait() == 0)
        #expect(String(decoding: output, as: UTF8.self) == "confirm\n")
    }

    @Test("A name that there is not is refused, and help does not list the command")
    func refused() throws {
        #expect(try Program.run(["manual", "bellwire-none.1"]).exitCode == 2)
        #expect(try Program.run(["manual", "one", "two"]).exitCode == 2)
        #expect(try !commandNames().contains("manual"))
    }

    @Test("The packages carry the version of the program")
    func version() throws {
        let version = try #require(
            try output(["version"]).split(separator: "\n").first?.split(separator: " ").last)
        func file(_ path: String) throws -> String {
            try String(contentsOf: root.appending(path: path), encoding: .utf8)
        }
        #expect(try file("deploy/debian/changelog").hasPrefix("bellwire (\(version)) "))
        #expect(
            try file("deploy/desktop/org.bellwire.Desktop.metainfo.xml").contains(
                "<release version=\"\(version)\""))
        #expect(try file("CHANGELOG.md").contains("\n## \(version)"))
    }

    private func output(_ arguments: [String]) throws -> String {
        let outcome = try Program.run(arguments)
        try #require(outcome.exitCode == 0, "\(arguments)")
        return outcome.output
    }

    private func commandNames() throws -> [String] { try Help.Overview().commands.map(\.name) }

    /// A page without the marks of man(7) inside lines.
    private func plain(_ page: String) -> String {
        var text = page
        for (mark, sign) in [
            ("\\fB", ""), ("\\fI", ""), ("\\fR", ""), ("\\-", "-"), ("\\(aq", "'"), ("\\(ga", "`"),
            ("\\(ha", "^"), ("\\(ti", "~"), ("\\&", ""), ("\\e", "\\"),
        ] {
            text = text.replacing(mark, with: sign)
        }
        return text
    }

    /// What bash offers for the last of these words.
    private func completed(_ words: String...) throws -> [String] {
        let folder = try TemporaryFolder()
        let script = folder.file("bellwire.bash")
        try Data(try output(["manual", "bellwire.bash"]).utf8).write(to: URL(filePath: script))
        let process = try RunningProcess(
            "/bin/bash",
            [
                "-c",
                """
                source "$1"; program=$2; shift 2
                COMP_WORDS=("$program" "$@") COMP_CWORD=$#
                _bellwire
                [ ${#COMPREPLY[@]} = 0 ] || printf '%s\\n' "${COMPREPLY[@]}"
                """, "bash", script, Program.path,
            ] + words)
        let output = try process.output.readToEnd() ?? Data()
        #expect(process.wait() == 0)
        return String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
