@testable import HTTP

/// Our session, with all its events, and a way to answer at once.
struct HTTP2Server {
    enum Entry: Equatable {
        case head(Int32, Transcript.Head)
        case continueExpected(Int32)
        /// Consecutive pieces of one body are joined.
        case body(Int32, [UInt8])
        case end(Int32)
        case refused(Int32, HTTPRefusal)
        case lingering(Int32)
        case closed(Int32, HTTP2ErrorCode)
        case leaving
        case failed(HTTP2Failure)
    }

    let session: HTTP2Session
    private(set) var entries: [Entry] = []
    var now = Duration.zero
    /// Called for each complete or refused request.
    var answers: ((HTTP2Session, Int32) -> Void)?
    var consumesBodies = true
    var bodyLimit: Int?

    init(
        limits: HTTPLimits = HTTPLimits(), settings: HTTP2Settings = HTTP2Settings(),
        floods: HTTP2FloodLimits = HTTP2FloodLimits(),
        frameBuffers: HTTP2FrameBuffers = HTTP2FrameBuffers()
    ) throws {
        session = try HTTP2Session(
            limits: limits, settings: settings, floods: floods, frameBuffers: frameBuffers,
            at: .zero)
    }

    /// Answers each request with `status` and no body.
    mutating func answerAll(_ status: Int = 201, body: [UInt8] = []) {
        answers = { session, stream in
            session.respond(to: stream, ResponseHead(status: status), body: body)
        }
    }

    mutating func receive(_ input: [UInt8]) {
        var position = 0
        while true {
            let event = session.next(in: input.span, from: &position, at: now)
            switch event {
            case .needsMore: return
            case .failed(let failure):
                if self.failure == nil { entries.append(.failed(failure)) }
                return
            default: note(event, input)
            }
        }
    }

    mutating func output(limit: Int = .max) -> [UInt8] {
        var output: [UInt8] = []
        session.produce(into: &output, limit: limit)
        receive([])
        return output
    }

    /// Passes bytes between both sides until neither has more.
    mutating func talk(with client: HTTP2Client) {
        for _ in 0..<1000 {
            let sent = client.output()
            receive(sent)
            let answer = output(limit: 64 * 1024)
            client.receive(answer)
            if sent.isEmpty, answer.isEmpty { return }
        }
        preconditionFailure("the two sides never stop sending")
    }

    var failure: HTTP2Failure? {
        if case .failed(let failure) = entries.last { failure } else { nil }
    }

    var heads: [Transcript.Head] {
        entries.compactMap { if case .head(_, let head) = $0 { head } else { nil } }
    }

    var refusals: [HTTPRefusal] {
        entries.compactMap { if case .refused(_, let refusal) = $0 { refusal } else { nil } }
    }

    func body(of stream: Int32) -> [UInt8] {
        entries.flatMap { entry -> [UInt8] in
            if case .body(stream, let bytes) = entry { bytes } else { [] }
        }
    }

    private mutating func note(_ event: HTTP2Event, _ input: [UInt8]) {
        switch event {
        case .head(let stream):
            entries.append(.head(stream, Transcript.Head(session.head)))
            if let bodyLimit { session.setBodyLimit(bodyLimit, on: stream) }
        case .continueExpected(let stream):
            entries.append(.continueExpected(stream))
            session.respondContinue(to: stream)
        case .body(let stream, let range):
            append(Array(input[range]), stream)
            if consumesBodies { session.consumed(range.count, on: stream) }
        case .end(let stream):
            entries.append(.end(stream))
            answers?(session, stream)
        case .refused(let stream, let refusal):
            entries.append(.refused(stream, refusal))
            if answers != nil {
                session.respond(to: stream, ResponseHead(status: refusal.status))
            }
        case .lingering(let stream): entries.append(.lingering(stream))
        case .closed(let stream, let code): entries.append(.closed(stream, code))
        case .leaving: entries.append(.leaving)
        case .needsMore, .failed: break
        }
    }

    private mutating func append(_ piece: [UInt8], _ stream: Int32) {
        if case .body(stream, let bytes) = entries.last {
            entries[entries.count - 1] = .body(stream, bytes + piece)
        } else {
            entries.append(.body(stream, piece))
        }
    }
}
