import Base
import System

/// The file that `bellwire register --subscription` writes and `bellwire send --to` reads. It is
/// written as a whole or not at all.
struct SubscriptionFile {
    private let path: String
    private let app: String
    private let account: String
    private let draft: DraftFile

    /// Claims the place. Only a file that was written for the same account may be there.
    init(_ path: String, app: String, account: String) throws {
        (self.path, self.app, self.account) = (path, app, account)
        do throws(SystemError) {
            draft = try DraftFile(for: path)
        } catch { throw Self.failure(path, error) }
        guard let content = try Self.content(of: path) else { return }
        guard let root = try? JSONDocument(content).root, root["registration"]?.text != nil,
            root["app"]?.text == app, root["account"]?.text == account
        else {
            throw CommandError(
                message: "\(path) exists, and is not the subscription of \(app)/\(account)",
                hint: "choose another name, or remove the file")
        }
    }

    /// Nil if there is no file.
    private static func content(of path: String) throws -> [UInt8]? {
        do throws(KeyFile.Failure) {
            return try KeyFile.read(path)
        } catch {
            if case .system(_, let error) = error, error.isMissingFile { return nil }
            throw error
        }
    }

    /// `answer` is the server's answer to the registration.
    func write(_ answer: [UInt8]) throws {
        guard let root = try? JSONDocument(answer).root, let id = root["id"]?.text,
            let endpoint = root["endpoint"]?.text
        else { throw CommandError(message: "the server's answer cannot be read") }
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("endpoint", endpoint)
            // A type 4 has no keys.
            if let p256dh = root["keys"]?["p256dh"]?.text, let auth = root["keys"]?["auth"]?.text {
                writer.name("keys")
                writer.object { writer in
                    writer.member("p256dh", p256dh)
                    writer.member("auth", auth)
                }
            }
            writer.member("registration", id)
            writer.member("app", app)
            writer.member("account", account)
        }
        let line = writer.bytes + [UInt8(ascii: "\n")]
        do throws(SystemError) {
            try draft.append(line.span)
            try draft.publish()
        } catch { throw Self.failure(path, error) }
    }

    /// Nobody would know the endpoint of a registration whose file could not be written. If this
    /// fails too, the registration expires.
    func withdraw(_ answer: [UInt8], _ connection: ControlConnection) {
        guard let id = try? JSONDocument(answer).root["id"]?.text,
            let path = try? RegistrationsPath.one(id)
        else { return }
        _ = try? connection.send("DELETE", path)
    }

    private static func failure(_ path: String, _ error: SystemError) -> CommandError {
        CommandError(message: "\(path) cannot be written: \(error)", hint: error.hint)
    }
}
