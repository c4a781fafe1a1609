import Base
import Bus
import Foundation
import System
import TestSupport
import Testing
import WebPush
@testable import Desktop

@Suite("Taking over registrations of another distributor")
struct ImportTests {
    private static let app = "org.example.App"
    private static let closed = "org.example.Closed"

    /// Gives each channel an endpoint.
    // Unchecked: it is used only on the thread of the loop, which is the test's.
    private final class Link: PushLink, @unchecked Sendable {
        let states: [ReceiverState] = []
        weak var service: DistributorService?
        var registered: [ChannelID] = []

        func register(_ channel: ChannelID, _ key: ApplicationKey?, known: String?) {
            registered.append(channel)
            service?.loop.post { [self] in
                let endpoint = "https://push.example/\(registered.count)"
                service?.update { $0.obtained(endpoint, for: channel, at: $1) }
            }
        }

        func unregister(_ channel: ChannelID) {}
        func finish(_ channel: ChannelID, message: String, isDelivered: Bool) {}
    }

    private final class Store: ClientStore {
        var saved: [ClientKey: ClientRecord] = [:]
        func clients() throws -> [ClientRecord] { [] }
        func save(_ client: ClientRecord) throws { saved[client.key] = client }
        func remove(_ key: ClientKey) throws { saved[key] = nil }
    }

    /// The application's connector, which records its endpoints.
    private final class Connector: BusObject {
        let interfaces = [
            BusInterface(
                "org.unifiedpush.Connector2",
                methods: [
                    .init("NewEndpoint", [.init("args", "a{sv}")], output: [.init("r", "a{sv}")])
                ])
        ]
        var endpoints: [String] = []

        func called(_ call: BusCall) {
            let members = call.arguments.first?.members
            endpoints.append(
                "\(members?["token"]?.text ?? "") \(members?["endpoint"]?.text ?? "")")
            call.reply([.options([])])
        }
    }

    private final class Guardian: TimerHandler {
        let loop: EventLoop
        init(_ loop: EventLoop) { self.loop = loop }
        func timerFired(_ cookie: UInt64) { loop.stop() }
    }

    /// The answers to these registrations, one after the other.
    private final class Importer {
        let client: BusConnection
        let loop: EventLoop
        var rest: [BusValue]
        var answers: [String] = []

        init(_ client: BusConnection, on loop: EventLoop, _ rest: [BusValue]) {
            self.client = client
            self.loop = loop
            self.rest = rest
        }

        func next() {
            guard !rest.isEmpty else { return loop.stop() }
            let options = rest.removeFirst()
            client.call(
                BusMethodCall(
                    to: ManagementObject.name, path: ManagementObject.path,
                    interface: ManagementObject.name, member: "ImportRegistration", [options])
            ) { [self] reply in
                let members = (try? reply.get())?.first?.members
                answers.append(
                    [members?["success"]?.text, members?["reason"]?.text].compactMap(\.self)
                        .joined(separator: " "))
                next()
            }
        }
    }

    private func options(
        _ token: String, _ service: String = app, isDryRun: Bool = false
    ) -> BusValue {
        .options([
            ("service", .string(service)), ("token", .string(token)),
            ("description", .string("An app")), ("version", .uint32(2)),
            ("dry-run", .boolean(isDryRun)),
        ])
    }

    @Test("An application gets its endpoint under its own token; a repetition changes nothing")
    func taken() throws {
        let folder = try TemporaryFolder()
        try "[D-BUS Service]\nName=\(Self.closed)\nExec=/bin/false\n".write(
            toFile: folder.file(Self.closed + ".service"), atomically: true, encoding: .utf8)
        let bus = try PrivateBus(services: folder.path)
        let loop = try EventLoop()
        let (link, store) = (Link(), Store())
        let server = try BusConnection(to: .address(bus.address), on: loop) { _ in }
        let client = try BusConnection(to: .address(bus.address), on: loop) { _ in }
        let service = try DistributorService(
            on: server, link: link, store: store, loop: loop, log: Log())
        link.service = service
        let connector = Connector()
        let export = try client.export(connector, at: ConnectorCall.usualPath)
        let importer = Importer(
            client, on: loop,
            [
                options("one", isDryRun: true), options("one"), options("one"),
                options("two", "org.example.None"), options("bad token\n"), options("", Self.app),
                options("three", "no name"), options("four", Self.closed, isDryRun: true),
            ])
        client.requestName(Self.app) { _ in service.offerManagement { importer.next() } }
        let guardian = Guardian(loop)
        _ = loop.schedule(after: Interval(.seconds(20)), guardian)
        _ = loop.run()
        let malformed = "REGISTRATION_FAILED INTERNAL_ERROR"
        #expect(
            importer.answers == [
                "WOULD_REGISTER", "REGISTRATION_SUCCEEDED", "KNOWN", "NOT_INSTALLED", malformed,
                malformed, malformed, "WOULD_REGISTER",
            ])
        #expect(link.registered.count == 1)
        #expect(store.saved.keys.map(\.token) == ["one"])
        #expect(connector.endpoints == ["one https://push.example/1"])
        service.end()
        export.end()
    }

    @Test("Without a receiver nothing is taken over")
    func noReceiver() throws {
        let bus = try PrivateBus()
        let loop = try EventLoop()
        let (link, store) = (Link(), Store())
        let server = try BusConnection(to: .address(bus.address), on: loop) { _ in }
        let client = try BusConnection(to: .address(bus.address), on: loop) { _ in }
        let service = try DistributorService(
            on: server, link: link, store: store, loop: loop, log: Log())
        service.update { distributor, _ in distributor.unlisted(until: 1_900_000_000) }
        let importer = Importer(
            client, on: loop, [options("one", isDryRun: true), options("one")])
        client.requestName(Self.app) { _ in service.offerManagement { importer.next() } }
        let guardian = Guardian(loop)
        _ = loop.schedule(after: Interval(.seconds(20)), guardian)
        _ = loop.run()
        let refused = "REGISTRATION_FAILED ACTION_REQUIRED"
        #expect(importer.answers == [refused, refused] && store.saved.isEmpty)
        service.end()
    }
}
