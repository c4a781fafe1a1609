import Base
import Bus
import Cluster
import Configuration
import Crypto
import Desktop
import Glibc
import Mailbox
import Notifications
import Outbound
import SQLite
import System

/// An error for the user: what went wrong and, if known, what to do.
struct CommandError: Error {
    let message: String
    var hint: String?
    var exitCode = ExitCode.failure

    static let unreadable = CommandError(message: "the server's answer cannot be read")

    static func usage(_ message: String, hint: String? = nil) -> CommandError {
        CommandError(message: message, hint: hint, exitCode: .usage)
    }

    /// The other side refused.
    static func refused(_ message: String, hint: String? = nil) -> CommandError {
        CommandError(message: message, hint: hint, exitCode: .refused)
    }

    /// It may work later.
    static func unavailable(_ message: String, hint: String? = nil) -> CommandError {
        CommandError(message: message, hint: hint, exitCode: .unavailable)
    }

    /// Renders every error that reaches the top.
    init(_ error: any Error) {
        switch error {
        case let error as CommandError: self = error
        case let error as ConfigurationError:
            self = .usage(error.description, hint: error.hint)
        case let error as any ExplainedError:
            let isElsewhere = error is ClusterFault || error is DesktopService.Failure
            self.init(
                message: error.description, hint: error.hint,
                exitCode: isElsewhere ? .unavailable : .failure)
        case let error as DesktopStore.Refusal:
            self.init(message: error.description, hint: error.hint)
        case let error as ReceiverAddress.Refusal:
            self.init(message: error.description, hint: error.hint)
        case let error as CurlError: self = .unavailable(error.description)
        case let error as SQLiteError: self.init(message: error.description)
        case let error as Migration.Failure: self.init(message: error.description)
        case let error as OpenSSLError: self.init(message: "OpenSSL: \(error)")
        case let error as TLSError: self.init(message: "TLS: \(error)")
        case let error as Account.StateError:
            self.init(message: "the stored account cannot be read: \(error)")
        case let error as Sealer.Failure:
            self.init(
                message: "the database was sealed under another key, or is damaged",
                hint: "\(error)")
        case let error as BusError:
            self.init(
                message: "the message bus cannot be used: \(error)",
                hint: "run it in a desktop session, or under dbus-run-session")
        default: self.init(message: "internal error: \(type(of: error))")
        }
    }

    init(message: String, hint: String? = nil, exitCode: ExitCode = .failure) {
        self.message = message
        self.hint = hint
        self.exitCode = exitCode
    }

    func report() {
        StandardError.write("bellwire: error: \(Printable.text(message))\n")
        if let hint { StandardError.write("bellwire: hint: \(Printable.text(hint))\n") }
    }
}

/// An error that says what went wrong, and what to do.
private protocol ExplainedError: Error, CustomStringConvertible {
    var hint: String? { get }
}

extension KeyFile.Failure: ExplainedError {}
extension TextFile.Failure: ExplainedError {}
extension StateFolder.Failure: ExplainedError {}
extension SystemError: ExplainedError {}
extension BackupFailure: ExplainedError {}
extension StoreFault: ExplainedError {}
extension ClusterFault: ExplainedError {}
extension CertificateStore.Failure: ExplainedError {}
extension DevelopmentCertificate.Failure: ExplainedError {}
extension DesktopService.Failure: ExplainedError {}

/// How the program ends. Scripts rely on these numbers.
enum ExitCode: Int32, CaseIterable {
    case success = 0
    /// Something on this machine failed: a file, a key, a library.
    case failure = 1
    /// The command line is wrong.
    case usage = 2
    /// The other side refused, and would refuse the same again.
    case refused = 3
    /// Try again later: no connection, or the other side asks to wait.
    case unavailable = 4
    /// Of a command that waits: the server was not there until the end.
    case unreached = 5

    var meaning: String {
        switch self {
        case .success: "done"
        case .failure: "failure on this machine"
        case .usage: "wrong usage"
        case .refused: "refused by the other side"
        case .unavailable: "try again later"
        case .unreached: "no connection until the end"
        }
    }

    func exit() -> Never { Glibc.exit(rawValue) }
}

/// Ends a process that was told to end, even if it hangs. Accepted messages are on the disk.
enum LastResort {
    /// The process promises to end within five seconds.
    private static let limit: UInt32 = 4_500_000

    /// The log line has a thread of its own, because the log's reader may be what hangs.
    static func arm(_ log: Log, _ event: StaticString, _ code: ExitCode = .success) {
        do throws(SystemError) {
            try WorkThread(name: "end") {
                usleep(limit)
                _exit(code.rawValue)
            }.detach()
            try WorkThread(name: "end-log") {
                usleep(limit - 200_000)
                log.write(.error, event)
            }.detach()
        } catch {
            // The service manager will end the process instead.
            log.write(.warning, "no-last-resort", [("reason", error.description)])
        }
    }
}
