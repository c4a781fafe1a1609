import Base
import Bus
import Crypto
import Reactor
import WebPush

/// Calls of applications.
extension DistributorService {
    /// The most calls that may wait.
    private static let intakeLimit = 1_000

    func received(_ call: BusCall) {
        guard let delay = machine.delay(of: call.sender, at: now),
            intake.count + parked.count < Self.intakeLimit
        else { return refuse(call) }
        guard delay > .zero else { return enqueue(call) }
        lastParked += 1
        parked[lastParked] = call
        _ = loop.schedule(after: Interval(delay), self, cookie: lastParked)
    }

    func enqueue(_ call: BusCall) {
        intake.append(call)
        lookUpNext()
    }

    private func refuse(_ call: BusCall) {
        if call.member == "Register" {
            call.answer(.failed(.internal))
        } else {
            call.fail(BusErrorName.limitsExceeded, "too many calls")
        }
    }

    private func lookUpNext() {
        guard !isLookingUp, !intake.isEmpty else { return }
        isLookingUp = true
        let call = intake.removeFirst()
        sandboxes.sandbox(of: call.sender, on: bus) { [weak self] sandbox in
            guard let self else { return }
            if call.member == "Register" {
                register(call, sandbox)
            } else {
                unregister(call, sandbox)
            }
        }
    }

    private func finishCall() {
        perform()
        isLookingUp = false
        lookUpNext()
    }

    private func register(_ call: BusCall, _ sandbox: Sandbox) {
        let arguments =
            call.version == .one
            ? RegistrationArguments(call.arguments)
            : RegistrationArguments(options: call.arguments.first)
        guard let arguments, let channel = Self.newChannel() else {
            call.answer(.failed(.internal))
            return finishCall()
        }
        ServiceLookup.service(arguments.service, of: call.sender, sandbox, on: bus) {
            [weak self] service in
            guard let self else { return }
            defer { finishCall() }
            guard BusName.isUnique(service) || sandbox.allows(service) else {
                return call.answer(.failed(.unauthorized))
            }
            lastCall += 1
            registrations[lastCall] = call
            machine.register(
                RegisterCall(
                    key: ClientKey(sandbox: sandbox.identifier, token: arguments.token),
                    service: service, description: arguments.description,
                    applicationKey: arguments.applicationKey, version: arguments.version,
                    channel: channel), call: lastCall, at: now)
        }
    }

    private func unregister(_ call: BusCall, _ sandbox: Sandbox) {
        defer { finishCall() }
        let token =
            call.version == .one
            ? call.arguments.first?.text : call.arguments.first?.members?["token"]?.text
        unforgotten = nil
        // No registration has a malformed token.
        if let token, RegistrationArguments.isToken(token) {
            machine.unregister(
                ClientKey(sandbox: sandbox.identifier, token: token), from: call.sender,
                version: call.version, at: now)
        }
        perform()
        // Whoever is told that it has ended may rely on that, also after a kill.
        guard unforgotten == nil else {
            return call.fail(BusErrorName.failed, "the end could not be stored")
        }
        call.reply(call.version == .two ? [.options([])] : [])
    }

    static func newChannel() -> ChannelID? {
        guard let bytes = try? Random.bytes(count: 16) else { return nil }
        return Bits128(bytes.span).map { ChannelID($0) }
    }
}
