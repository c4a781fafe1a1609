import Base
import Configuration
import Mailbox

extension Progress {
    func report(_ step: BackupStep, _ done: Int, _ total: Int) {
        advance(step.rawValue, to: done, of: total)
    }
}

/// What is said about backups.
enum BackupText {
    static func made(
        _ file: String, _ figures: StoreFigures,
        _ protection: StoreSnapshot.Terms.Protection, _ keyFile: String
    ) -> String {
        let advice =
            switch protection {
            case .clear: "the master key is in it: keep it where only you can read it"
            case .passphrase:
                "the master key is in it, sealed: keep the passphrase, but not next to it"
            case .none:
                """
                the master key is not in it: without a copy of \(Printable.text(keyFile)) it is \
                worthless
                """
            }
        return "\(Printable.text(file)) has \(text(figures))\n\(advice)\n"
    }

    struct Check {
        let isOpened: Bool
        /// Whether this server has one of the keys; nil if that is not known.
        let isByOwnKeys: Bool?
    }

    static func verified(_ file: String, _ backup: BackupFile, _ check: Check) -> String {
        let made = LocalTime.text(Int(backup.header.made / 1_000))
        var keys =
            switch (backup.header.protection, check.isOpened) {
            case (.none, true): "the master key of this server opens it"
            case (.none, false):
                "its master key is neither in it nor here, so somebody may have changed it"
            case (.clear, _): "its keys open it, and whoever could change it has them"
            case (.passphrase, _): "its keys open it"
            }
        if check.isByOwnKeys == false { keys += "; they are not the keys of this server" }
        return "\(Printable.text(file)) is whole: made \(made), \(text(backup.figures)), \(keys)\n"
    }

    static func restored(_ folder: String, _ report: Restoration.Report) -> String {
        var text = "\(Printable.text(folder)) has \(text(report.figures)) again\n"
        if report.unconfirmed > 0 {
            text += """
                no device and no token is let in before you confirm it: start the server and run \
                bellwire device confirm --all and bellwire token confirm --all, or confirm those \
                that you know

                """
        }
        return text
    }

    private static func text(_ figures: StoreFigures) -> String {
        count(figures.devices, "device") + ", " + count(figures.endpoints, "endpoint") + ", "
            + count(figures.messages, "waiting message")
            + (figures.kept == 0 ? "" : ", " + count(figures.kept, "kept message"))
    }

    private static func count(_ number: Int, _ word: String) -> String {
        "\(number) \(word)" + (number == 1 ? "" : "s")
    }
}

/// The same as JSON.
extension BackupText {
    static func json(
        _ event: String, _ file: String, _ figures: StoreFigures,
        _ protection: StoreSnapshot.Terms.Protection
    ) -> String {
        let keys: BackupHeader.Protection =
            switch protection {
            case .clear: .clear
            case .passphrase: .passphrase
            case .none: .none
            }
        return json(event, file, figures) { $0.member("keys", keys.rawValue) }
    }

    static func json(
        _ event: String, _ file: String, _ backup: BackupFile, _ check: Check
    ) -> String {
        json(event, file, backup.figures) { writer in
            writer.member("keys", backup.header.protection.rawValue)
            writer.member("keys_open_it", check.isOpened)
            if let isOwn = check.isByOwnKeys { writer.member("keys_of_this_server", isOwn) }
            writer.member("made", Int(backup.header.made / 1_000))
            writer.member("program", backup.header.program)
        }
    }

    static func json(_ folder: String, _ report: Restoration.Report) -> String {
        json("done", folder, report.figures) { $0.member("unconfirmed", report.unconfirmed) }
    }

    private static func json(
        _ event: String, _ file: String, _ figures: StoreFigures,
        _ more: (inout JSONWriter) -> Void
    ) -> String {
        JSONWriter.line { writer in
            writer.member("event", event)
            writer.member("path", file)
            writer.member("devices", figures.devices)
            writer.member("endpoints", figures.endpoints)
            writer.member("messages", figures.messages)
            writer.member("kept", figures.kept)
            more(&writer)
        }
    }
}
