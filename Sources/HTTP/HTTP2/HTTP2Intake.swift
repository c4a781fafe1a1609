/// Turns the calls of nghttp2 into events.
///
/// nghttp2 holds an unretained pointer to it; the session that owns it outlives nghttp2's session.
/// Exclusivity checks are off: no access lasts while nghttp2 runs, and they cost a tenth of a
/// request.
final class HTTP2Intake {
    @exclusivity(unchecked) var reader: HTTP2HeadReader
    @exclusivity(unchecked) var exchanges: [HTTP2Exchange] = []
    @exclusivity(unchecked) var floodGuard: HTTP2FloodGuard
    @exclusivity(unchecked) private(set) var failure: HTTP2Failure?
    /// A callback sets it.
    @exclusivity(unchecked) private var flood: HTTP2Flood?
    /// The time of the last call from outside.
    @exclusivity(unchecked) var now: Duration

    /// Where the bytes begin that nghttp2 is reading, and their offset in the caller's input.
    @exclusivity(unchecked) var piece: (start: UnsafePointer<UInt8>, offset: Int)?
    /// The current frame has brought data of a body.
    @exclusivity(unchecked) var hasBody = false

    private let bodyLimit: Int
    @exclusivity(unchecked) private var events: [HTTP2Event] = []
    @exclusivity(unchecked) private var nextEvent = 0

    init(limits: HTTPLimits, floods: HTTP2FloodLimits, at now: Duration) {
        reader = HTTP2HeadReader(limits: limits)
        bodyLimit = limits.bodyBytes
        floodGuard = HTTP2FloodGuard(limits: floods, at: now)
        self.now = now
    }

    func takeEvent() -> HTTP2Event? {
        guard nextEvent < events.count else { return nil }
        let event = events[nextEvent]
        nextEvent += 1
        if nextEvent == events.count {
            events.removeAll(keepingCapacity: true)
            nextEvent = 0
        }
        return event
    }

    /// The session asks for it when nghttp2 has returned, and fails if there is one.
    func takeFlood() -> HTTP2Flood? {
        defer { flood = nil }
        return flood
    }

    /// The first failure counts, and no event follows it.
    func fail(_ failure: HTTP2Failure) {
        guard self.failure == nil else { return }
        self.failure = failure
        events = []
        nextEvent = 0
        exchanges = []
    }

    /// Frees what only a busy connection needs.
    func rest() {
        if exchanges.isEmpty { exchanges = [] }
        if events.isEmpty { events = [] }
        _ = reader.takeHead()
    }
}

/// What nghttp2 calls while it reads.
extension HTTP2Intake {
    /// A header block is complete. Returns, like the next two, whether the stream is malformed.
    func finishHead(_ stream: HTTP2StreamID, endsStream: Bool) -> Bool {
        reader.finish(endsStream: endsStream)
        guard !reader.isMalformed else { return true }
        let length = reader.refusal == nil ? reader.head.contentLength : nil
        guard !endsStream || length ?? 0 == 0 else { return true }
        exchanges.append(
            HTTP2Exchange(
                stream: stream, isHead: reader.head.method == .head, bodyLeft: bodyLimit,
                announcedLeft: length, dropsBody: reader.refusal != nil,
                isRequestWhole: endsStream))
        if let refusal = reader.refusal {
            emit(.refused(stream, refusal))
        } else {
            emit(.head(stream))
            if endsStream { emit(.end(stream)) }
        }
        return false
    }

    /// Trailers end the request (RFC 9113 section 8.1).
    func finishTrailers(_ stream: HTTP2StreamID, endsStream: Bool) -> Bool {
        guard endsStream, !reader.isMalformed else { return drop(stream) }
        if let refusal = reader.refusal { refuse(stream, refusal) }
        return endRequest(stream)
    }

    func endRequest(_ stream: HTTP2StreamID) -> Bool {
        guard let index = exchanges.index(of: stream), !exchanges[index].isRequestWhole else {
            return false
        }
        exchanges[index].isRequestWhole = true
        if exchanges[index].dropsBody { return false }
        guard exchanges[index].announcedLeft ?? 0 == 0 else { return drop(stream) }
        emit(.end(stream))
        return false
    }

    /// A malformed request brings no further event but its end.
    private func drop(_ stream: HTTP2StreamID) -> Bool {
        if let index = exchanges.index(of: stream) { exchanges[index].dropsBody = true }
        return true
    }

    /// Returns whether the bytes were passed on; otherwise nobody will call `consumed` for them.
    func receive(_ body: UnsafeBufferPointer<UInt8>, _ stream: HTTP2StreamID) -> Bool {
        hasBody = true
        guard let piece, let start = body.baseAddress, let index = exchanges.index(of: stream),
            !exchanges[index].dropsBody
        else { return false }
        guard body.count <= exchanges[index].bodyLeft else {
            refuse(stream, .bodyTooLarge)
            return false
        }
        exchanges[index].bodyLeft -= body.count
        if let announced = exchanges[index].announcedLeft {
            exchanges[index].announcedLeft = announced - body.count
        }
        let first = piece.offset + (start - piece.start)
        emit(.body(stream, first..<first + body.count))
        return true
    }

    func refuse(_ stream: HTTP2StreamID, _ refusal: HTTPRefusal) {
        guard let index = exchanges.index(of: stream), !exchanges[index].dropsBody else { return }
        exchanges[index].dropsBody = true
        emit(.refused(stream, refusal))
    }

    /// The whole answer was sent.
    func finishAnswer(_ stream: HTTP2StreamID) {
        guard let index = exchanges.index(of: stream), !exchanges[index].isRequestWhole else {
            return
        }
        emit(.lingering(stream))
    }

    func readAnswer(
        of stream: HTTP2StreamID, into output: UnsafeMutableRawBufferPointer
    ) -> HTTP2BodyPiece {
        guard let index = exchanges.index(of: stream) else { return .none }
        return exchanges[index].read(into: output)
    }

    func leave() { emit(.leaving) }

    func close(_ stream: HTTP2StreamID, _ code: HTTP2ErrorCode) {
        guard let index = exchanges.index(of: stream) else { return }
        exchanges.remove(at: index)
        emit(.closed(stream, code))
    }

    /// We reset a stream because of its peer.
    func countReset() {
        do throws(HTTP2Flood) {
            try floodGuard.resetStream(at: now)
        } catch {
            flood = error
        }
    }

    private func emit(_ event: HTTP2Event) {
        if failure == nil { events.append(event) }
    }
}
