import Base

/// The body of a request for a device: `{"name", "owner"?, "receive_only"?}`.
struct NewDevice: Equatable {
    static let nameLimit = 64

    let name: String
    let owner: String?
    let isReceiveOnly: Bool

    init(json: [UInt8]) throws(APIRefusal) {
        var flags: [String: Bool] = [:]
        var members = try Self.names(json, &flags)
        isReceiveOnly = flags.removeValue(forKey: "receive_only") ?? false
        guard let name = members.removeValue(forKey: "name") else {
            throw .badBody("name is missing")
        }
        owner = members.removeValue(forKey: "owner")
        guard members.isEmpty, flags.isEmpty else {
            throw .badBody("only name, owner and receive_only are allowed")
        }
        self.name = name
    }

    /// The body of a request for an owner: `{"name"}`.
    static func owner(json: [UInt8]) throws(APIRefusal) -> String {
        var flags: [String: Bool] = [:]
        let members = try names(json, &flags)
        guard let name = members["name"] else { throw .badBody("name is missing") }
        guard members.count == 1, flags.isEmpty else { throw .badBody("only name is allowed") }
        return name
    }

    private static func names(
        _ json: [UInt8], _ flags: inout [String: Bool]
    ) throws(APIRefusal) -> [String: String] {
        var members: [String: String] = [:]
        do throws(JSONScanner.Failure) {
            var scanner = JSONScanner(json)
            try scanner.forEachMember { name, scanner throws(JSONScanner.Failure) in
                let name = scanner.string(name)
                let isNew = members[name] == nil && flags[name] == nil
                switch try scanner.next() {
                case .string(let value) where isNew: members[name] = scanner.string(value)
                case .bool(let value) where isNew: flags[name] = value
                default: throw .invalid(at: scanner.position)
                }
            }
            try scanner.expectEnd()
        } catch {
            throw .badBody("the body is not a JSON object of texts, true and false")
        }
        for text in members.values where !isName(text) {
            throw .badBody("a name has 1 to \(nameLimit) printable characters")
        }
        return members
    }

    private static func isName(_ text: String) -> Bool {
        (1...nameLimit).contains(text.count)
            && text.utf8.count <= 4 * nameLimit
            && !text.unicodeScalars.contains(where: Printable.isUnsafe)
            && text.first?.isWhitespace == false && text.last?.isWhitespace == false
    }
}
