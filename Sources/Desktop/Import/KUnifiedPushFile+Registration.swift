import Base
package import Bus

extension KUnifiedPushFile.Entry {
    /// The arguments of `ImportRegistration`.
    package func options(isDryRun: Bool) throws(KUnifiedPushFile.Objection) -> BusValue {
        guard !service.isEmpty else { throw .noService }
        guard BusName.isValid(service), !BusName.isUnique(service) else { throw .badService }
        guard RegistrationArguments.isToken(token) else { throw .badToken }
        guard let version = UInt8(exactly: version), ConnectorVersion(rawValue: version) != nil
        else { throw .badVersion }
        var members: [(String, BusValue)] = [
            ("service", .string(service)), ("token", .string(token)),
            ("description", .string(shortDescription)), ("version", .uint32(UInt32(version))),
            ("dry-run", .boolean(isDryRun)),
        ]
        if !applicationKey.isEmpty {
            guard ApplicationKey(applicationKey) != nil else { throw .badKey }
            members.append(("vapid", .string(applicationKey)))
        }
        return .options(members)
    }

    /// Other distributors have no limit.
    private var shortDescription: String {
        var text = Printable.text(description)
        while text.utf8.count > RegistrationArguments.descriptionLimit { text.removeLast() }
        return text
    }
}
