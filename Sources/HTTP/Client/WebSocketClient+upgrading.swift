import Base
import Crypto
import System

/// The steps from a connection to an open WebSocket.
extension WebSocketClient {
    func startHandshake() {
        guard options.url.isEncrypted else { return startUpgrade() }
        begin(.handshake, within: options.patience.handshake)
        guard let plain = transport.take() else { return fail(.lost(.handshake)) }
        do throws(TLSError) {
            transport = try plain.encrypted(to: options.url.host, options.context)
        } catch {
            return fail(.brokenHandshake(error))
        }
        shakeHands()
    }

    func shakeHands() {
        switch transport?.clientHandshake() {
        case .done: startUpgrade()
        case .wantsRead: setInterest(.readable)
        case .wantsWrite: setInterest(.writable)
        case .failed(let error) where error.isCertificateRefusal: fail(.untrusted(error))
        case .failed(let error) where !error.isAbruptEnd: fail(.brokenHandshake(error))
        case .failed, .closed, nil: fail(.lost(.handshake))
        }
    }

    private func startUpgrade() {
        let key = (0..<WebSocketOpening.keyLength).map { _ in UInt8.random(in: .min ... .max) }
        let opening = WebSocketOpening(
            key: key.span, subprotocols: options.terms.subprotocols)
        begin(.upgrade(opening), within: options.patience.upgrade)
        send(
            opening.request(
                host: options.url.authority, target: options.url.target, fields: options.fields))
        exchange()
    }

    func send(_ request: [UInt8]) {
        output = request
        written = 0
        reader = HTTP1AnswerReader()
    }

    /// Writes the request and reads the answer.
    func exchange() {
        while written < output.count {
            switch transport?.write(output, from: written) {
            case .bytes(let count): written += count
            case .wantsRead: return setInterest(.readable)
            case .wantsWrite: return setInterest(.writable)
            case .closed, .failed, nil: return fail(.lost(stage.name))
            }
        }
        setInterest(.readable)
        var room = [4_096 of UInt8](repeating: 0)
        while true {
            var buffer = room.mutableSpan
            switch transport?.read(into: &buffer) {
            case .bytes(let count):
                guard read(room.span.extracting(0..<count)) else { return }
            case .wantsRead, .wantsWrite: return
            case .closed, .failed, nil: return fail(.lost(stage.name))
            }
        }
    }

    /// Returns whether to read on.
    private func read(_ input: Span<UInt8>) -> Bool {
        do throws(HTTP1AnswerReader.Broken) {
            guard let answer = try reader.read(input) else { return true }
            if case .upgrade(let opening) = stage { upgraded(answer, opening) }
        } catch {
            fail(.unreadableAnswer)
        }
        return false
    }

    private func upgraded(_ answer: HTTP1AnswerReader.Answer, _ opening: WebSocketOpening) {
        guard answer.status == 101, answer.isHTTP11 else {
            let retryAfter = answer.retryAfter.map { Duration.seconds($0) }
            return fail(.refused(status: answer.status, retryAfter: retryAfter))
        }
        var fields = WebSocketFields()
        answer.fields.forEach { fields.add(name: $0, value: $1) }
        do throws(WebSocketRefusal) {
            let subprotocol = try opening.subprotocol(answered: fields, status: answer.status)
            open(subprotocol, answer.rest)
        } catch {
            fail(.badAnswer(error))
        }
    }

    private func open(_ subprotocol: String?, _ rest: [UInt8]) {
        guard let transport = transport.take() else { return fail(.lost(.upgrade)) }
        // The loop may free this with its watch.
        defer { withExtendedLifetime(self) {} }
        if let watch { loop.unwatch(watch) }
        watch = nil
        guard let handler = end() else { return }
        let connection = HTTPConnection(transport, peer, HTTPService(forClientOn: loop))
        let socket = WebSocketConnection(
            options.terms, maskingKeys: { .random(in: .min ... .max) }, handler, on: connection)
        connection.start(socket, subprotocol: subprotocol, received: rest)
    }
}

extension HTTPService {
    /// The shared parts that the connection of a client needs: a read buffer and a send queue.
    convenience init(forClientOn loop: EventLoop) {
        self.init(
            on: loop, HTTPListenerTerms(), limits: Limits(), MemoryBudget(limit: 0),
            HandshakeDesk(on: loop, HandshakeLimits()), Unasked(), HTTPFigures(), report: { _ in },
            access: nil)
    }

    /// Never called: a client gets no requests.
    private final class Unasked: HTTPHandler {
        func bodyLimit(for head: borrowing RequestHead) -> Int { 0 }
        func handle(_ exchange: HTTPExchange) {}
        func answer(to refusal: HTTPRefusal) -> (ResponseHead, body: [UInt8]) {
            (ResponseHead(status: refusal.status), [])
        }
    }
}

/// Reads the head of an answer (RFC 9112 section 4), as strictly as requests are read.
struct HTTP1AnswerReader {
    struct Answer {
        let status: Int
        let isHTTP11: Bool
        let fields: HTTPFields
        /// The bytes after the head.
        let rest: [UInt8]

        /// The value of Retry-After in seconds; a date is ignored.
        var retryAfter: Int? {
            fields.firstValue(of: "Retry-After")
                .flatMap { Int(decimalDigits: Array(fields.bytes[$0]).span) }
        }
    }

    enum Broken: Error { case tooLong, malformed }

    private static let limit = 16 * 1024
    private static let fieldLimit = 100
    /// Interim answers to accept before the final one.
    private static let interimLimit = 8
    private var bytes: [UInt8] = []
    private var interimCount = 0

    /// Nil until the head is complete.
    mutating func read(_ input: Span<UInt8>) throws(Broken) -> Answer? {
        bytes.append(contentsOf: input)
        // The head can end only at a line feed, and is read again from its start.
        guard input.firstIndex(of: .lineFeed) != nil else {
            guard bytes.count < Self.limit else { throw .tooLong }
            return nil
        }
        while true {
            guard let answer = try whole() else {
                guard bytes.count < Self.limit else { throw .tooLong }
                return nil
            }
            // An interim answer, such as "100 Continue".
            guard answer.status < 200, answer.status != 101 else { return answer }
            interimCount += 1
            guard interimCount <= Self.interimLimit else { throw .tooLong }
            bytes = answer.rest
        }
    }

    private func whole() throws(Broken) -> Answer? {
        do throws(HTTPRefusal) {
            return try parse()
        } catch {
            throw .malformed
        }
    }

    private func parse() throws(HTTPRefusal) -> Answer? {
        let source = bytes.span
        guard let lineFeed = source.firstIndex(of: .lineFeed) else { return nil }
        let (status, isHTTP11) = try Self.statusLine(source.extracting(0..<lineFeed + 1))
        var fields = HTTPFields()
        var position = lineFeed + 1
        while position < source.count {
            if source[position] == .carriageReturn {
                guard
                    let end = try HTTP1FieldLine.endOfLine(
                        source, at: position, else: .badFieldName)
                else { return nil }
                fields.bytes = bytes
                return Answer(
                    status: status, isHTTP11: isHTTP11, fields: fields,
                    rest: source.array(end..<source.count))
            }
            guard let line = try HTTP1FieldLine(source, at: position) else { return nil }
            guard fields.count < Self.fieldLimit else { throw .tooManyFields }
            fields.addLine(name: line.name, value: line.value)
            position = line.end
        }
        return nil
    }

    /// `HTTP-version SP 3DIGIT [SP reason] CRLF`
    private static func statusLine(
        _ line: Span<UInt8>
    ) throws(HTTPRefusal) -> (status: Int, isHTTP11: Bool) {
        guard line.count >= 14, line.extracting(0..<7).elementsEqual("HTTP/1."), line[7].isDigit,
            line[8] == UInt8(ascii: " "),
            let status = Int(decimalDigits: line.extracting(9..<12)), status >= 100,
            line[12] == UInt8(ascii: " ") || line.count == 14,
            line[line.count - 2] == .carriageReturn
        else { throw .badRequestLine }
        return (status, line[7] != UInt8(ascii: "0"))
    }
}
