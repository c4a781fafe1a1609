import Base
package import Crypto
import Foundation
package import HTTP
package import System

/// A request as the receiver of a callback gets it.
package struct HookRequest: Sendable {
    package let path: String
    package let version: HTTPVersion
    /// By lower-case name.
    package let fields: [String: String]
    package let body: [UInt8]

    package var text: String { String(decoding: body, as: UTF8.self) }
    package var id: String { fields["webhook-id"] ?? "" }
}

package struct HookAnswer: Sendable {
    package var status = 200
    package var fields: [(String, String)] = []
    package var body: [UInt8] = []
    /// The request gets no answer.
    package var isNever = false

    package init(_ status: Int = 200, _ fields: [(String, String)] = [], body: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// Confirms a challenge.
    package static func confirming(_ request: HookRequest, _ status: Int = 200) -> HookAnswer {
        let challenge = request.fields["webhook-challenge"]
        return HookAnswer(status, challenge.map { [("webhook-challenge", $0)] } ?? [])
    }

    package static let never: HookAnswer = {
        var answer = HookAnswer()
        answer.isNever = true
        return answer
    }()
}

/// A receiver of callbacks: an HTTP server on one loop that records requests and ends with the
/// test.
// Unchecked: its mutable state is used only under the lock of the condition.
package final class HookServer: @unchecked Sendable {
    package typealias Answer = @Sendable (HookRequest) -> HookAnswer

    private let condition = NSCondition()
    private var seen: [HookRequest] = []
    private var answer: Answer
    private var server: HTTPServer?
    private var handler: Handler?
    package private(set) var address = SocketAddress.unix(path: "")

    package init(
        at address: SocketAddress? = SocketAddress("127.0.0.1:0"),
        certificates: CertificateStore? = nil,
        _ answer: @escaping Answer = { HookAnswer.confirming($0) }
    ) throws {
        guard let address else { throw POSIXError(.EADDRNOTAVAIL) }
        self.answer = answer
        var made: Handler?
        let server = try HTTPServer(loops: 1) { _ in
            let handler = Handler(self)
            made = handler
            return handler
        }
        let socket: ListeningSocket
        switch address {
        case .ip: socket = try .tcp(address)
        case .unix(let path): socket = try .unix(path: path, mode: 0o666)
        }
        self.address = try server.listen(
            on: socket, HTTPListenerTerms(certificates: certificates)
        ).address
        self.server = server
        handler = made
        try server.start(name: "hook")
    }

    deinit { end() }

    package func end() {
        server?.drain(within: .zero)
        _ = server?.join()
        server = nil
        handler?.waiting = []
    }

    package var port: UInt16 {
        if case .ip(_, let port) = address { port } else { 0 }
    }

    package var requests: [HookRequest] { condition.withLock { seen } }

    package func reply(_ answer: @escaping Answer) { condition.withLock { self.answer = answer } }

    /// Waits for that many requests; returns all, or fewer if the time is over.
    package func requests(_ count: Int, within seconds: Double = 20) -> [HookRequest] {
        condition.withLock {
            let deadline = Date(timeIntervalSinceNow: seconds)
            while seen.count < count, condition.wait(until: deadline) {}
            return seen
        }
    }

    fileprivate func record(_ request: HookRequest) -> HookAnswer {
        let answer = condition.withLock {
            seen.append(request)
            condition.broadcast()
            return self.answer
        }
        return answer(request)
    }

    private final class Handler: HTTPHandler {
        private unowned let server: HookServer
        var waiting: [HTTPExchange] = []

        init(_ server: HookServer) { self.server = server }

        func bodyLimit(for head: borrowing RequestHead) -> Int { 1 << 20 }

        func handle(_ exchange: HTTPExchange) {
            let head = exchange.head
            var fields: [String: String] = [:]
            for index in 0..<head.fields.count {
                let name = head.text(head.fields.name(at: index)).lowercased()
                fields[name] = head.text(head.fields.value(at: index))
            }
            let answer = server.record(
                HookRequest(
                    path: head.text(head.path), version: head.version, fields: fields,
                    body: exchange.body))
            guard !answer.isNever else { return waiting.append(exchange) }
            var response = exchange.answer(answer.status)
            for (name, value) in answer.fields {
                switch name {
                case "webhook-challenge": response.fields.append("webhook-challenge", value)
                case "location": response.fields.append("location", value)
                default: response.fields.append("retry-after", value)
                }
            }
            exchange.respond(response, body: answer.body)
        }

        func answer(to refusal: HTTPRefusal) -> (ResponseHead, body: [UInt8]) {
            (ResponseHead(status: refusal.status), [])
        }
    }
}
