import Bus
import System

/// Registrations that an application has at another distributor.
extension DistributorService {
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

    /// Registers an application under the token that it has elsewhere. It then gets its endpoint as
    /// if it had asked for one.
    func importRegistration(_ call: BusCall) {
        let options = call.arguments.first
        let version = options?.members?["version"]?.integer
        guard let arguments = RegistrationArguments(options: options),
            let version = version.flatMap({ UInt8(exactly: $0) }).flatMap(ConnectorVersion.init),
            BusName.isValid(arguments.service), !BusName.isUnique(arguments.service)
        else { return call.answer(.failed(.internal)) }
        let isDryRun = options?.members?["dry-run"]?.flag ?? false
        find(arguments.service) { [weak self] place in
            guard let self else { return }
            switch place {
            case .failure(let answer): call.answer(answer)
            case .success(let sandbox):
                take(call, arguments, version, sandbox, isDryRun: isDryRun)
            }
        }
    }

    private func take(
        _ call: BusCall, _ arguments: RegistrationArguments, _ version: ConnectorVersion,
        _ sandbox: Sandbox, isDryRun: Bool
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
        lastCall += 1
        registrations[lastCall] = call
        machine.register(
            RegisterCall(
                key: key, service: arguments.service, description: arguments.description,
                applicationKey: arguments.applicationKey, version: version, channel: channel),
            call: lastCall, at: now)
        perform()
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

extension BusCall {
    fileprivate func answer(_ answer: DistributorService.ImportAnswer) {
        reply([.options([("success", .string(answer.rawValue))])])
    }
}
