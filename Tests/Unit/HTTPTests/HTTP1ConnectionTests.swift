import Testing

@testable import HTTP

@Suite("The life of an HTTP/1.1 connection")
struct HTTP1ConnectionTests {
    private func head(_ text: String) -> RequestHead {
        var parser = HTTP1Parser()
        var position = 0
        let bytes = Array(text.utf8)
        #expect(parser.next(in: bytes.span, from: &position) == .head)
        return parser.head
    }

    private func answering(
        _ text: String = get(), patience: HTTP1Patience = HTTP1Patience()
    ) -> HTTP1Connection {
        var connection = HTTP1Connection(patience: patience, at: .zero)
        connection.requestBegan(at: .zero)
        connection.headRead(head(text), at: .zero)
        connection.requestEnded()
        return connection
    }

    @Test("Requests follow each other until the client ends them or the limit is reached")
    func keepAlive() {
        var patience = HTTP1Patience()
        patience.requestCount = 2
        var connection = answering(patience: patience)
        #expect(connection.persistence == .implied)
        let continuation = connection.answered(hasUnreadInput: false, at: .seconds(1))
        #expect(continuation == .nextRequest)
        #expect(connection.isIdle)
        connection.requestBegan(at: .seconds(2))
        connection.headRead(head(get()), at: .seconds(2))
        connection.requestEnded()
        #expect(connection.persistence == .close)
        let lastContinuation = connection.answered(hasUnreadInput: false, at: .seconds(2))
        #expect(lastContinuation == .close)
    }

    @Test("An HTTP/1.0 client is told that its connection stays")
    func old() {
        #expect(
            answering("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n").persistence == .keepAlive)
        #expect(answering("GET / HTTP/1.0\r\n\r\n").persistence == .close)
    }

    @Test("A refusal before the whole request was read ends in a lingering close")
    func refusal() {
        var connection = HTTP1Connection(at: .zero)
        connection.requestBegan(at: .zero)
        #expect(connection.persistence == .close)
        let continuation = connection.answered(hasUnreadInput: false, at: .seconds(1))
        #expect(continuation == .linger)
        #expect(connection.deadline == .seconds(3))
    }

    @Test("Lingering ends at its deadline")
    func lingering() {
        var connection = HTTP1Connection(at: .zero)
        _ = connection.answered(hasUnreadInput: true, at: .zero)
        let early = connection.expired(at: .milliseconds(1999))
        #expect(early == .nothing)
        let late = connection.expired(at: .seconds(2))
        #expect(late == .close)
        #expect(connection.deadline == nil)
    }

    @Test("Bytes after the last request also cause lingering")
    func pipelinedBehindClose() {
        var connection = answering(get("Connection: close"))
        let continuation = connection.answered(hasUnreadInput: true, at: .zero)
        #expect(continuation == .linger)
    }

    @Test("Idle connections are closed, slow requests are answered with 408")
    func deadlines() {
        var idle = HTTP1Connection(at: .zero)
        let idleExpiry = idle.expired(at: .seconds(75))
        #expect(idleExpiry == .close)

        var slowHead = HTTP1Connection(at: .zero)
        slowHead.requestBegan(at: .seconds(5))
        slowHead.requestBegan(at: .seconds(14))
        #expect(slowHead.deadline == .seconds(15))
        let headExpiry = slowHead.expired(at: .seconds(15))
        #expect(headExpiry == .refuse(.timeout))
        #expect(slowHead.deadline == nil)
        let continuation = slowHead.answered(hasUnreadInput: false, at: .seconds(15))
        #expect(continuation == .linger)

        var slowBody = HTTP1Connection(at: .zero)
        slowBody.requestBegan(at: .zero)
        slowBody.headRead(head(get()), at: .seconds(9))
        let early = slowBody.expired(at: .seconds(38))
        #expect(early == .nothing)
        let bodyExpiry = slowBody.expired(at: .seconds(39))
        #expect(bodyExpiry == .refuse(.timeout))
    }

    @Test("A stream has no deadline while it waits, and one while its output does")
    func stream() {
        var connection = answering()
        connection.streamBegan()
        #expect(connection.streamsInChunks && connection.persistence == .implied)
        let never = connection.expired(at: .seconds(1_000_000))
        #expect(connection.deadline == nil && never == .nothing && !connection.isIdle)
        connection.outputWaits(until: .seconds(60))
        connection.outputWaits(until: .seconds(90))
        #expect(connection.deadline == .seconds(60))
        connection.outputSent()
        #expect(connection.deadline == nil)
        connection.outputWaits(until: .seconds(99))
        let expiry = connection.expired(at: .seconds(99))
        #expect(expiry == .close)
    }

    @Test("After a stream the connection goes on, unless client, version or a stop forbid it")
    func afterStream() {
        var connection = answering()
        connection.streamBegan()
        let next = connection.answered(hasUnreadInput: true, at: .seconds(9))
        #expect(next == .nextRequest && connection.isIdle)
        // Nothing of a stream is left.
        connection.outputWaits(until: .seconds(10))
        connection.outputSent()
        #expect(connection.deadline == .seconds(84))

        var old = answering("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
        old.streamBegan()
        #expect(!old.streamsInChunks && old.persistence == .close)
        let end = old.answered(hasUnreadInput: false, at: .zero)
        #expect(end == .close)

        var stopping = answering()
        stopping.streamBegan()
        stopping.stop()
        let stop = stopping.answered(hasUnreadInput: false, at: .zero)
        #expect(stop == .close)

        var unread = answering(get("Connection: close"))
        unread.streamBegan()
        let linger = unread.answered(hasUnreadInput: true, at: .zero)
        #expect(linger == .linger)
    }

    @Test("A stopping server finishes the current request and accepts no other")
    func stopping() {
        var connection = answering()
        connection.stop()
        #expect(connection.deadline == nil)
        #expect(connection.persistence == .close)
        let continuation = connection.answered(hasUnreadInput: false, at: .zero)
        #expect(continuation == .close)
    }
}
