import Base
import Glibc
import System

/// Reports the inputs that crashed the server.
struct SetAsideReport {
    let entries: [CrashLedger.Entry]

    init(_ entries: [CrashLedger.Entry]) { self.entries = entries.filter(\.isSetAside) }

    /// Writes what was found at a start to the log.
    static func write(_ finding: CrashFile.Finding, _ log: Log) {
        if let crash = finding.crash {
            log.write(
                .error, "ended-by-signal",
                [
                    ("signal", Self.name(of: crash.signal)), ("at", crash.kind.text),
                    ("effect", crash.isSetAside ? "set aside" : "tried once more"),
                ])
        }
        for entry in SetAsideReport(finding.entries).entries {
            log.write(
                .warning, "set-aside",
                [
                    ("what", entry.kind.text), ("id", entry.id), ("effect", entry.kind.effect),
                    ("advice", "update bellwire, which then tries again, and report this crash"),
                ])
        }
    }

    var text: String {
        entries.map { entry in
            """
            set aside: \(entry.kind.text) \(entry.id), since \(LocalTime.text(Int(entry.time)))
              the server crashed on it twice (\(Self.name(of: entry.signal))); \(entry.kind.effect)
              update bellwire, which then tries again, and report this crash

            """
        }.joined()
    }

    static func write(_ entry: CrashLedger.Entry, to writer: inout JSONWriter) {
        writer.member("what", entry.kind.text)
        writer.member("id", entry.id)
        writer.member("signal", name(of: entry.signal))
        writer.member("since", Int(entry.time))
        writer.member("effect", entry.kind.effect)
    }

    private static func name(of signal: UInt32) -> String {
        switch Int32(bitPattern: signal) {
        case SIGILL: "SIGILL"
        case SIGTRAP: "SIGTRAP"
        case SIGABRT: "SIGABRT"
        case SIGBUS: "SIGBUS"
        case SIGFPE: "SIGFPE"
        case SIGSEGV: "SIGSEGV"
        default: "signal \(signal)"
        }
    }
}

extension CrashLedger.Entry {
    /// Identifies the input without revealing its content.
    fileprivate var id: String { digest.hexadecimal }
}

extension CrashMarker.Kind {
    fileprivate var text: String {
        switch self {
        case .request: "a request"
        case .frame: "a message from a user agent"
        case .payload: "the payload of a push"
        case .command: "a request to an engine"
        case .account: "the engine of an account"
        case .registration: "a registration"
        case .message: "a waiting message"
        }
    }

    fileprivate var effect: String {
        switch self {
        case .request, .payload, .command: "its sender gets 503"
        case .frame: "a connection that sends it is closed"
        case .account: "its clients and pushes get 503; its data is kept"
        case .registration: "it stays unchanged"
        case .message: "it is kept but not delivered"
        }
    }
}
