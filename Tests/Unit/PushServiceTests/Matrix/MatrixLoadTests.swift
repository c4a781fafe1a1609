import Base
import Crypto
import Delivery
import Foundation
import HTTP
import Mailbox
import Testing
import WebPush

@testable import PushService

@Suite("The Matrix gateway under load")
struct MatrixLoadTests {
    @Test("The gateway alone reads up to 512 KiB, and shortens it to fit")
    func oversize() throws {
        let fixture = try PushFixture()
        let agent = try fixture.userAgent()
        let endpoint = try agent.register()
        let limit = MatrixNotification.requestLimit
        func body(_ count: Int) throws -> [UInt8] {
            let small = try PushFixture.notification([endpoint], ["type": ""])
            let text = String(repeating: "x", count: count - small.count)
            return try PushFixture.notification([endpoint], ["type": text])
        }
        let whole = try body(limit)
        #expect(whole.count == limit)
        #expect(try fixture.notify(whole).status == 200)
        #expect(try agent.notification().body.utf8.count < 4_096)
        let refused = try fixture.notify(try body(limit + 1))
        #expect(refused.status == 413)
        #expect(refused.text.hasPrefix(#"{"errcode":"M_TOO_LARGE","#))
        for path in [endpoint, "/_matrix/push/v1/other"] {
            let answer = try fixture.request("POST", path, body: whole)
            #expect(answer.code == "413/104")
        }
        let huge = try fixture.request(
            "POST", PushFixture.gateway, [("Content-Length", String(repeating: "9", count: 30))])
        #expect(huge.status == 413)
    }

    @Test("A chunked body that grows too large gets a Matrix error")
    func chunked() throws {
        let fixture = try PushFixture()
        let socket = try ByteSocket(port: fixture.port)
        let fields = [("Transfer-Encoding", "chunked")]
        socket.send(PushFixture.bytes("POST", PushFixture.gateway, fields, body: nil))
        let chunk = Array("10000\r\n".utf8) + [UInt8](repeating: 0x20, count: 65_536) + [13, 10]
        for _ in 0..<8 { socket.send(chunk) }
        socket.send(Array("1\r\n".utf8))
        let answer = HTTPAnswer(from: socket)
        #expect(answer.status == 413 && answer.text.contains("M_TOO_LARGE"))
    }

    @Test("A hundred devices get one notification at once")
    func manyDevices() throws {
        let fixture = try PushFixture()
        let agent = try fixture.userAgent()
        let endpoints = try (0..<100).map { _ in try agent.register() }
        let answer = try fixture.notify(PushFixture.notification(endpoints))
        #expect(answer.text == #"{"rejected":[]}"#)
        #expect(try Set(agent.bodies(100)).count == 100)
        let more = try fixture.notify(PushFixture.notification(endpoints + ["x"]))
        #expect(more.status == 400 && more.text.contains("M_BAD_JSON"))
    }

    @Test("A client that names many unknown endpoints must wait; other clients need not")
    func strangers() throws {
        let fixture = try PushFixture { plan in
            plan.listener = HTTPListenerTerms(
                trustedProxies: [IPAddress("127.0.0.1")].compactMap(\.self))
        }
        let endpoint = try fixture.userAgent().register()
        func ask(_ client: String, _ pushkeys: [String]) throws -> Int {
            let body = try PushFixture.notification(pushkeys, event: nil)
            let field = ("X-Forwarded-For", client)
            return try fixture.request("POST", PushFixture.gateway, [field], body: body).status
        }
        // More than the limit of a second, from one /64.
        var statuses: Set<Int> = []
        for number in 0..<400 where statuses.count < 2 {
            statuses.insert(try ask("2001:db8::\(number % 9)", ["x\(number)", "y", "z"]))
        }
        #expect(statuses == [200, 503])
        #expect(try ask("2001:db8::1", [endpoint]) == 200)
        #expect(try ask("2001:db8:0:1::1", ["x"]) == 200)
    }

    @Test("One address may push to 5,000 endpoints of 1,000 owners; each owner is limited")
    func largeHomeserver() throws {
        let fixture = try PushFixture { plan in
            plan.store = {
                $0.limits.quota.device.messages = 400
                $0.limits.quota.owner.messages = 500
            }
        }
        let owners = try fixture.addOwners(1_000, endpoints: 5)
        let sockets = try (0..<16).map { _ in try ByteSocket(port: fixture.port) }
        func tell(_ endpoints: [String], _ event: String) throws -> [Int: Int] {
            var statuses: [Int: Int] = [:]
            for start in stride(from: 0, to: endpoints.count, by: sockets.count) {
                let part = endpoints[start..<min(start + sockets.count, endpoints.count)]
                for (socket, endpoint) in zip(sockets, part) {
                    let body = try PushFixture.notification([endpoint], event: event)
                    socket.send(PushFixture.bytes("POST", PushFixture.gateway, [], body: body))
                }
                for socket in sockets[..<part.count] {
                    let answer = HTTPAnswer(from: socket)
                    #expect(answer.text == #"{"rejected":[]}"# || answer.status == 503)
                    statuses[answer.status, default: 0] += 1
                }
            }
            return statuses
        }
        #expect(try tell(owners.flatMap(\.self), "$1") == [200: 5_000])
        // The owner of five devices has room for 500 messages, five of which are taken.
        var hostile: [Int: Int] = [:]
        for number in 0..<120 {
            let answers = try tell(owners[0], "$h\(number)")
            hostile.merge(answers) { $0 + $1 }
        }
        #expect(hostile == [200: 495, 503: 105])
        #expect(try tell(owners.dropFirst().flatMap(\.self), "$2") == [200: 4_995])
    }
}

extension PushFixture {
    /// Adds owners with a credential each, and for each so many offline devices with one endpoint.
    fileprivate func addOwners(_ count: Int, endpoints: Int) throws -> [[String]] {
        var hash = try SHA256()
        var mint = try EndpointMint(key: store.endpointKey)
        let index = store.index
        var operations: [StoreOperation] = []
        let paths = try (0..<count).map { number in
            let secret = Digest(try hash.digest(of: Array("owner \(number)".utf8).span))
            let credential = DeviceCredential(
                row: index.nextCredential(), secret: secret, name: "a", owner: "owner \(number)",
                created: 1)
            operations.append(.addCredential(credential))
            return try (0..<endpoints).map { other in
                let name = Digest(try hash.digest(of: Array("\(number)/\(other)".utf8).span))
                let device = KnownUserAgent(
                    row: index.nextDevice(), userAgent: name, credential: credential.row,
                    created: 1)
                let token = try mint.make()
                let address = Address(
                    subscription: index.nextSubscription(), device: device.row)
                operations.append(.addDevice(device))
                operations.append(
                    .register(
                        Subscription(
                            address: address, kind: .channel,
                            channel: ChannelID(high: 1, low: 2), sender: .anyone, token: token,
                            digest: try mint.digest(of: token), created: 1)))
                let bytes = token.bytes
                return "/wpush/v1/" + Base64URL.text(bytes.span)
            }
        }
        // The store works in order, so the last answer means that all are done.
        let (others, last) = (OneAnswer(), OneAnswer())
        for operation in operations.dropLast() { store.submit(operation, ticket: 0, to: others) }
        if let operation = operations.last {
            store.submit(operation, ticket: 0, to: last)
            last.wait()
        }
        return paths
    }
}
