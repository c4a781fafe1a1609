import HTTP
import TestSupport
import Testing

@Suite("WebSocket session")
struct WebSocketSessionTests {
    static let ping: [UInt8] = [0x89, 0x00]

    @Test("A silent peer is pinged, and given up when it stays silent")
    func silence() {
        var endpoint = EchoEndpoint(role: .server)
        let start = endpoint.now
        #expect(endpoint.session.deadline == start + .seconds(240))
        endpoint.elapse(to: start + .seconds(239), expecting: nil)
        #expect(endpoint.output.isEmpty)
        endpoint.elapse(to: start + .seconds(240), expecting: nil)
        #expect(endpoint.output == Self.ping)
        #expect(endpoint.session.deadline == start + .seconds(260))
        endpoint.elapse(to: start + .seconds(259), expecting: nil)
        #expect(endpoint.output == Self.ping)
        endpoint.elapse(to: start + .seconds(260), expecting: .silent)
    }

    @Test(
        "Any byte is a sign of life",
        arguments: [
            ConformanceFrame.pong("").bytes(masked: true),
            ConformanceFrame.text("x").bytes(masked: true),
            [0x81],
        ])
    func signOfLife(bytes: [UInt8]) {
        var endpoint = EchoEndpoint(role: .server)
        let start = endpoint.now
        endpoint.elapse(to: start + .seconds(240), expecting: nil)
        endpoint.now = start + .seconds(250)
        endpoint.receive(bytes)
        #expect(endpoint.session.deadline == start + .seconds(490))
        endpoint.elapse(to: start + .seconds(270), expecting: nil)
    }

    @Test("After its close frame a side sends nothing more but gets messages until the answer")
    func asking() {
        var endpoint = EchoEndpoint(role: .server)
        endpoint.session.close(
            WebSocketClose(code: .goingAway), at: endpoint.now, to: &endpoint.output)
        let asked = ConformanceFrame.close(1001).bytes(masked: false)
        #expect(endpoint.output == asked)
        #expect(!endpoint.session.isOpen)
        endpoint.receive(ConformanceFrame.ping("p").bytes(masked: true))
        endpoint.receive(ConformanceFrame.text("t").bytes(masked: true))
        let isSent = endpoint.session.send(.text, Self.ping.span, to: &endpoint.output)
        #expect(!isSent)
        endpoint.session.close(
            WebSocketClose(code: .normal), at: endpoint.now, to: &endpoint.output)
        #expect(endpoint.output == asked)
        #expect(endpoint.end == nil)
        endpoint.receive(ConformanceFrame.close(1001).bytes(masked: true))
        #expect(endpoint.output == asked)
        #expect(endpoint.end == .closed(WebSocketClose(code: .goingAway)))
    }

    @Test("Pings wait while pongs are held, the newest of them, and later ones do not")
    func heldPongs() {
        func pong(_ payload: String) -> [UInt8] {
            ConformanceFrame.pong(payload).bytes(masked: false)
        }
        var endpoint = EchoEndpoint(role: .server)
        endpoint.session.holdPongs()
        for payload in ["a", "b"] {
            endpoint.receive(ConformanceFrame.ping(payload).bytes(masked: true))
        }
        #expect(endpoint.output.isEmpty)
        endpoint.session.releasePong(to: &endpoint.output)
        #expect(endpoint.output == pong("b"))
        endpoint.receive(ConformanceFrame.ping("c").bytes(masked: true))
        #expect(endpoint.output == pong("b") + pong("c"))
        endpoint.session.releasePong(to: &endpoint.output)
        #expect(endpoint.output == pong("b") + pong("c"))
    }

    @Test("A close that is not answered ends after its time")
    func unanswered() {
        var endpoint = EchoEndpoint(role: .client)
        let start = endpoint.now
        endpoint.session.close(WebSocketClose(code: .normal), at: start, to: &endpoint.output)
        #expect(endpoint.session.deadline == start + .seconds(10))
        endpoint.elapse(to: start + .seconds(9), expecting: nil)
        endpoint.elapse(to: start + .seconds(10), expecting: .unanswered)
    }

    @Test("After the end every byte is ignored")
    func afterTheEnd() {
        var endpoint = EchoEndpoint(role: .server)
        endpoint.receive(ConformanceFrame.close(1000).bytes(masked: true))
        let output = endpoint.output
        endpoint.end = nil
        endpoint.receive(ConformanceFrame(15).bytes(masked: true))
        endpoint.receive(ConformanceFrame.text("late").bytes(masked: true))
        #expect(endpoint.output == output)
        #expect(endpoint.end == nil)
    }

    @Test("A failure while closing is reported only once")
    func failureWhileClosing() {
        var endpoint = EchoEndpoint(role: .server)
        endpoint.session.close(
            WebSocketClose(code: .normal), at: endpoint.now, to: &endpoint.output)
        let output = endpoint.output
        endpoint.receive(ConformanceFrame(15).bytes(masked: true))
        #expect(endpoint.output == output)
        #expect(endpoint.end == .failed(.reservedOpcode))
    }

    @Test("Back-pressure pauses above the high mark, resumes at the low one, and cuts at the limit")
    func backPressure() {
        var pressure = BackPressure(low: 10, high: 100, limit: 1000)
        let steps: [(Int, BackPressure.Signal?)] = [
            (0, nil), (100, nil), (101, .pause), (500, nil), (11, nil), (10, .resume), (5, nil),
            (1000, .pause), (1001, .cut),
        ]
        for (bytes, signal) in steps {
            let answer = pressure.buffered(bytes)
            #expect(answer == signal, "\(bytes)")
        }
    }
}

extension EchoEndpoint {
    fileprivate mutating func elapse(to time: Duration, expecting expected: WebSocketEnd?) {
        now = time
        let end = session.elapsed(at: time, output: &output)
        #expect(end == expected)
    }
}
