import HTTP
import TestSupport
import Testing

@Suite("WebSocket conformance")
struct WebSocketConformanceTests {
    @Test("The server echoes, refuses and closes as RFC 6455 says", arguments: ConformanceCase.all)
    func server(testCase: ConformanceCase) {
        var endpoint = EchoEndpoint(role: .server)
        endpoint.run(testCase)
        endpoint.expect(testCase)
    }

    @Test("The client echoes, refuses and closes as RFC 6455 says", arguments: ConformanceCase.all)
    func client(testCase: ConformanceCase) {
        var endpoint = EchoEndpoint(role: .client)
        endpoint.run(testCase)
        endpoint.expect(testCase)
    }

    @Test("The table has at least 200 cases, each with a name of its own")
    func table() {
        #expect(ConformanceCase.all.count >= 200)
        #expect(Set(ConformanceCase.all.map(\.name)).count == ConformanceCase.all.count)
    }
}

extension EchoEndpoint {
    mutating func run(_ testCase: ConformanceCase) {
        for piece in testCase.pieces(masked: role == .server) { receive(piece) }
    }

    func expect(_ testCase: ConformanceCase) {
        var frames: [ConformanceFrame] = []
        var rest = output[...]
        while let (frame, masked) = ConformanceFrame.take(from: &rest) {
            #expect(masked == (role == .client))
            frames.append(frame)
        }
        #expect(rest.isEmpty)
        let last = frames.popLast()
        #expect(frames == testCase.expected)
        switch testCase.ending {
        case .closed(let code):
            #expect(last == .close(code))
            guard case .closed = end else {
                Issue.record("ended with \(String(describing: end))")
                return
            }
        case .failed(let codes):
            guard case .failed(let failure) = end else {
                Issue.record("ended with \(String(describing: end))")
                return
            }
            #expect(codes.contains(failure.code.rawValue))
            #expect(last == .close(failure.code.rawValue, Array(failure.word.utf8)))
        }
    }
}
