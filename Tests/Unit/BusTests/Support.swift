import System
import TestSupport
import Testing
@testable import Bus

/// A private bus, and a loop that runs until the test stops it.
struct BusFixture {
    let bus = try? PrivateBus()
    let loop: EventLoop

    init() throws { loop = try EventLoop() }

    func connect(_ ended: @escaping (BusError) -> Void = { _ in }) throws -> BusConnection {
        let address = try #require(bus?.address)
        return try BusConnection(to: .address(address), on: loop, ended: ended)
    }

    /// Runs the loop until somebody stops it; fails the test if nobody does.
    func run() {
        let guardian = Guardian(loop)
        _ = loop.schedule(after: Interval(.seconds(20)), guardian)
        _ = loop.run()
        if guardian.hasFired { Issue.record("nobody stopped the loop in time") }
    }

    func after(_ pause: Duration, _ call: @escaping () -> Void) {
        _ = loop.schedule(after: Interval(pause), Later(call))
    }
}

private final class Guardian: TimerHandler {
    let loop: EventLoop
    private(set) var hasFired = false
    init(_ loop: EventLoop) { self.loop = loop }

    func timerFired(_ cookie: UInt64) {
        hasFired = true
        loop.stop()
    }
}

private final class Later: TimerHandler {
    let call: () -> Void
    init(_ call: @escaping () -> Void) { self.call = call }
    func timerFired(_ cookie: UInt64) { call() }
}

/// An object whose one method returns its arguments.
final class Echo: BusObject {
    let interfaces: [BusInterface]
    var calls: [BusCall] = []
    var answer: (BusCall) -> Void = { $0.reply($0.arguments) }

    static let name = "org.bellwire.Echo"

    init(type: String) {
        interfaces = [
            BusInterface(
                Self.name,
                methods: [
                    .init("Echo", [.init("value", type)], output: [.init("value", type)]),
                    .init("Tell", [.init("text", "s")], isAnswered: false),
                ],
                signals: [.init("Rang", [.init("bell", "s")])],
                properties: [.init("Volume", "u")])
        ]
    }

    func called(_ call: BusCall) {
        calls.append(call)
        answer(call)
    }

    func property(_ name: String, of interface: String) -> BusValue? {
        name == "Volume" && interface == Self.name ? .uint32(7) : nil
    }

    static func call(
        _ member: String, to destination: String, _ arguments: [BusValue],
        interface: String = name, path: String = "/echo"
    ) -> BusMethodCall {
        BusMethodCall(
            to: destination, path: path, interface: interface, member: member, arguments)
    }
}
