import CSystemd

/// Requests to the bus itself.
extension BusConnection {
    /// The unique name of this connection. Waits until the bus has assigned it.
    package func uniqueName() throws(BusError) -> String {
        var name: UnsafePointer<CChar>?
        try ensure(sd_bus_get_unique_name(handle.handle, &name), "sd_bus_get_unique_name")
        return name.map { String(cString: $0) } ?? ""
    }

    package static let driver = "org.freedesktop.DBus"
    private static let driverPath = "/org/freedesktop/DBus"

    package func ask(
        _ member: String, _ arguments: [BusValue] = [], completion: @escaping (BusReply) -> Void
    ) {
        call(
            BusMethodCall(
                to: Self.driver, path: Self.driverPath, interface: Self.driver, member: member,
                arguments), completion: completion)
    }

    /// Acquires a name for as long as the connection lasts. Nobody else can queue for it or replace
    /// us.
    package func requestName(
        _ name: String, completion: @escaping (Result<NameClaim, BusFailure>) -> Void
    ) {
        // DBUS_NAME_FLAG_DO_NOT_QUEUE
        ask("RequestName", [.string(name), .uint32(4)]) { reply in
            completion(reply.map { NameClaim(code: $0.first?.integer) })
        }
    }

    /// The unique name of the owner; nil if there is none.
    package func owner(
        of name: String, completion: @escaping (Result<String?, BusFailure>) -> Void
    ) {
        ask("GetNameOwner", [.string(name)]) { reply in
            switch reply {
            case .success(let values): completion(.success(values.first?.text))
            case .failure(let failure) where failure.name == BusErrorName.nameHasNoOwner:
                completion(.success(nil))
            case .failure(let failure): completion(.failure(failure))
            }
        }
    }

    /// The names that have an owner.
    package func names(completion: @escaping (Result<[String], BusFailure>) -> Void) {
        ask("ListNames") { completion($0.map { $0.first?.texts ?? [] }) }
    }

    /// The names that the bus can start a program for.
    package func activatableNames(
        completion: @escaping (Result<[String], BusFailure>) -> Void
    ) {
        ask("ListActivatableNames") { completion($0.map { $0.first?.texts ?? [] }) }
    }

    /// Calls back when the name gets, changes or loses its owner; nil means no owner.
    package func watchOwner(
        of name: String, _ changed: @escaping (_ old: String?, _ new: String?) -> Void
    ) throws(BusError) -> BusSubscription {
        let rule = BusRule(
            sender: Self.driver, path: Self.driverPath, interface: Self.driver,
            member: "NameOwnerChanged", argument: name)
        return try listen(for: rule) { signal in
            let names = signal.arguments.compactMap(\.text)
            // Any program can send a signal of that name; only the bus can send as the bus.
            guard signal.sender == Self.driver, names.count == 3, names[0] == name else { return }
            changed(names[1].isEmpty ? nil : names[1], names[2].isEmpty ? nil : names[2])
        }
    }
}

/// The result of a request for a name.
package enum NameClaim: Sendable {
    case owned
    case taken

    init(code: Int64?) {
        // DBUS_REQUEST_NAME_REPLY_PRIMARY_OWNER and _ALREADY_OWNER
        self = code == 1 || code == 4 ? .owned : .taken
    }
}

package enum BusName {
    /// Whether the bus accepts `text` as a unique or well-known name.
    package static func isValid(_ text: String) -> Bool {
        !text.utf8.contains(0) && sd_bus_service_name_is_valid(text) > 0
    }

    package static func isUnique(_ text: String) -> Bool { text.hasPrefix(":") }
}

/// The process behind a connection, as the bus knows it.
package struct BusCredentials: Sendable {
    package let user: UInt32?
    package let process: Int32?
    /// Keeps the number of the process from being reused unnoticed.
    package let descriptor: BusDescriptor?

    init(_ members: [String: BusValue]) {
        user = members["UnixUserID"]?.integer.flatMap { UInt32(exactly: $0) }
        process = members["ProcessID"]?.integer.flatMap { Int32(exactly: $0) }
        if case .descriptor(let descriptor)? = members["ProcessFD"] {
            self.descriptor = descriptor
        } else {
            descriptor = nil
        }
    }
}

extension BusConnection {
    package func credentials(
        of name: String, completion: @escaping (Result<BusCredentials, BusFailure>) -> Void
    ) {
        ask("GetConnectionCredentials", [.string(name)]) { reply in
            completion(reply.map { BusCredentials($0.first?.members ?? [:]) })
        }
    }
}
