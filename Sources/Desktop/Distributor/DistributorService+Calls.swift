import Base
import Bus
import Crypto
import System
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
            let key = ClientKey(sandbox: sandbox.identifier, token: arguments.token)
            pass(call, arguments, key, service, channel)
        }
    }

    private func pass(
        _ call: BusCall, _ arguments: RegistrationArguments, _ key: ClientKey, _ service: String,
        _ channel: ChannelID
    ) {
        lastCall += 1
        registrations[lastCall] = call
        let request = RegisterCall(
            key: key, service: service, description: arguments.description,
            applicationKey: arguments.applicationKey, version: arguments.version, channel: channel)
        update { $0.register(request, call: lastCall, at: $1) }
    }

    private func unregister(_ call: BusCall, _ sandbox: Sandbox) {
        defer { finishCall() }
        let token =
            call.version == .one
            ? call.arguments.first?.text : call.arguments.first?.members?["token"]?.text
        unforgotten = nil
        // No registration has a malformed token.
        if let token, RegistrationArguments.isToken(token) {
            let key = ClientKey(sandbox: sandbox.identifier, token: token)
            update { $0.unregister(key, from: call.sender, version: call.version, at: $1) }
        }
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

/// Registrations that an application has at another distributor.
extension DistributorService {
    /// Registers an application under the token that it has elsewhere. It then gets its endpoint as
    /// if it had asked for one.
    func importRegistration(_ call: BusCall) {
        let options = call.arguments.first
        let version = options?.members?["version"]?.integer
        guard var arguments = RegistrationArguments(options: options),
            let version = version.flatMap({ UInt8(exactly: $0) }).flatMap(ConnectorVersion.init),
            BusName.isValid(arguments.service), !BusName.isUnique(arguments.service)
        else { return call.answer(.failed(.internal)) }
        arguments.version = version
        let isDryRun = options?.members?["dry-run"]?.flag ?? false
        find(arguments.service) { [weak self, arguments] place in
            guard let self else { return }
            switch place {
            case .failure(let answer): call.answer(answer)
            case .success(let sandbox):
                take(call, arguments, sandbox, isDryRun: isDryRun)
            }
        }
    }

    private func take(
        _ call: BusCall, _ arguments: RegistrationArguments, _ sandbox: Sandbox, isDryRun: Bool
    ) {
        guard sandbox.allows(arguments.service), !sandbox.speaksForItself,
            let channel = Self.newChannel()
        else { return call.answer(.failed(.unauthorized)) }
        let key = ClientKey(sandbox: sandbox.identifier, token: arguments.token)
        if let known = machine.clients[key]?.record {
            let isSame =
                known.service == arguments.service
                && known.applicationKey == arguments.applicationKey
            return call.answer(isSame ? .known : .otherApplication)
        }
        guard machine.end == nil else { return call.answer(.failed(.actionRequired)) }
        guard !isDryRun else { return call.answer(.wouldRegister) }
        pass(call, arguments, key, arguments.service, channel)
    }

    /// The sandbox of the program with that name. One that does not run has none, unless Flatpak
    /// would start it.
    private func find(
        _ service: String, then: @escaping (Result<Sandbox, ImportAnswer>) -> Void
    ) {
        bus.owner(of: service) { [weak self] owner in
            guard let self else { return }
            if let owner = try? owner.get() {
                return sandboxes.sandbox(of: owner, on: bus) { then(.success($0)) }
            }
            bus.activatableNames { names in
                guard (try? names.get())?.contains(service) == true else {
                    return then(.failure(.notInstalled))
                }
                then(Self.isOfFlatpak(service) ? .failure(.sandboxed) : .success(.none))
            }
        }
    }

    /// Whether Flatpak exports the file by which the bus starts this name.
    private static func isOfFlatpak(_ service: String) -> Bool {
        let home = Environment["HOME"].map { $0 + "/.local/share" }
        let folders = [Environment["XDG_DATA_HOME"] ?? home, "/var/lib"].compactMap(\.self)
        return folders.contains { folder in
            let path = "/flatpak/exports/share/dbus-1/services/\(service).service"
            return FileStamp(of: folder + path) != nil
        }
    }
}

/// The answers of `ImportRegistration` besides those of `Register`.
package enum ImportAnswer: String, Error, Sendable {
    case wouldRegister = "WOULD_REGISTER"
    case known = "KNOWN"
    /// Another application or another key has this token here.
    case otherApplication = "OTHER_APPLICATION"
    /// No program owns the name, and none can be started for it.
    case notInstalled = "NOT_INSTALLED"
    /// Its sandbox can be seen only while it runs.
    case sandboxed = "SANDBOXED"
}

extension BusCall {
    fileprivate func answer(_ answer: ImportAnswer) {
        reply([.options([("success", .string(answer.rawValue))])])
    }
}
