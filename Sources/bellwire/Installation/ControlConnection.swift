import Base
import Configuration
import Outbound
import System

/// Sends requests to the running server over its control socket.
struct ControlConnection {
    private static let systemFolder = "/var/lib/bellwire"

    let path: String
    /// The secret to send on a socket that does not identify the caller.
    private let bearer: Secret?

    /// Looks for the socket in the named folder, or in the default one and the one of the system
    /// service.
    init(_ arguments: Arguments) throws {
        try self.init(
            try ConfigurationSources.read(arguments), isNamed: arguments.has("state"))
    }

    /// `isNamed`: the folder of the configuration is the only one. `isAwaited`: a server that is
    /// not there may still come.
    init(
        _ configuration: ServerConfiguration, isNamed: Bool, isAwaited: Bool = false
    ) throws {
        let folders =
            isNamed
            ? [configuration.state] : [configuration.state, Self.systemFolder]
        let paths = folders.map { $0 + "/control.sock" }
        let forbidden = paths.first(where: FileAccess.isForbidden)
        let found = paths.first { FileStamp(of: $0) != nil }
        guard let path = found ?? (isAwaited && forbidden == nil ? paths[0] : nil) else {
            throw Self.noServer(forbidden ?? paths[0])
        }
        self.path = path
        bearer = nil
    }

    /// A connection to the server in this process.
    init(path: String, bearer: Secret? = nil) {
        self.path = path
        self.bearer = bearer
    }

    /// Where the socket is: the state folder of its server.
    var folder: String { String(path.prefix(upTo: path.lastIndex(of: "/") ?? path.startIndex)) }

    /// The place of the socket, for a loop.
    var address: SocketAddress { .unix(path: path) }

    /// Whether a server listens there.
    var isThere: Bool {
        do {
            _ = try stream(lineLimit: 1)
            return true
        } catch { return false }
    }

    /// A connection for lines.
    func stream(lineLimit: Int) throws -> LocalStream {
        do throws(SystemError) {
            return try LocalStream(path, lineLimit: lineLimit)
        } catch { throw Self.noServer(path) }
    }

    /// Returns the body; throws unless the status is 2xx.
    func send(_ method: String, _ target: String, _ body: [UInt8] = []) throws -> [UInt8] {
        let response = try ask(method, target, body)
        guard (200..<300).contains(response.status) else { throw Self.refusal(response) }
        return response.body
    }

    /// Returns the next part of an export; nil after the last one.
    func part(of export: Int64) throws -> [UInt8]? {
        let response = try ask("POST", "/api/v1/exports/\(export)", [])
        switch response.status {
        case 200: return response.body
        case 204: return nil
        case 404:
            throw CommandError.unavailable(
                "the server has ended the export",
                hint: "it took too long, or something was forgotten meanwhile; try again")
        default: throw Self.refusal(response)
        }
    }

    private func ask(
        _ method: String, _ target: String, _ body: [UInt8]
    ) throws -> HTTPResponse {
        var request = HTTPRequest(
            method: method, url: "http://localhost\(target)",
            fields: body.isEmpty ? [] : [("Content-Type", "application/json")], body: body,
            unixSocket: path)
        if let bearer {
            let text = bearer.withSpan { String(decoding: $0.array($0.indices), as: UTF8.self) }
            request.fields.append(("Authorization", "Bearer " + text))
        }
        request.answerLimit = 16 << 20
        do throws(CurlError) {
            return try HTTPClient.send(
                request, userAgent: "bellwire/\(ProgramVersion.text)")
        } catch {
            throw error.isConnectionRefusal ? Self.noServer(path) : error
        }
    }

    private static func noServer(_ path: String) -> CommandError {
        guard !FileAccess.isForbidden(path) else {
            return CommandError.unavailable(
                "you may not use \(path)",
                hint: "use sudo, or join the group of its folder if local-users = yes; or start a "
                    + "server of your own by bellwire serve")
        }
        return CommandError.unavailable(
            "no server answers at \(path)",
            hint: "start bellwire serve, name its state folder by --state, or run this as its user")
    }

    private static func refusal(_ response: HTTPResponse) -> CommandError {
        // An answer without JSON has no message, only a status.
        let message = (try? JSONDocument(response.body))?.root["message"]?.text
        return CommandError(
            message: message ?? "the server answered with status \(response.status)",
            exitCode: response.status >= 500 ? .unavailable : .refused)
    }
}
