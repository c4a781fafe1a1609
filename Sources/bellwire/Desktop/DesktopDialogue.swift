import Bus
import Reactor

/// Sends one request to the running desktop service.
enum DesktopDialogue {
    private static let name = "org.bellwire.Desktop1"
    private static let path = "/org/bellwire/Desktop1"
    private static let patience = Duration.seconds(10)

    static func call(_ member: String, _ values: [BusValue] = []) throws -> [BusValue] {
        let reply = try reply { bus, completion in
            bus.call(
                BusMethodCall(to: name, path: path, interface: name, member: member, values),
                timeout: patience, completion: completion)
        }
        switch reply {
        case .success(let values): return values
        case .failure(let failure): throw error(failure)
        case nil:
            throw CommandError(
                message: "the session bus closed the connection", exitCode: .unavailable)
        }
    }

    /// Whether a program has that name on the session bus.
    static func hasOwner(_ name: String) throws -> Bool {
        let reply = try reply { bus, completion in
            bus.ask("NameHasOwner", [.string(name)], completion: completion)
        }
        return (try? reply?.get())?.first?.flag ?? false
    }

    /// Nil if the bus closed the connection.
    private static func reply(
        to request: (BusConnection, @escaping (BusReply) -> Void) -> Void
    ) throws -> BusReply? {
        let loop = try EventLoop()
        var answer: BusReply?
        let bus = try BusConnection(to: .session, on: loop) { _ in loop.stop() }
        request(bus) {
            answer = $0
            loop.stop()
        }
        _ = loop.run()
        bus.close()
        return answer
    }

    private static func error(_ failure: BusFailure) -> CommandError {
        switch failure.name {
        case "org.bellwire.Error.UnknownApplication":
            CommandError(
                message: "there is no such application",
                hint: "run bellwire apps list to see all applications",
                exitCode: .refused)
        case BusErrorName.accessDenied:
            CommandError(
                message: "the desktop service does not answer sandboxed programs",
                hint: "run this command outside the sandbox", exitCode: .refused)
        case BusErrorName.serviceUnknown, BusErrorName.nameHasNoOwner:
            CommandError(
                message: "no desktop service runs in this session",
                hint: "start it: bellwire desktop, or systemctl --user start bellwire-desktop",
                exitCode: .unavailable)
        case BusErrorName.unknownMethod:
            CommandError(
                message: "the desktop service is older than this command",
                hint: "restart it: systemctl --user restart bellwire-desktop",
                exitCode: .refused)
        default:
            CommandError(
                message: "the desktop service does not answer: \(failure)",
                exitCode: .unavailable)
        }
    }
}
