import HTTP
import TestSupport
import Testing

@Suite("WebSocket decoder")
struct WebSocketDecoderTests {
    /// Payloads as bytes, so that payloads in place and collected ones compare equal.
    enum Seen: Equatable {
        case message(WebSocketOpcode, [UInt8])
        case close(WebSocketClose)
        case failed(WebSocketFailure)
    }

    static func decode(
        _ pieces: [[UInt8]], role: WebSocketRole, messageLimit: Int = 1 << 20
    ) -> [Seen] {
        var decoder = WebSocketDecoder(role: role, messageLimit: messageLimit)
        var seen: [Seen] = []
        for piece in pieces {
            var buffer = piece
            var position = 0
            do throws(WebSocketFailure) {
                while true {
                    var span = buffer.mutableSpan
                    guard let event = try decoder.next(in: &span, at: &position) else { break }
                    seen.append(Self.seen(event, in: buffer))
                }
            } catch {
                return seen + [.failed(error)]
            }
            #expect(position == buffer.count)
        }
        return seen
    }

    private static func seen(_ event: WebSocketEvent, in buffer: [UInt8]) -> Seen {
        func bytes(_ payload: WebSocketPayload) -> [UInt8] {
            payload.withSpan(in: buffer.span) { span in span.indices.map { span[$0] } }
        }
        return switch event {
        case .text(let payload): .message(.text, bytes(payload))
        case .binary(let payload): .message(.binary, bytes(payload))
        case .ping(let payload): .message(.ping, bytes(payload))
        case .pong(let payload): .message(.pong, bytes(payload))
        case .close(let close): .close(close)
        }
    }

    static let corpus = ConformanceCase.all.filter { testCase in
        testCase.sends.reduce(0) { $0 + $1.payload.count } <= 300
    }

    @Test(
        "Where the bytes are cut changes nothing", arguments: corpus,
        [WebSocketRole.server, .client])
    func cutAnywhere(testCase: ConformanceCase, role: WebSocketRole) {
        let bytes = testCase.pieces(masked: role == .server).flatMap(\.self)
        let whole = Self.decode([bytes], role: role)
        #expect(!whole.isEmpty)
        for cut in 0...bytes.count {
            let pieces = [Array(bytes[..<cut]), Array(bytes[cut...])]
            #expect(Self.decode(pieces, role: role) == whole, "cut at \(cut)")
        }
        #expect(Self.decode(bytes.map { [$0] }, role: role) == whole, "byte by byte")
    }

    @Test("A failed decoder stays failed")
    func staysFailed() {
        var decoder = WebSocketDecoder(role: .client, messageLimit: 10)
        for var bytes in [[0xF1], ConformanceFrame.text("x").bytes(masked: false)] {
            var position = 0
            var span = bytes.mutableSpan
            var failure: WebSocketFailure?
            do throws(WebSocketFailure) {
                _ = try decoder.next(in: &span, at: &position)
            } catch {
                failure = error
            }
            #expect(failure == .reservedBits)
        }
    }

    @Test("A message that lies whole in the buffer is not copied")
    func inPlace() throws {
        var decoder = WebSocketDecoder(role: .server, messageLimit: 10)
        var bytes = ConformanceFrame.text("Hello").bytes(masked: true)
        var position = 0
        var span = bytes.mutableSpan
        let event = try decoder.next(in: &span, at: &position)
        #expect(event == .text(.inPlace(6..<11)))
        #expect(Array(bytes[6...]) == Array("Hello".utf8))
    }

    @Test(
        "A message may be exactly as long as the limit",
        arguments: [0, 1, 125, 126, 65535, 65536])
    func limit(length: Int) {
        let frame = ConformanceFrame(2, [UInt8](repeating: 1, count: length))
        let over = ConformanceFrame(2, [UInt8](repeating: 1, count: length + 1))
        let bytes = frame.bytes(masked: true)
        #expect(
            Self.decode([bytes], role: .server, messageLimit: length)
                == [.message(.binary, frame.payload)])
        // The header alone is enough.
        let header = Array(over.bytes(masked: true).dropLast(length + 1))
        #expect(
            Self.decode([header], role: .server, messageLimit: length)
                == [.failed(.messageTooBig)])
    }

    @Test(
        "Each broken rule has its own name",
        arguments: [
            (ConformanceFrame.ping("").with { $0.reserved = 1 }, WebSocketFailure.reservedBits),
            (ConformanceFrame(3), .reservedOpcode),
            (ConformanceFrame.ping("").with { $0.isFinal = false }, .fragmentedControl),
            (ConformanceFrame(10, [UInt8](repeating: 0, count: 126)), .longControl),
            (ConformanceFrame(2).with { $0.lengthForm = .twoBytes }, .longLengthForm),
            (ConformanceFrame(2).with { $0.lengthForm = .claiming(1 << 63) }, .lengthTopBit),
            (ConformanceFrame.more(""), .unexpectedContinuation),
            (ConformanceFrame(8, [3]), .shortClose),
            (ConformanceFrame.close(1005), .closeCode(1005)),
            (ConformanceFrame.close(1000, [0xFF]), .reasonEncoding),
            (ConformanceFrame(1, [0xFF]), .textEncoding),
        ])
    func words(frame: ConformanceFrame, failure: WebSocketFailure) {
        for role in WebSocketRole.allCases {
            let bytes = frame.bytes(masked: role == .server)
            #expect(Self.decode([bytes], role: role) == [.failed(failure)])
        }
    }

    @Test("A client must mask, and a server must not")
    func masking() {
        let bytes = ConformanceFrame.text("x")
        #expect(
            Self.decode([bytes.bytes(masked: false)], role: .server)
                == [.failed(.unmaskedByClient)])
        #expect(
            Self.decode([bytes.bytes(masked: true)], role: .client)
                == [.failed(.maskedByServer)])
    }
}
