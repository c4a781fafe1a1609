import Base
package import System

/// What a client gets with one request. Its body is held in memory, so it has a limit.
package struct HTTPDownloadOptions: Sendable, Confidential {
    package var route: ClientRoute
    /// More fields of the request, such as Authorization.
    package var fields: [(name: String, value: String)] = []
    package var bodyLimit = 65_536

    package init(_ route: ClientRoute) { self.route = route }
}

/// Fetches one thing from a server by GET, over a connection of its own. Redirects are not followed.
///
/// The loop keeps it alive while it works. Everything runs on the thread of the loop.
package final class HTTPDownload {
    package typealias Outcome = Result<[UInt8], ClientFailure>

    private let limit: Int
    private var completion: ((Outcome) -> Void)?
    private weak var connection: ClientConnection?
    private var reader = HTTP1AnswerReader()
    private var body: HTTPAnswerBody?

    private init(_ limit: Int, _ completion: @escaping (Outcome) -> Void) {
        (self.limit, self.completion) = (limit, completion)
    }

    /// Calls `completion` once, with the body of an answer whose status is 200.
    @discardableResult
    package static func begin(
        _ options: HTTPDownloadOptions, on loop: EventLoop,
        then completion: @escaping (Outcome) -> Void
    ) -> HTTPDownload {
        let download = HTTPDownload(options.bodyLimit, completion)
        let connection = ClientConnection(
            options.route, on: loop, sending: request(options), download)
        download.connection = connection
        connection.start()
        return download
    }

    package var hasEnded: Bool { completion == nil }

    /// Gives up, unless it has ended.
    package func cancel() { connection?.cancel() }

    private static func request(_ options: HTTPDownloadOptions) -> [UInt8] {
        let url = options.route.url
        var lines = ["GET \(url.target) HTTP/1.1", "Host: \(url.authority)"]
        lines += options.fields.map { "\($0.name): \($0.value)" }
        return Array((lines + ["Connection: close", "", ""]).joined(separator: "\r\n").utf8)
    }
}

extension HTTPDownload: ClientConnectionHandler {
    func failed(_ failure: ClientFailure) {
        var failure = failure
        // Of a body without a length, that is the end.
        if case .lost(.upgrade) = failure, let bytes = body?.wholeAtEnd { return finish(bytes) }
        if body != nil, case .lost = failure { failure = .unreadableAnswer }
        completion.take()?(.failure(failure))
    }

    func received(_ input: Span<UInt8>, over connection: ClientConnection) -> Bool {
        do {
            guard let bytes = try read(input) else { return true }
            finish(bytes)
            connection.cancel()
        } catch let failure as ClientFailure {
            connection.fail(failure)
        } catch {
            connection.fail(.unreadableAnswer)
        }
        return false
    }

    /// The body, once it is whole.
    private func read(_ input: Span<UInt8>) throws -> [UInt8]? {
        guard body == nil else { return try body?.read(input) }
        guard let answer = try reader.read(input) else { return nil }
        guard answer.status == 200 else {
            throw ClientFailure.refused(
                status: answer.status, retryAfter: answer.retryAfter.map { .seconds($0) })
        }
        body = try HTTPAnswerBody(of: answer, limit: limit)
        return try body?.read(answer.rest.span)
    }

    private func finish(_ bytes: [UInt8]) { completion.take()?(.success(bytes)) }
}

/// The body of an answer: of a length, in chunks, or up to the end of the connection (RFC 9112 section
/// 6.3).
struct HTTPAnswerBody {
    enum Broken: Error { case badLength, tooLong, badChunk }

    private enum Rest {
        case bytes(Int)
        case untilEnd
        case chunkLine, chunk(Int), chunkEnd, trailers
    }

    /// Longer lines of chunks and trailers are refused.
    private static let lineLimit = 4_096

    private let limit: Int
    private var rest: Rest
    private var body: [UInt8] = []
    private var line: [UInt8] = []

    init(of answer: HTTP1AnswerReader.Answer, limit: Int) throws(Broken) {
        self.limit = limit
        if let coding = answer.fields.firstValue(of: "Transfer-Encoding") {
            let name = answer.fields.bytes.span.extracting(coding)
            guard name.equalsIgnoringCase("chunked"), !answer.fields.contains("Content-Length")
            else { throw .badLength }
            rest = .chunkLine
        } else if let digits = answer.fields.firstValue(of: "Content-Length") {
            guard let length = Int(decimalDigits: answer.fields.bytes.span.extracting(digits))
            else { throw .badLength }
            guard length <= limit else { throw .tooLong }
            rest = .bytes(length)
        } else {
            rest = .untilEnd
        }
    }

    /// The body, if the end of the connection is its end.
    var wholeAtEnd: [UInt8]? { if case .untilEnd = rest { body } else { nil } }

    /// The body, once it is whole. What follows it is ignored.
    mutating func read(_ input: Span<UInt8>) throws(Broken) -> [UInt8]? {
        var position = 0
        while true {
            switch rest {
            case .bytes(let count):
                let taken = take(count, of: input, &position)
                rest = .bytes(count - taken)
                return taken == count ? body : nil
            case .untilEnd:
                guard input.count - position <= limit - body.count else { throw .tooLong }
                _ = take(input.count - position, of: input, &position)
                return nil
            case .chunk(let count):
                let taken = take(count, of: input, &position)
                guard taken == count else {
                    rest = .chunk(count - taken)
                    return nil
                }
                rest = .chunkEnd
            case .chunkLine, .chunkEnd, .trailers:
                guard let line = try nextLine(input, &position) else { return nil }
                if try end(line) { return body }
            }
        }
    }

    private mutating func take(
        _ count: Int, of input: Span<UInt8>, _ position: inout Int
    ) -> Int {
        let end = position + min(count, input.count - position)
        body.append(contentsOf: input.extracting(position..<end))
        defer { position = end }
        return end - position
    }

    /// The next line with its end; nil if it is not whole yet.
    private mutating func nextLine(
        _ input: Span<UInt8>, _ position: inout Int
    ) throws(Broken) -> [UInt8]? {
        while position < input.count {
            line.append(input[position])
            position += 1
            guard line.count <= Self.lineLimit else { throw .badChunk }
            if line.last == .lineFeed { return exchange(&line, with: []) }
        }
        return nil
    }

    /// Returns whether the body has ended.
    private mutating func end(_ line: [UInt8]) throws(Broken) -> Bool {
        let isEmpty = line == [.carriageReturn, .lineFeed]
        switch rest {
        case .chunkLine:
            let size: Int
            do throws(HTTPRefusal) { size = try HTTP1ChunkLine(line.span).size } catch {
                throw .badChunk
            }
            guard size <= limit - body.count else { throw .tooLong }
            rest = size == 0 ? .trailers : .chunk(size)
        case .chunkEnd:
            guard isEmpty else { throw .badChunk }
            rest = .chunkLine
        default: return isEmpty
        }
        return false
    }
}
