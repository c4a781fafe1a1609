import Bus
import Foundation
import System
import TestSupport
import Testing
import WebPush
@testable import Desktop

@Suite("The answer to Unregister")
struct UnregisterTests {
    /// One registration, and a disk that fails at first.
    private final class Store: ClientStore {
        var hasRegistration = true
        var failures: Int

        init(failures: Int) { self.failures = failures }

        func clients() throws -> [ClientRecord] {
            [
                ClientRecord(
                    key: Stage.key("token"), service: Stage.service, description: "",
                    applicationKey: nil, version: .two, path: ConnectorCall.usualPath,
                    channel: Stage.channel(1), endpoint: "https://push.example/1", created: 0,
                    lastDelivery: nil, lastSeen: Int64(Date().timeIntervalSince1970))
            ]
        }

        func save(_ client: ClientRecord) throws {}

        func remove(_ key: ClientKey) throws {
            if failures > 0 {
                failures -= 1
                throw POSIXError(.EIO)
            }
            hasRegistration = false
        }
    }

    private final class Link: PushLink {
        let states: [ReceiverState] = []
        func register(_ channel: ChannelID, _ key: ApplicationKey?, known: String?) {}
        func unregister(_ channel: ChannelID) {}
        func finish(_ channel: ChannelID, message: String, isDelivered: Bool) {}
    }

    /// Ends the test when something hangs.
    private final class Guardian: TimerHandler {
        let loop: EventLoop
        init(_ loop: EventLoop) { self.loop = loop }
        func timerFired(_ cookie: UInt64) { loop.stop() }
    }

    /// What an application finds out by unregistering this often.
    private final class Application {
        let bus: BusConnection
        let loop: EventLoop
        let store: Store
        /// Whether the call succeeded, and whether the registration was stored at that time.
        var answers: [(isDone: Bool, isStored: Bool)] = []

        init(_ bus: BusConnection, _ loop: EventLoop, _ store: Store) {
            (self.bus, self.loop, self.store) = (bus, loop, store)
        }

        func unregister(times: Int, at name: String) {
            guard times > 0 else { return loop.stop() }
            bus.call(
                BusMethodCall(
                    to: name, path: DistributorObject.path, interface: DistributorObject.second,
                    member: "Unregister", [.options([("token", .string("token"))])])
            ) { [self] reply in
                answers.append(((try? reply.get()) != nil, store.hasRegistration))
                unregister(times: times - 1, at: name)
            }
        }
    }

    @Test(
        "Whoever is told that a registration has ended may rely on it, also after a kill",
        arguments: [0, 1])
    func stored(failures: Int) throws {
        let bus = try PrivateBus()
        let loop = try EventLoop()
        let (store, link) = (Store(failures: failures), Link())
        let server = try BusConnection(to: .address(bus.address), on: loop) { _ in }
        let client = try BusConnection(to: .address(bus.address), on: loop) { _ in }
        let service = try DistributorService(
            on: server, link: link, store: store, loop: loop, log: Log())
        let application = Application(client, loop, store)
        let name = "org.unifiedpush.Distributor.test"
        server.requestName(name) { _ in application.unregister(times: failures + 1, at: name) }
        let guardian = Guardian(loop)
        _ = loop.schedule(after: Interval(.seconds(20)), guardian)
        _ = loop.run()
        #expect(application.answers.count == failures + 1)
        #expect(application.answers.last.map { $0.isDone && !$0.isStored } == true)
        #expect(application.answers.dropLast().allSatisfy { !$0.isDone && $0.isStored })
        service.end()
    }
}
