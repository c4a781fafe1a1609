import Foundation
import TestSupport
import Testing

@Suite("bellwire --help: fits a terminal, and its examples can be typed")
struct HelpTests {
    @Test("No line is longer than 80 columns")
    func width() throws {
        let names = try Help.Overview().commands.map(\.name) + ["manual"]
        for words in [["--help"]] + names.map({ [$0, "--help"] }) {
            let output = try Program.run(words).output
            #expect(output.split(separator: "\n").count > 3, "\(words)")
            for line in output.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
        }
    }

    @Test("The commands are listed in groups, each once")
    func groups() throws {
        let overview = try Help.Overview()
        #expect(overview.groups == ["server", "registrations", "desktop", "tools"])
        let names = overview.commands.map(\.name)
        #expect(names.count > 20 && Set(names).count == names.count)
    }

    @Test("Every command has two examples, with options and actions that it has")
    func examples() throws {
        for name in try Help.Overview().commands.map(\.name) + ["manual"] {
            let help = try Help(of: name)
            #expect(help.examples.count == 2, "\(name)")
            for example in help.examples {
                let words = try #require(commandLine(example.line), "\(example.line)")
                #expect(words.first == name, "\(example.line)")
                #expect(mistake(in: words.dropFirst(), help) == nil, "\(example.line)")
                #expect(!example.help.isEmpty)
            }
        }
    }

    @Test("The help of a verb has its form and its options only")
    func verb() throws {
        let whole = try Help(of: "topic")
        let add = try Help(of: "topic", "add")
        #expect(add.forms == ["bellwire topic [OPTIONS] add NAME"])
        #expect(whole.options.map(\.name) == add.options.map(\.name) && add.examples.count == 2)
        let list = try Help(of: "topic", "list")
        #expect(list.forms == ["bellwire topic [OPTIONS] list"] && list.examples.isEmpty)
        #expect(list.options.map(\.name) == ["state", "config", "json", "help"])
        #expect(
            try Program.run(["help", "topic", "list"]).output
                == Program.run(["topic", "list", "--help"]).output)
    }

    @Test(
        "An example with a mistake would be found",
        arguments: ["device --nothing", "device move a", "device list --owner", "version --json=1"])
    func mistakes(line: String) throws {
        let words = line.split(separator: " ").map(String.init)
        #expect(mistake(in: words.dropFirst(), try Help(of: words[0])) != nil)
    }

    @Test("A long option has its meaning on the next line, and a word is never broken")
    func wrapped() throws {
        let help = try Help(of: "serve")
        let option = try #require(help.options.first { $0.name == "receiver-authorities" })
        #expect(option.help.hasPrefix("the CA certificates that the desktop trusts"))
        #expect(option.help.hasSuffix("(default: the system's)"))
        let send = try Help(of: "send")
        #expect(
            send.forms.contains(
                "bellwire send [OPTIONS] --endpoint URL [--p256dh KEY --auth SECRET] [MESSAGE]"))
    }

    /// The words after `bellwire`, up to what the shell takes for itself; nil if there are none.
    private func commandLine(_ line: String) -> [String]? {
        var words: [String] = []
        var word: String?
        var quote: Character?
        for character in line + " " {
            if let mark = quote {
                quote = character == mark ? nil : mark
                if quote != nil { word = (word ?? "") + String(character) }
            } else if character == "\"" || character == "'" {
                quote = character
                word = word ?? ""
            } else if character == " " {
                if let word { words.append(word) }
                word = nil
            } else {
                word = (word ?? "") + String(character)
            }
        }
        guard quote == nil, let start = words.firstIndex(of: "bellwire") else { return nil }
        return Array(words[(start + 1)...].prefix { !["|", "<", ">"].contains($0) })
    }

    /// Why a command would not take these words; nil if it does.
    private func mistake(in words: ArraySlice<String>, _ help: Help) -> String? {
        var rest = words
        var positional: [String] = []
        while let word = rest.popFirst() {
            guard word.hasPrefix("-"), word != "-" else {
                positional.append(word)
                continue
            }
            let parts = word.dropFirst(2).split(separator: "=", maxSplits: 1)
            guard let option = help.options.first(where: { $0.name == parts.first ?? "" }) else {
                return "no option \(word)"
            }
            if parts.count == 2 || !option.takesValue {
                if parts.count == 2, !option.takesValue { return "a value for \(word)" }
            } else if rest.popFirst() == nil {
                return "no value for \(word)"
            }
        }
        let forms = help.forms.map { form in
            form.split(separator: " ").dropFirst(2).filter { $0 != "[OPTIONS]" }
        }
        let actions = forms.compactMap(\.first).filter { word in
            !word.hasPrefix("-") && word.allSatisfy { $0.isLowercase || $0 == "-" }
        }
        if !actions.isEmpty, !actions.contains(where: { $0 == positional.first ?? "" }) {
            return "no action \(positional)"
        }
        return forms.allSatisfy(\.isEmpty) && !positional.isEmpty ? "arguments" : nil
    }
}
