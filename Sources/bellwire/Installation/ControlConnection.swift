import Base
import Configuration
import Outbound
import System

/// Asks the running server by its control socket.
struct ControlConnection {
    static let options = [
        Command.Option(
            "state", "FOLDER", help: "the server's folder, which has the control socket"),
        Command.Option("config", "FILE", help: "the server's configuration file"),
    ]

    private static let systemFolder = "/var/lib/bellwire"

    private let path: String
    /// Where no socket tells who asks.
    private let bearer: Secret?

    /// Finds the socket: in the folder that is named, in the usual one, or in that of the system's
    /// service.
    init(_ arguments: Arguments) throws {
        let configuration = try ConfigurationSources.read(arguments)
        let folders =
            arguments.has("state")
            ? [configuration.state] : [configuration.state, Self.systemFolder]
        let paths = folders.map { $0 + "/control.sock" }
        guard let path = paths.first(where: { FileStamp(of: $0) != nil }) else {
            throw Self.noServer(paths[0])
        }
        self.path = path
        bearer = nil
    }

    /// Asks the server of this process.
    init(path: String, bearer: Secret? = nil) {
        self.path = path
        self.bearer = bearer
    }

    /// Whether somebody listens, or is about to.
    var isThere: Bool {
        do {
            _ = try stream(lineLimit: 1)
            return true
        } catch { return false }
    }

    /// On which lines are spoken.
    func stream(lineLimit: Int) throws -> LocalStream {
        do throws(SystemError) {
            return try LocalStream(path, lineLimit: lineLimit)
        } catch { throw Self.noServer(path) }
    }

    /// The body of a success.
    func send(_ method: String, _ target: String, _ body: [UInt8] = []) throws -> [UInt8] {
        var request = HTTPRequest(
            method: method, url: "http://localhost\(target)",
            fields: body.isEmpty ? [] : [("Content-Type", "application/json")], body: body,
            unixSocket: path)
        if let bearer {
            let text = bearer.withSpan { String(decoding: $0.array($0.indices), as: UTF8.self) }
            request.fields.append(("Authorization", "Bearer " + text))
        }
        request.answerLimit = 16 << 20
        let response: HTTPResponse
        do throws(CurlError) {
            response = try HTTPClient.send(
                request, userAgent: "bellwire/\(ProgramVersion.text)")
        } catch {
            throw error.isConnectionRefusal ? Self.noServer(path) : error
        }
        guard (200..<300).contains(response.status) else {
            throw Self.refusal(response)
        }
        return response.body
    }

    private static func noServer(_ path: String) -> CommandError {
        CommandError(
            message: "no server answers at \(path)",
            hint:
                "start bellwire serve, say by --state where it keeps its state, or ask as its user",
            exitCode: .unavailable)
    }

    private static func refusal(_ response: HTTPResponse) -> CommandError {
        var scanner = JSONScanner(response.body)
        var message: String?
        // An answer that is no JSON is not ours; its status says enough.
        try? scanner.forEachMember { name, scanner throws(JSONScanner.Failure) in
            let isMessage = scanner.string(name) == "message"
            let text = try scanner.stringOrSkip()
            if isMessage, let text { message = scanner.string(text) }
        }
        return CommandError(
            message: message ?? "the server answered \(response.status)",
            exitCode: response.status >= 500 ? .unavailable : .refused)
    }
}
