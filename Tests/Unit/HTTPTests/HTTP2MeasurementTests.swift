import Foundation
import Testing

@testable import HTTP

/// Prints figures and checks nothing: `BELLWIRE_MEASURE=1 swift test -c release -Xswiftc
/// -enable-testing`.
@Suite(
    "The cost of HTTP/2",
    .enabled(if: ProcessInfo.processInfo.environment["BELLWIRE_MEASURE"] != nil), .serialized)
struct HTTP2MeasurementTests {
    /// The request of an application server, as in the measurement of HTTP/1.1.
    private static func push(_ client: HTTP2Client) {
        let path = "/wpush/v2/gAAAAABlZ2h0aGlzaXNhdG9rZW5vZmFib3V0ZWlnaHR5Ynl0ZXNpbmxlbmd0aA"
        let token = String(repeating: "eyJ0", count: 45)
        client.post(
            path, [UInt8](repeating: 1, count: 200),
            [
                ("user-agent", "web-push"), ("ttl", "2419200"), ("content-encoding", "aes128gcm"),
                ("authorization", "vapid t=\(token), k=\(String(repeating: "BD3s", count: 22))"),
            ])
    }

    private static func serve(_ input: [UInt8], _ session: HTTP2Session) -> Int {
        var position = 0
        var answered = 0
        while true {
            switch session.next(in: input.span, from: &position, at: .zero) {
            case .body(let stream, let range): session.consumed(range.count, on: stream)
            case .end(let stream):
                var head = ResponseHead(status: 201)
                head.fields.append(
                    "Location", "https://push.example.org/m/0123456789abcdef01234567")
                head.fields.append("TTL", "2419200")
                session.respond(to: stream, head)
                answered += 1
            case .needsMore, .failed: return answered
            default: break
            }
        }
    }

    @Test("A push of 200 bytes, one at a time or sixteen", arguments: [1, 16])
    func request(streams: Int) throws {
        // Recorded with a session that answers like the measured ones.
        let client = HTTP2Client()
        let recorder = try HTTP2Session(frameBuffers: HTTP2FrameBuffers(), at: .zero)
        let batches = (0..<20_000 / streams).map { _ in
            for _ in 0..<streams { Self.push(client) }
            let batch = client.output()
            var answer: [UInt8] = []
            _ = Self.serve(batch, recorder)
            recorder.produce(into: &answer, limit: 64 * 1024)
            client.receive(answer)
            return batch
        }
        var best = Duration.seconds(1000)
        for _ in 0..<5 {
            let session = try HTTP2Session(frameBuffers: HTTP2FrameBuffers(), at: .zero)
            var output: [UInt8] = []
            var answered = 0
            let time = ContinuousClock().measure {
                for batch in batches {
                    answered += Self.serve(batch, session)
                    output.removeAll(keepingCapacity: true)
                    session.produce(into: &output, limit: 64 * 1024)
                }
            }
            #expect(answered == batches.count * streams && session.openStreams == 0)
            best = min(best, time)
        }
        print("\(streams) streams: \(best / (batches.count * streams)) a request")
    }

    @Test("A session that served one request and rests", arguments: [4096, 0])
    func memory(headerTable: Int) throws {
        var settings = HTTP2Settings()
        settings.headerTableBytes = headerTable
        let client = HTTP2Client()
        Self.push(client)
        let input = client.output()
        let buffers = HTTP2FrameBuffers()
        var sessions: [HTTP2Session] = []
        sessions.reserveCapacity(5000)
        var (before, output) = (0, [UInt8]())
        for index in 0..<5200 {
            if index == 200 { before = try Self.privateDirtyKilobytes() }
            let session = try HTTP2Session(settings: settings, frameBuffers: buffers, at: .zero)
            #expect(Self.serve(input, session) == 1)
            output.removeAll(keepingCapacity: true)
            session.produce(into: &output, limit: 64 * 1024)
            _ = Self.serve([], session)
            session.rest()
            sessions.append(session)
        }
        let growth = try Self.privateDirtyKilobytes() - before
        print("header table \(headerTable): \(Double(growth) / 5000) KB a session")
        sessions.removeAll()
        #expect(buffers.slotsInUse == 0)
    }

    private static func privateDirtyKilobytes() throws -> Int {
        let rollup = try String(contentsOfFile: "/proc/self/smaps_rollup", encoding: .utf8)
        let line = rollup.split(separator: "\n").first { $0.hasPrefix("Private_Dirty") }
        let number = line?.split(separator: " ").dropFirst().first.flatMap { Int($0) }
        return try #require(number)
    }
}
