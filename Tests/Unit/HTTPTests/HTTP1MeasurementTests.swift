import Foundation
import Testing

@testable import HTTP

/// Prints figures and checks nothing: `BELLWIRE_MEASURE=1 swift test -c release -Xswiftc
/// -enable-testing`.
@Suite(
    "The cost of HTTP/1.1",
    .enabled(if: ProcessInfo.processInfo.environment["BELLWIRE_MEASURE"] != nil), .serialized)
struct HTTP1MeasurementTests {
    /// The request of an application server, with a signature of usual length.
    static let push =
        """
        POST /wpush/v2/gAAAAABlZ2h0aGlzaXNhdG9rZW5vZmFib3V0ZWlnaHR5Ynl0ZXNpbmxlbmd0aA HTTP/1.1\r
        Host: push.example.org\r
        User-Agent: web-push\r
        TTL: 2419200\r
        Content-Encoding: aes128gcm\r
        Authorization: vapid t=\(String(repeating: "eyJ0", count: 45)), k=\(String(repeating: "BD3s", count: 22))\r
        Content-Length: 200\r
        \r

        """

    @Test("A push of 200 bytes on a persistent connection")
    func parse() {
        let input = Array((Self.push + String(repeating: "x", count: 200)).utf8)
        var parser = HTTP1Parser()
        var ended = 0
        let time = Self.shortest(of: 200_000) {
            var position = 0
            loop: while true {
                switch parser.next(in: input.span, from: &position) {
                case .end: ended += 1
                case .needsMore, .refused: break loop
                default: break
                }
            }
        }
        #expect(ended == parser.requestCount && ended > 0)
        print(
            "request with a head of \(Self.push.utf8.count) bytes: \(time) ns;",
            "parser \(MemoryLayout<HTTP1Parser>.size) B, head \(MemoryLayout<RequestHead>.size) B,",
            "connection \(MemoryLayout<HTTP1Connection>.size) B")
    }

    @Test("An answer with Location and TTL")
    func answer() {
        var output: [UInt8] = []
        var head = ResponseHead(status: 201)
        let time = Self.shortest(of: 200_000) {
            head.fields.removeAll()
            head.fields.append("Location", "https://push.example.org/m/0123456789abcdef01234567")
            head.fields.append("TTL", "2419200")
            output.removeAll(keepingCapacity: true)
            head.appendHTTP1(to: &output, contentLength: 0, .implied)
        }
        #expect(!output.isEmpty)
        print("answer of \(output.count) bytes: \(time) ns")
    }

    /// Nanoseconds per call, the best of five rounds.
    private static func shortest(of count: Int, _ body: () -> Void) -> Int {
        let clock = ContinuousClock()
        let round = (0..<5).map { _ in clock.measure { for _ in 0..<count { body() } } }.min()
        return Int((round ?? .zero) / .nanoseconds(1)) / count
    }
}
