import Bus

/// Finds the bus name to call an application by.
///
/// Some connectors pass another name at `Register`. Then a name that the caller owns replaces it,
/// or the name of its connection.
enum ServiceLookup {
    static func service(
        _ given: String, of caller: String, _ sandbox: Sandbox, on bus: BusConnection,
        completion: @escaping (String) -> Void
    ) {
        guard BusName.isValid(given), !BusName.isUnique(given) else {
            // A caller may only name its own unique name.
            if given == caller { return completion(caller) }
            return ownName(of: caller, on: bus) { completion($0 ?? caller) }
        }
        bus.owner(of: given) { owner in
            let owner = try? owner.get()
            // A caller that may only speak for itself cannot get another program's messages.
            if let owner, !sandbox.speaksForItself || owner == caller { return completion(given) }
            bus.activatableNames { names in
                let isInstalled = (try? names.get())?.contains(given) ?? false
                if isInstalled, owner == nil, !sandbox.speaksForItself { return completion(given) }
                ownName(of: caller, on: bus) { completion($0 ?? caller) }
            }
        }
    }

    /// The first well-known name that a connection owns.
    private static func ownName(
        of caller: String, on bus: BusConnection, completion: @escaping (String?) -> Void
    ) {
        bus.names { reply in
            let names = ((try? reply.get()) ?? []).filter { !BusName.isUnique($0) }.sorted()
            find(names[...], of: caller, on: bus, completion: completion)
        }
    }

    private static func find(
        _ names: ArraySlice<String>, of caller: String, on bus: BusConnection,
        completion: @escaping (String?) -> Void
    ) {
        guard let name = names.first else { return completion(nil) }
        bus.owner(of: name) { owner in
            if case .success(let owner) = owner, owner == caller { return completion(name) }
            find(names.dropFirst(), of: caller, on: bus, completion: completion)
        }
    }
}
