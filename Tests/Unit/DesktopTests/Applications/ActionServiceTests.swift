import Base
import Bus
import Foundation
import Notifications
import System
import TestSupport
import Testing

@testable import Desktop

@Suite("Passing user actions to applications")
struct ActionServiceTests {
    private static let app = "org.example.Chat"
    private static let busy = (1...4).map { "org.example.Busy\($0)" }

    /// Applications on the bus that record who is called with what.
    private final class Applications: BusObject {
        let interfaces = [
            BusInterface(
                "org.freedesktop.Application",
                methods: [
                    .init("Activate", [.init("platform_data", "a{sv}")]),
                    .init(
                        "ActivateAction",
                        [
                            .init("action_name", "s"), .init("parameter", "av"),
                            .init("platform_data", "a{sv}"),
                        ]),
                ])
        ]
        var calls: [String: [String]] = [:]
        var changed: () -> Void = {}

        func called(_ call: BusCall) {
            let text = ([call.member] + call.arguments.prefix(1).compactMap(\.text))
            calls[call.path, default: []].append(text.joined(separator: " "))
            call.reply()
            changed()
        }
    }

    private final class Guardian: TimerHandler {
        let loop: EventLoop
        init(_ loop: EventLoop) { self.loop = loop }
        func timerFired(_ cookie: UInt64) { loop.stop() }
    }

    private static func path(_ service: String) -> String {
        "/" + service.replacing(".", with: "/")
    }

    private static func action(for service: String) throws -> EngineMessage {
        let json = """
            {"@type":"bellwire.updateNotificationAction","id":"1","chat_id":5,"message_id":9,
            "action":"default","data":{"x":1},"service":"\(service)"}
            """
        return try #require(EngineMessage(try JSONDocument(Array(json.utf8)).root))
    }

    @Test("If reading a desktop entry takes too long, the action is passed later")
    func late() throws {
        let bus = try PrivateBus()
        let loop = try EventLoop()
        let server = try BusConnection(to: .address(bus.address), on: loop) { _ in }
        let client = try BusConnection(to: .address(bus.address), on: loop) { _ in }
        let applications = Applications()
        let services = Self.busy + [Self.app]
        let exports = try services.map { try server.export(applications, at: Self.path($0)) }
        // All threads that may read are blocked by other entries.
        let gate = DispatchSemaphore(value: 0)
        let actionService = ActionService(
            on: loop, log: Log(), service: { _ in nil },
            entry: { service in
                if service != Self.app { gate.wait() }
                let file = "[Desktop Entry]\nDBusActivatable=true\nActions=open-notification;\n"
                return DesktopEntry(Array(file.utf8))
            }, request: { _, _ in })
        applications.changed = {
            let calls = applications.calls
            if calls[Self.path(Self.app)] != nil { return loop.stop() }
            guard calls.count == Self.busy.count else { return }
            // It is called again when it appears again.
            server.ask("ReleaseName", [.string(Self.app)]) { _ in
                server.requestName(Self.app) { _ in }
            }
        }
        for (number, service) in services.enumerated() {
            server.requestName(service) { _ in
                guard number == services.count - 1 else { return }
                actionService.use(client)
                for service in services {
                    guard let action = try? Self.action(for: service) else { return loop.stop() }
                    #expect(actionService.received(action, from: service))
                }
                for _ in Self.busy { gate.signal() }
            }
        }
        let guardian = Guardian(loop)
        _ = loop.schedule(after: Interval(.seconds(20)), guardian)
        _ = loop.run()
        for service in services {
            #expect(
                applications.calls[Self.path(service)] == ["ActivateAction open-notification"])
        }
        applications.changed = {}
        actionService.close()
        for export in exports { export.end() }
    }
}
