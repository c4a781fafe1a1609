import Testing

@testable import HTTP

@Suite("The life of an HTTP/2 connection")
struct HTTP2ConnectionTests {
    /// A connection that has read its preface.
    private func opened() -> HTTP2Connection {
        var connection = HTTP2Connection(at: .zero)
        connection.received(isInHead: false, at: .zero)
        return connection
    }

    @Test("A peer that sends no preface, or half a head, is disconnected")
    func slowHead() {
        var silent = HTTP2Connection(at: .zero)
        #expect(silent.deadline == .seconds(10))
        let silence = silent.expired(at: .seconds(10))
        #expect(silence == .fail(.timeout))
        let cut = silent.expired(at: .seconds(12))
        #expect(cut == .close)

        var slow = opened()
        slow.received(isInHead: true, at: .seconds(3))
        slow.received(isInHead: true, at: .seconds(12))
        let early = slow.expired(at: .seconds(12))
        #expect(early == .rest)
        let late = slow.expired(at: .seconds(13))
        #expect(late == .fail(.timeout))
    }

    @Test("An idle connection frees memory, is sent GOAWAY, and is closed")
    func idle() {
        var connection = opened()
        #expect(connection.isIdle && connection.deadline == .seconds(1))
        let first = connection.expired(at: .seconds(1))
        #expect(first == .rest)
        #expect(connection.deadline == .seconds(75))
        // Pings do not extend the deadline.
        connection.received(isInHead: false, at: .seconds(70))
        let second = connection.expired(at: .seconds(75))
        #expect(second == .shutDown)
        let third = connection.expired(at: .seconds(76))
        #expect(third == .rest)
        let fourth = connection.expired(at: .seconds(77))
        #expect(fourth == .close)
        #expect(connection.deadline == nil)
    }

    @Test("A missing body is answered with 408, and an unread answer is given up")
    func streams() {
        var connection = opened()
        connection.handle(.head(1), at: .seconds(5))
        connection.handle(.head(3), at: .seconds(6))
        connection.handle(.end(3), at: .seconds(6))
        #expect(connection.deadline == .seconds(35))
        let early = connection.expired(at: .seconds(34))
        #expect(early == .nothing)
        let late = connection.expired(at: .seconds(35))
        #expect(late == .refuse(1))
        connection.answered(1, at: .seconds(35))
        #expect(connection.deadline == .seconds(95))
        let untaken = connection.expired(at: .seconds(95))
        #expect(untaken == .reset(1, .cancel))
        connection.handle(.closed(1, .cancel), at: .seconds(95))
        #expect(connection.deadline == nil && !connection.isIdle)
        connection.handle(.closed(3, .noError), at: .seconds(100))
        #expect(connection.isIdle && connection.deadline == .seconds(101))
    }

    @Test("A peer that does not even read the end of its streams is given up")
    func deaf() {
        var connection = opened()
        connection.handle(.head(1), at: .zero)
        connection.handle(.end(1), at: .zero)
        connection.answered(1, at: .zero)
        let untaken = connection.expired(at: .seconds(60))
        #expect(untaken == .reset(1, .cancel))
        #expect(connection.deadline == .seconds(62))
        let end = connection.expired(at: .seconds(62))
        #expect(end == .close)
    }

    @Test("A refused request waits for its answer like any other")
    func refused() {
        var connection = opened()
        connection.handle(.refused(1, .badHost), at: .zero)
        #expect(!connection.isIdle && connection.deadline == nil)
        connection.answered(1, at: .zero)
        #expect(connection.deadline == .seconds(60))
        connection.handle(.head(3), at: .zero)
        connection.handle(.refused(3, .bodyTooLarge), at: .seconds(1))
        connection.handle(.closed(3, .noError), at: .seconds(1))
        connection.handle(.closed(1, .noError), at: .seconds(1))
        #expect(connection.isIdle)
    }

    @Test("The rest of a request is awaited after an early answer, but not for long")
    func earlyAnswer() {
        var connection = opened()
        connection.handle(.head(1), at: .zero)
        connection.answered(1, at: .zero)
        connection.handle(.lingering(1), at: .seconds(1))
        let early = connection.expired(at: .milliseconds(2999))
        #expect(early == .nothing)
        let late = connection.expired(at: .seconds(3))
        #expect(late == .reset(1, .noError))
        connection.handle(.closed(1, .noError), at: .seconds(3))
        #expect(connection.isIdle && connection.deadline == .seconds(4))
    }

    @Test("After a failure some bytes are still read, so that the last frames arrive")
    func lingering() {
        var connection = opened()
        connection.handle(.failed(.flood(.pings)), at: .seconds(1))
        connection.handle(.failed(.flood(.pings)), at: .seconds(2))
        #expect(connection.deadline == .seconds(3))
        let end = connection.expired(at: .seconds(3))
        #expect(end == .close && connection.deadline == nil)
    }

    @Test("A stream waits without a deadline, but its reader has to take what was written")
    func waitingStream() {
        var connection = opened()
        connection.handle(.head(1), at: .zero)
        connection.handle(.end(1), at: .zero)
        connection.streamBegan(1)
        #expect(connection.deadline == nil && !connection.isIdle)
        connection.outputWaits(on: 1, until: .seconds(60))
        connection.outputWaits(on: 1, until: .seconds(90))
        connection.outputWaits(on: 3, until: .seconds(1))
        #expect(connection.deadline == .seconds(60))
        connection.outputSent(on: 1, at: .seconds(50))
        // The connection is quiet.
        #expect(connection.deadline == .seconds(51))
        let rest = connection.expired(at: .seconds(51))
        #expect(rest == .rest && connection.deadline == nil)
        connection.outputWaits(on: 1, until: .seconds(99))
        let untaken = connection.expired(at: .seconds(99))
        #expect(untaken == .reset(1, .cancel) && connection.deadline == .seconds(101))
        connection.outputSent(on: 1, at: .seconds(99))
        #expect(connection.deadline == .seconds(101))
    }

    @Test("A stream that ends is an answer like any other")
    func endedStream() {
        var connection = opened()
        connection.handle(.head(1), at: .zero)
        connection.handle(.end(1), at: .zero)
        connection.streamBegan(1)
        connection.answered(1, at: .seconds(5))
        #expect(connection.deadline == .seconds(65))
        connection.handle(.leaving, at: .seconds(6))
        connection.handle(.closed(1, .noError), at: .seconds(6))
        #expect(connection.isIdle && connection.deadline == .seconds(7))
    }

    @Test("A stopping server accepts requests on their way and finishes the current ones")
    func stopping() {
        var connection = opened()
        connection.handle(.head(1), at: .zero)
        connection.handle(.end(1), at: .zero)
        connection.announcedShutdown(at: .seconds(1))
        #expect(connection.deadline == .seconds(2))
        let last = connection.expired(at: .seconds(2))
        #expect(last == .shutDown)
        #expect(connection.deadline == nil)
        connection.handle(.closed(1, .noError), at: .seconds(9))
        let rest = connection.expired(at: .seconds(10))
        #expect(rest == .rest)
        let close = connection.expired(at: .seconds(11))
        #expect(close == .close)
    }

    @Test("A graceful end: announcement, GOAWAY, and the remaining answers")
    func graceful() throws {
        var server = try HTTP2Server()
        let client = HTTP2Client()
        let running = client.get("/running")
        server.talk(with: client)
        server.session.announceShutdown()
        client.receive(server.output())
        #expect(client.goAways == [.noError] && client.answers[running]?.closed == nil)
        // A stream that was on its way.
        server.receive(HTTP2Wire.get(3))
        #expect(server.heads.count == 2)
        server.session.shutDown()
        client.receive(server.output())
        #expect(client.goAways == [.noError, .noError])
        server.receive(HTTP2Wire.get(5))
        #expect(server.heads.count == 2 && !server.session.isFinished)
        server.session.respond(to: running, ResponseHead(status: 200))
        server.session.respond(to: 3, ResponseHead(status: 200))
        client.receive(server.output())
        #expect(client.answers[running]?.status == "200")
        #expect(server.failure == nil && server.session.isFinished)
    }

    @Test("An idle connection ends at once")
    func idleEnd() throws {
        var server = try HTTP2Server()
        let client = HTTP2Client()
        server.talk(with: client)
        server.session.shutDown()
        client.receive(server.output())
        #expect(client.goAways == [.noError] && server.session.isFinished)
    }
}
