import Base
import Glibc
import Notifications
import System

/// Prints what comes to topics, until nobody reads it any more.
struct MessageFollower {
    private static let lineLimit = 1 << 20
    /// In microseconds.
    private static let pause: UInt32 = 1_000_000

    private let control: ControlConnection
    private let query: MessageQuery
    private let printer: MessagePrinter
    /// What was printed last.
    private var since: String
    private var isAway = false

    init(
        _ control: ControlConnection, _ query: MessageQuery, _ printer: MessagePrinter,
        since: String
    ) {
        (self.control, self.query) = (control, query)
        (self.printer, self.since) = (printer, since)
    }

    /// Connects again when the connection breaks, and goes on behind what it has printed.
    mutating func run() throws -> Never {
        while true {
            do {
                try follow()
            } catch let error as CommandError where error.exitCode == .unavailable {
                // There is no server.
            } catch is LostConnection {}
            if !isAway, !control.isThere {
                isAway = true
                StandardError.write("bellwire: the server is gone; waiting for it\n")
            }
            usleep(Self.pause)
        }
    }

    private struct LostConnection: Error {}

    private mutating func follow() throws {
        var stream = try control.stream(lineLimit: Self.lineLimit)
        // In this version the body has no chunks: it is one line after the other.
        let request = "GET \(query.streamPath(since: since)) HTTP/1.0\r\nHost: localhost\r\n\r\n"
        // A connection that breaks here is like one that breaks later.
        try? stream.write(Array(request.utf8).span)
        try expectStream(try Self.next(&stream))
        while try !Self.next(&stream).isEmpty {}
        isAway = false
        while true { try take(try Self.next(&stream)) }
    }

    private func expectStream(_ line: String) throws {
        let status = line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        guard status != 200 else { return }
        // The server may be starting, or does not know yet what others have made.
        guard (400..<500).contains(status) else { throw LostConnection() }
        throw CommandError.refused("the topic has ended, or is not yours any more")
    }

    private mutating func take(_ line: String) throws {
        guard let message = JSONNode(json: Array(line.utf8)) else { throw LostConnection() }
        switch message["event"]?.text {
        case "open", "keepalive": return
        default: try printer.print(message)
        }
        if let id = message["id"]?.text { since = id }
    }

    /// Without the end of the line.
    private static func next(_ stream: inout LocalStream) throws -> String {
        // However the connection breaks, there will be another.
        guard case .bytes(let bytes)? = try? stream.next() else { throw LostConnection() }
        return String(decoding: bytes.last == 0x0D ? bytes.dropLast() : bytes, as: UTF8.self)
    }
}

/// Prints messages of topics, each on a line.
struct MessagePrinter {
    private static let textLimit = 1_000

    let printsJSON: Bool
    let namesTopic: Bool

    func print(_ message: JSONNode) throws {
        guard printsJSON else {
            let line = line(message)
            return try StandardOutput.write(line.isEmpty ? "" : line + "\n")
        }
        try StandardOutput.write(String(decoding: message.source, as: UTF8.self) + "\n")
    }

    /// Empty for what shows nothing.
    func line(_ message: JSONNode) -> String {
        guard message["event"]?.text == "message" else { return "" }
        let time = message["time"]?.integer.map { LocalTime.text(Int($0)) } ?? ""
        let topic = namesTopic ? message["topic"]?.text ?? "" : ""
        let title = message["title"]?.text ?? ""
        let text = [title, message["message"]?.text ?? ""].filter { !$0.isEmpty }
            .joined(separator: ": ")
        let tags = (message["tags"]?.elements ?? []).compactMap(\.text)
        let words = [time, topic, text, tags.isEmpty ? "" : "(\(tags.joined(separator: ", ")))"]
        let line = words.filter { !$0.isEmpty }.joined(separator: "  ")
            .replacing(each: "\n", by: " ")
        return Printable.text(line, limit: Self.textLimit)
    }
}
