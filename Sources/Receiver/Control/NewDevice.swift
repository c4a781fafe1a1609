import Base
import HTTP

/// The body of a request for a device: `{"name", "owner"?}`.
struct NewDevice: Equatable {
    /// Names are shown in lists and logs.
    static let nameLimit = 64

    let name: String
    let owner: String?

    init(json: [UInt8]) throws(ControlRefusal) {
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
            throw .badBody("the body is no JSON object of texts")
        }
        let name = members.removeValue(forKey: "name")
        owner = members.removeValue(forKey: "owner")
        guard members.isEmpty else { throw .badBody("only name and owner can be said") }
        guard let name else { throw .badBody("name is missing") }
        self.name = name
        for text in [name, owner].compactMap(\.self) where !Self.isName(text) {
            throw .badBody("a name has 1 to \(Self.nameLimit) characters that can be printed")
        }
    }

    private static func isName(_ text: String) -> Bool {
        (1...nameLimit).contains(text.count)
            && text.utf8.count <= 4 * nameLimit
            && !text.unicodeScalars.contains(where: Printable.isUnsafe)
            && text.first?.isWhitespace == false && text.last?.isWhitespace == false
    }
}
