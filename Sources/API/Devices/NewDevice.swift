import Base

/// The body of a request for a device: `{"name", "owner"?}`.
struct NewDevice: Equatable {
    static let nameLimit = 64

    let name: String
    let owner: String?

    init(json: [UInt8]) throws(APIRefusal) {
        var members = try Self.names(json)
        guard let name = members.removeValue(forKey: "name") else {
            throw .badBody("name is missing")
        }
        owner = members.removeValue(forKey: "owner")
        guard members.isEmpty else { throw .badBody("only name and owner are allowed") }
        self.name = name
    }

    /// The body of a request for an owner: `{"name"}`.
    static func owner(json: [UInt8]) throws(APIRefusal) -> String {
        let members = try names(json)
        guard let name = members["name"] else { throw .badBody("name is missing") }
        guard members.count == 1 else { throw .badBody("only name is allowed") }
        return name
    }

    private static func names(_ json: [UInt8]) throws(APIRefusal) -> [String: String] {
        var members: [String: String] = [:]
        do throws(JSONScanner.Failure) {
            var scanner = JSONScanner(json)
            try scanner.forEachMember { name, scanner throws(JSONScanner.Failure) in
                let name = scanner.string(name)
                guard case .string(let value) = try scanner.next(), members[name] == nil else {
                    throw .invalid(at: scanner.position)
                }
                members[name] = scanner.string(value)
            }
            try scanner.expectEnd()
        } catch {
            throw .badBody("the body is not a JSON object of texts")
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
