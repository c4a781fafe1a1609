import Base

/// Decides when an HTTP/1.1 connection continues, times out, and closes.
///
/// It is pure state beside the parser. All times count from one fixed start.
package struct HTTP1Connection: Sendable {
    private enum Phase {
        case idle
        case head
        case body
        /// The request is complete, but the answer is not written yet.
        case answering
        /// The answer is a stream, which lasts for as long as its reader stays.
        case streaming
        case lingering
        case closed
    }

    /// What to do once an answer is written.
    package enum Continuation: Sendable {
        case nextRequest
        case close
        /// Half-close and read on for a while (`LingeringClose`). Closing at once would reset the
        /// connection, and the sender might never see its answer.
        case linger
    }

    /// What to do at a deadline.
    package enum Expiry: Equatable, Sendable {
        case nothing
        case close
        case refuse(HTTPRefusal)
    }

    /// When to call `expired`; nil while an answer is being made, and while a stream waits.
    package private(set) var deadline: Duration?

    private let patience: HTTP1Patience
    private var phase = Phase.idle
    private var requestCount = 0
    private var keepsAlive = true
    private var isHTTP10 = false
    private var isStopping = false

    package init(patience: HTTP1Patience = HTTP1Patience(), at now: Duration) {
        self.patience = patience
        deadline = now + patience.idle
    }

    /// No request is under way, so the connection can be closed without harm.
    package var isIdle: Bool {
        if case .idle = phase { true } else { false }
    }

    /// What the answer being written has to say about the connection.
    package var persistence: HTTP1Persistence {
        guard keepsAlive, !isStopping, isAnswering else { return .close }
        return isHTTP10 ? .keepAlive : .implied
    }

    private var isAnswering: Bool {
        switch phase {
        case .answering, .streaming: true
        case .idle, .head, .body, .lingering, .closed: false
        }
    }

    /// The current answer will be the last one.
    package mutating func stop() { isStopping = true }

    /// The first byte of a request has come. Further bytes do not extend the deadline.
    package mutating func requestBegan(at now: Duration) {
        guard case .idle = phase else { return }
        phase = .head
        deadline = now + patience.head
    }

    package mutating func headRead(_ head: borrowing RequestHead, at now: Duration) {
        requestCount += 1
        keepsAlive = head.keepsAlive && requestCount < patience.requestCount
        isHTTP10 = head.version == .http10
        phase = .body
        deadline = now + patience.body
    }

    package mutating func requestEnded() {
        phase = .answering
        deadline = nil
    }

    /// Whether a stream is sent in chunks. An HTTP/1.0 client knows none, and reads to the end of the
    /// connection.
    package var streamsInChunks: Bool { !isHTTP10 }

    /// The answer is a stream, from its head until `answered`.
    package mutating func streamBegan() {
        if isHTTP10 { keepsAlive = false }
        phase = .streaming
    }

    /// The reader has until then to take the output of the stream. More output does not extend the
    /// deadline.
    package mutating func outputWaits(until deadline: Duration) {
        if case .streaming = phase { self.deadline = min(self.deadline ?? deadline, deadline) }
    }

    /// All output of the stream has left.
    package mutating func outputSent() {
        if case .streaming = phase { deadline = nil }
    }

    /// The last byte of an answer or refusal has left. `hasUnreadInput`: bytes of the peer are
    /// unread.
    package mutating func answered(hasUnreadInput: Bool, at now: Duration) -> Continuation {
        switch persistence {
        case .implied, .keepAlive:
            phase = .idle
            deadline = now + patience.idle
            return .nextRequest
        case .close:
            if isAnswering, !hasUnreadInput {
                close()
                return .close
            }
            phase = .lingering
            deadline = now + patience.lingering
            return .linger
        }
    }

    package mutating func expired(at now: Duration) -> Expiry {
        guard let deadline, now >= deadline else { return .nothing }
        switch phase {
        case .head, .body:
            self.deadline = nil
            keepsAlive = false
            return .refuse(.timeout)
        case .idle, .answering, .streaming, .lingering, .closed:
            close()
            return .close
        }
    }

    private mutating func close() {
        phase = .closed
        deadline = nil
    }
}

/// How long an HTTP/1.1 connection waits, and how many requests it serves.
package struct HTTP1Patience: Equatable, Sendable {
    /// From the opening, or the last answer, to the first byte of a request.
    package var idle = Duration.seconds(75)
    /// From the first byte of a request to its empty line.
    package var head = Duration.seconds(10)
    /// From the empty line to the last byte of the body.
    package var body = Duration.seconds(30)
    package var requestCount = 10_000

    /// How long and how much a refused sender may still send before its connection is cut. A proxy
    /// that is cut while it sends a body answers 502, and the sender would try again.
    package var lingering = Duration.seconds(2)
    package var lingeringBytes = 512 * 1024

    package init() {}
}

/// What an answer says about further requests on its connection (RFC 9112 section 9.3).
package enum HTTP1Persistence: Sendable {
    /// Nothing: HTTP/1.1 keeps the connection by default, and an upgrade says it itself.
    case implied
    /// An HTTP/1.0 client that asked for it must be told.
    case keepAlive
    case close
}

extension ResponseHead {
    /// The answer to the event `continueExpected`.
    package static let http1Continue: StaticString = "HTTP/1.1 100 Continue\r\n\r\n"

    /// Writes the head in HTTP/1.1 format, with its empty line.
    ///
    /// The caller formats `date` once per second; empty leaves the field out. Without a length the
    /// body is a stream.
    package func appendHTTP1(
        to output: inout [UInt8], contentLength: Int?, _ persistence: HTTP1Persistence,
        dateLine: [UInt8] = []
    ) {
        // Each call costs more than the bytes that it adds.
        if status == 201 {
            output.append(contentsOf: "HTTP/1.1 201 Created\r\n")
        } else {
            output.append(contentsOf: "HTTP/1.1 ")
            output.append(decimal: status)
            output.append(UInt8(ascii: " "))
            output.append(contentsOf: Self.reasonPhrase(of: status))
            output.append(contentsOf: "\r\n")
        }
        output.append(contentsOf: fields.text)
        output.append(contentsOf: dateLine)
        // RFC 9110 section 8.6: these have no body and must not have a length.
        if let contentLength, status >= 200, status != 204 {
            if contentLength == 0 {
                output.append(contentsOf: "Content-Length: 0\r\n")
            } else {
                output.append(contentsOf: "Content-Length: ")
                output.append(decimal: contentLength)
                output.append(contentsOf: "\r\n")
            }
        }
        switch persistence {
        case .implied: break
        case .keepAlive: output.append(contentsOf: "Connection: keep-alive\r\n")
        case .close: output.append(contentsOf: "Connection: close\r\n")
        }
        output.append(.carriageReturn)
        output.append(.lineFeed)
    }

    /// The phrase is never empty, because some clients take an empty one for a broken answer.
    package static func reasonPhrase(of status: Int) -> StaticString {
        switch status {
        case 101: "Switching Protocols"
        case 200: "OK"
        case 201: "Created"
        case 202: "Accepted"
        case 204: "No Content"
        case 301: "Moved Permanently"
        case 303: "See Other"
        case 304: "Not Modified"
        case 307: "Temporary Redirect"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 410: "Gone"
        case 411: "Length Required"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 415: "Unsupported Media Type"
        case 417: "Expectation Failed"
        case 421: "Misdirected Request"
        case 426: "Upgrade Required"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 503: "Service Unavailable"
        case 505: "HTTP Version Not Supported"
        default: "Status"
        }
    }
}
