import Base
import Configuration

extension ManualPage {
    static func overview(
        _ groups: [(title: String, commands: [Command])], _ date: String
    ) -> String {
        var page = ManualPage(
            "bellwire", section: 1, date: date, summary: "push service for the Linux desktop")
        page.section("SYNOPSIS")
        page.paragraph(
            raw: bold("bellwire") + " " + italic("COMMAND") + " [" + italic("OPTIONS") + "]")
        page.section("DESCRIPTION")
        page.paragraph(
            """
            Bellwire is a push service that you run yourself. It receives a push over HTTPS, decrypts \
            it if it is meant for your desktop, and shows it as a notification. It loses no push that \
            it has accepted.
            """)
        page.section("COMMANDS")
        for group in groups {
            page.subsection(group.title.prefix(1).uppercased() + group.title.dropFirst())
            for command in group.commands {
                page.item(
                    "\\fBbellwire\\-\(literal(command.name))\\fR(1)",
                    Wording.sentence(command.summary))
            }
        }
        page.exitStatus()
        page.files()
        page.seeAlso(
            groups.flatMap(\.commands).map { ("bellwire-" + $0.name, 1) }
                + [("bellwire.conf", 5)])
        return page.text
    }

    static func command(_ command: Command, _ date: String) -> String {
        var page = ManualPage(
            "bellwire-" + command.name, section: 1, date: date, summary: command.summary)
        page.section("SYNOPSIS")
        for form in command.forms {
            page.paragraph(
                raw: bold("bellwire " + command.name)
                    + (command.options.isEmpty ? "" : " [" + italic("OPTIONS") + "]")
                    + (form.isEmpty ? "" : " " + literal(form)))
        }
        page.section("DESCRIPTION")
        page.paragraph(Wording.sentence(command.summary))
        page.paragraphs(command.details)
        page.section("OPTIONS")
        for option in command.allOptions {
            let value = option.value.map { " " + italic($0) } ?? ""
            page.item(bold("--" + option.name) + value, option.help)
        }
        page.exitStatus()
        page.files()
        page.section("EXAMPLES")
        for example in command.examples {
            page.item(bold(example.line), Wording.sentence(example.help))
        }
        page.seeAlso([("bellwire", 1), ("bellwire.conf", 5)])
        return page.text
    }

    static func configuration(_ keys: [ConfigurationKey], _ date: String) -> String {
        var page = ManualPage(
            "bellwire.conf", section: 5, date: date, summary: "configuration of bellwire")
        page.section("DESCRIPTION")
        page.paragraph(
            """
            The file has one setting on each line, as key = value, in UTF-8. # starts a comment, at \
            the start of a line or after a space. You can leave out every setting; an unknown key is \
            an error.
            """)
        page.paragraph(
            """
            Each setting is also an option of bellwire serve and a variable. An option overrides a \
            variable, and a variable overrides the file. Separate several values in one variable by \
            spaces. bellwire check shows the settings in force, and where each comes from.
            """)
        page.paragraph(
            """
            When the server receives SIGHUP (systemctl reload bellwire), it reads the file again \
            and applies the changes. It closes only sessions that are no longer allowed. What it \
            cannot apply, because it needs a restart or because an address cannot be opened, it \
            names in its log (restart-needed). After a mistake nothing changes.
            """)
        page.paragraph(ConfigurationSources.reloadSentence)
        page.section("SETTINGS")
        for key in keys {
            page.item(
                bold(key.name) + " = " + italic(key.placeholder),
                key.explanation + "; variable: " + key.environmentName)
            if !key.more.isEmpty { page.furthermore(key.more) }
        }
        page.files()
        page.seeAlso([("bellwire", 1), ("bellwire-serve", 1), ("bellwire-check", 1)])
        return page.text
    }

    private mutating func exitStatus() {
        section("EXIT STATUS")
        for code in ExitCode.allCases {
            item(Self.bold("\(code.rawValue)"), Wording.sentence(code.meaning))
        }
    }

    private mutating func files() {
        section("FILES")
        for (path, meaning) in [
            ("/etc/bellwire/bellwire.conf", "the configuration of the system service"),
            (
                "~/.config/bellwire/bellwire.conf",
                "the configuration of a server that a user starts"
            ),
            ("~/.config/bellwire/receivers", "the addresses that the desktop gets messages from"),
            (
                "/var/lib/bellwire",
                "the store, the control socket and the keys of the system service"
            ),
            ("~/.local/state/bellwire", "the same of a server that a user starts"),
        ] {
            item(Self.italic(path), Wording.sentence(meaning))
        }
    }

    private mutating func seeAlso(_ pages: [(String, Int)]) {
        section("SEE ALSO")
        let names = pages.map { name, section in Self.bold(name) + "(\(section))" }
        paragraph(raw: names.joined(separator: ",\n"))
    }
}
