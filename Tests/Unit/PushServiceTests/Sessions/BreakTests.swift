import Foundation
import Synchronization
import System
import Testing

@testable import PushService

@Suite("Interrupted deliveries")
struct BreakTests {
    private let fields: PushFixture.Fields = [
        ("TTL", "60"), ("Content-Encoding", "aes128gcm"),
    ]

    private func send(_ body: String, to endpoint: String, _ socket: ByteSocket) {
        socket.send(PushFixture.bytes("POST", endpoint, fields, body: Array(body.utf8)))
    }

    @Test(
        "If a connection ends before the acknowledgement, all comes again once, in order",
        arguments: [1, 3])
    func endsAtOnce(_ loops: Int) throws {
        let fixture = try PushFixture { $0.loops = loops }
        var agent = try fixture.userAgent()
        let endpoint = try agent.register()
        for round in 0..<40 {
            let socket = try ByteSocket(port: fixture.port)
            let bodies = ["\(round)a", "\(round)b", "\(round)c"]
            for body in bodies { send(body, to: endpoint, socket) }
            let first = try agent.notification()
            if round % 2 == 0 { agent.socket.reset() } else { agent.send(.close(1000)) }
            agent = try fixture.userAgent(agent.uaid)
            for _ in bodies { #expect(HTTPAnswer(from: socket).status == 201) }
            let again = try (0..<3).map { _ in try agent.notification() }
            #expect(again.map(\.body) == bodies)
            #expect(again[0] == first)
            agent.ack(again[0], again[1], again[2])
            try agent.settle()
        }
        _ = try fixture.push(endpoint, "end")
        #expect(try agent.notification().body == "end")
    }

    @Test(
        "A replaced connection passes its messages on, even if its client stays silent",
        arguments: [1, 3])
    func replaced(_ loops: Int) throws {
        let fixture = try PushFixture { $0.loops = loops }
        var agents = [try fixture.userAgent()]
        let endpoint = try agents[0].register()
        for round in 0..<30 {
            let socket = try ByteSocket(port: fixture.port)
            send("\(round)", to: endpoint, socket)
            // The client does not read, so the closing handshake never ends.
            let newer = try fixture.userAgent(agents[0].uaid)
            #expect(HTTPAnswer(from: socket).status == 201)
            let notification = try newer.notification()
            #expect(notification.body == "\(round)")
            newer.ack(notification)
            try newer.settle()
            agents.append(newer)
        }
    }

    @Test("A client that breaks the rules loses no messages")
    func closedByUs() throws {
        let fixture = try PushFixture()
        var agent = try fixture.userAgent()
        let endpoint = try agent.register()
        let socket = try ByteSocket(port: fixture.port)
        send("kept", to: endpoint, socket)
        _ = try agent.notification()
        agent.send("no JSON")
        #expect(agent.closing() == "1011 Json")
        #expect(HTTPAnswer(from: socket).status == 201)
        agent = try fixture.userAgent(agent.uaid)
        #expect(try agent.notification().body == "kept")
    }

    @Test("No reply or pong is sent before an earlier acknowledgement is recorded")
    func nothingOvertakes() throws {
        let fixture = try PushFixture()
        var agent = try fixture.userAgent()
        let endpoint = try agent.register()
        agent.close()
        _ = try fixture.push(endpoint, "stored")
        agent = try fixture.userAgent(agent.uaid)
        let notification = try agent.notification()
        fixture.gate.shut(.acknowledge)
        agent.ack(notification)
        agent.send("{}")
        agent.send(.ping("first"))
        agent.send(.ping("second"))
        #expect(fixture.gate.await(.acknowledge, 1))
        // Messages are still sent meanwhile.
        let socket = try ByteSocket(port: fixture.port)
        send("later", to: endpoint, socket)
        #expect(try agent.notification().body == "later")
        fixture.gate.open()
        let frames = [agent.socket.frame(), agent.socket.frame()]
        #expect(frames.map { $0?.opcode } == [10, 1])
        #expect(frames.map { $0?.payload } == [Array("second".utf8), Array("{}".utf8)])
        agent.send(.ping("third"))
        #expect(agent.socket.frame()?.payload == Array("third".utf8))
    }

    @Test("A message being written when its connection ends arrives on the next one")
    func whileWritten() throws {
        let fixture = try PushFixture()
        var agent = try fixture.userAgent()
        let endpoint = try agent.register()
        let socket = try ByteSocket(port: fixture.port)
        fixture.gate.shut(.store)
        send("a", to: endpoint, socket)
        let first = try agent.notification()
        #expect(fixture.gate.await(.store, 1))
        agent.close()
        agent = try fixture.userAgent(agent.uaid)
        fixture.gate.open()
        #expect(HTTPAnswer(from: socket).status == 201)
        #expect(try agent.notification() == first)
        _ = try fixture.push(endpoint, "b")
        #expect(try agent.notification().body == "b")
    }

    @Test("A message acknowledged while it is written is accepted, and does not come again")
    func acknowledgedWhileWritten() throws {
        let fixture = try PushFixture()
        var agent = try fixture.userAgent()
        let endpoint = try agent.register()
        let socket = try ByteSocket(port: fixture.port)
        fixture.gate.shut(.store, .acknowledge)
        send("a", to: endpoint, socket)
        let notification = try agent.notification()
        #expect(fixture.gate.await(.store, 1))
        agent.ack(notification)
        #expect(fixture.gate.await(.acknowledge, 1))
        fixture.gate.open()
        #expect(HTTPAnswer(from: socket).status == 201)
        _ = try fixture.push(endpoint, "b")
        #expect(try agent.notification().body == "b")
        agent.close()
        agent = try fixture.userAgent(agent.uaid)
        #expect(try agent.notification().body == "b")
    }

    @Test("Messages pushed while pages are read come after them, and none comes twice")
    func whileLoading() throws {
        let fixture = try PushFixture()
        var agent = try fixture.userAgent()
        let endpoint = try agent.register()
        agent.close()
        for number in 0..<100 { _ = try fixture.push(endpoint, "\(number)") }
        fixture.gate.shut(.load)
        let uaid = agent.uaid
        agent = try UserAgent(fixture)
        agent.send(#"{"messageType":"hello","uaid":"\#(uaid)"}"#)
        #expect(fixture.gate.await(.load, 1))
        #expect(try fixture.push(endpoint, "100").status == 201)
        fixture.gate.open()
        fixture.gate.shut(.load)
        _ = try agent.members()
        #expect(fixture.gate.await(.load, 2))
        #expect(try fixture.push(endpoint, "101").status == 201)
        fixture.gate.open()
        let all = try (0..<102).map { _ in try agent.notification() }
        #expect(all.map(\.body) == (0...101).map(String.init))
        #expect(Set(all.map(\.version)).count == 102)
    }

    @Test("Who is refused while servers choose who leads comes back soon, and not all at once")
    func settling() throws {
        let fixture = try PushFixture()
        let agent = try fixture.userAgent()
        let endpoint = try agent.register()
        agent.close()
        fixture.gate.refuse(.store)
        #expect(try fixture.push(endpoint, "broken")["retry-after"] == "120")
        fixture.gate.isSettling = true
        let waits = try (0..<40).map { try fixture.push(endpoint, "\($0)") }
        #expect(waits.allSatisfy { $0.code == "503/201" })
        let seconds = waits.compactMap { $0["retry-after"].flatMap { Int($0) } }
        #expect(seconds.count == 40 && seconds.allSatisfy { 5...10 ~= $0 })
        #expect(Set(seconds).count > 1)
    }

    @Test("A store that cannot be written gives 503, and works again afterwards")
    func unavailable() throws {
        let fixture = try PushFixture()
        var agent = try fixture.userAgent()
        let endpoint = try agent.register()
        _ = try fixture.push(endpoint, "before")
        let before = try agent.notification()
        fixture.gate.refuse(.store, .acknowledge)
        // Acknowledged while the store cannot record it.
        agent.ack(before)
        let refused = try fixture.push(endpoint, "refused")
        #expect(refused.code == "503/201")
        #expect(refused["retry-after"] == "120")
        // Its sender repeats it, so the device must not have it yet.
        fixture.gate.refuse()
        #expect(try fixture.push(endpoint, "after").status == 201)
        let after = try agent.notification()
        #expect(after.body == "after")
        let attempts = fixture.gate.count(of: .acknowledge)
        #expect(fixture.gate.await(.acknowledge, attempts + 1))
        try agent.settle()
        agent.close()
        agent = try fixture.userAgent(agent.uaid)
        #expect(try agent.notification() == after)
    }

    @Test(
        "What a device acknowledged before the store failed is accepted if that changes nothing else",
        arguments: [("", 201), ("Topic: news\r\n", 503)])
    func acknowledgedBeforeFailure(topic: String, status: Int) throws {
        let fixture = try PushFixture()
        let agent = try fixture.userAgent()
        let endpoint = try agent.register()
        fixture.gate.doom(.store, .acknowledge)
        fixture.gate.shut(.store, .acknowledge)
        let socket = try ByteSocket(port: fixture.port)
        let path = PushFixture.path(of: endpoint)
        let head = "POST \(path) HTTP/1.1\r\nHost: push.example\r\nTTL: 60\r\n\(topic)"
        socket.send(Array((head + "Content-Length: 0\r\n\r\n").utf8))
        let notification = try agent.notification()
        #expect(fixture.gate.await(.store, 1))
        agent.ack(notification)
        #expect(fixture.gate.await(.acknowledge, 1))
        fixture.gate.open()
        #expect(HTTPAnswer(from: socket).status == status)
        fixture.gate.refuse()
    }

    @Test("A push that was delivered before its endpoint ended is not answered 410")
    func deliveredBeforeEnd() throws {
        let fixture = try PushFixture()
        let agent = try fixture.userAgent()
        let channel = UserAgent.channel()
        let endpoint = try agent.register(channel)
        fixture.gate.shut(.store)
        let socket = try ByteSocket(port: fixture.port)
        send("once", to: endpoint, socket)
        #expect(try agent.notification().body == "once")
        #expect(fixture.gate.await(.store, 1))
        try agent.unregister(channel)
        fixture.gate.open()
        #expect(HTTPAnswer(from: socket).status == 201)
        #expect(try fixture.push(endpoint, "late").status == 410)
        try agent.settle()
    }

    /// Waits until the loop has done what it was asked before.
    private func pass(_ loop: EventLoop, _ body: @escaping @Sendable () -> Void = {}) {
        let done = DispatchSemaphore(value: 0)
        loop.post {
            body()
            done.signal()
        }
        done.wait()
    }

    /// The loop of the only user agent.
    private func loop(of fixture: PushFixture) -> EventLoop? {
        let service = fixture.service
        return fixture.loops.first { loop in
            let count = Mutex(0)
            pass(loop) {
                let connections = service.sessions(on: loop).all(UserAgentConnection.self)
                count.withLock { $0 = connections.count }
            }
            return count.withLock { $0 } > 0
        }
    }

    @Test("An acknowledgement is final, however late the loop is that had stored the message")
    func lateLoop() throws {
        let fixture = try PushFixture { $0.loops = 2 }
        let first = try fixture.userAgent()
        let endpoint = try first.register()
        let late = try #require(loop(of: fixture))
        fixture.gate.shut(.store, .acknowledge)
        let socket = try ByteSocket(port: fixture.port)
        send("once", to: endpoint, socket)
        let notification = try first.notification()
        #expect(fixture.gate.await(.store, 1))
        var second = try fixture.userAgent(first.uaid)
        for _ in 0..<200 where loop(of: fixture) === late {
            second = try fixture.userAgent(first.uaid)
        }
        let other = try #require(loop(of: fixture))
        #expect(other !== late)
        // It does not want everything, so the server believes that it may have this from before.
        second.send(#"{"messageType":"urgency","min":"normal"}"#)
        #expect(try second.members()["messageType"] as? String == "urgency")
        second.ack(notification)
        #expect(fixture.gate.await(.acknowledge, 1))
        let (entered, released) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        late.post {
            entered.signal()
            released.wait()
        }
        entered.wait()
        fixture.gate.open()
        try second.settle()
        released.signal()
        pass(late)
        pass(other)
        try second.settle()
        #expect(HTTPAnswer(from: socket).status == 201)
    }

    @Test("A file that may not grow gives 503; once there is room, pushes are accepted again")
    func full() throws {
        let fixture = try PushFixture { plan in plan.store = { $0.limits.filePages = 90 } }
        var agent = try fixture.userAgent()
        let endpoint = try agent.register()
        agent.close()
        let filler = String(repeating: "x", count: 5_000)
        var accepted = 0
        var status = 201
        while status == 201, accepted < 200 {
            status = try fixture.push(endpoint, "\(accepted) \(filler)").status
            if status == 201 { accepted += 1 }
        }
        #expect(status == 503)
        #expect(accepted > 5)
        agent = try fixture.userAgent(agent.uaid)
        for number in 0..<accepted {
            let notification = try agent.notification()
            #expect(notification.body.hasPrefix("\(number) "))
            agent.ack(notification)
        }
        let deadline = Date(timeIntervalSinceNow: 60)
        repeat {
            status = try fixture.push(endpoint, "again").status
        } while status == 503 && Date() < deadline
        #expect(status == 201)
    }
}
