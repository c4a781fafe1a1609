import Reactor
import TLS

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
        let words = (0..<WebSocketOpening.keyLength / 4).map { _ in options.random() }
        let key = words.flatMap { word in
            (0..<4).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) }
        }
        let opening: WebSocketOpening
        do throws(Fault) {
            let sha1 = options.terms.sha1
            opening = try WebSocketOpening(key: key.span, subprotocols: options.terms.subprotocols)
            {
                key throws(Fault) in
                guard let digest = sha1(key) else { throw Fault() }
                return digest
            }
        } catch {
            return fail(.cancelled)
        }
        begin(.upgrade(opening), within: options.patience.upgrade)
        send(
            opening.request(
                host: options.url.authority, target: options.url.target, fields: options.fields))
        exchange()
    }

    private struct Fault: Error {}

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
            options.terms, maskingKeys: options.random, handler, on: connection)
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
