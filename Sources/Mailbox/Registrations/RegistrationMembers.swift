package import Base

/// The members of a JSON object. Each is read once, with the type it must have.
package struct RegistrationMembers {
    package typealias Fault = RegistrationTerms.Fault

    private var members: [String: JSONNode] = [:]

    package init(_ object: JSONNode) throws(Fault) {
        guard object.kind == .object else { throw Fault("the body is not a JSON object") }
        for (name, value) in object.members {
            guard members.updateValue(value, forKey: name) == nil else {
                throw Fault("\(name) is given twice")
            }
        }
    }

    /// Rejects members that were not read.
    package func expectNoOthers() throws(Fault) {
        guard let name = members.keys.min() else { return }
        throw Fault("\(Printable.text(name, limit: 64)) is not a member of this request")
    }

    mutating func forget(_ name: String) { members[name] = nil }

    package mutating func text(_ name: String) throws(Fault) -> String? {
        guard let node = members.removeValue(forKey: name) else { return nil }
        guard node.kind == .string, let text = node.text else {
            throw Fault("\(name) must be a text")
        }
        return text
    }

    /// A text that people see in lists and logs.
    mutating func name(_ name: String, limit: Int) throws(Fault) -> String? {
        guard let text = try text(name) else { return nil }
        guard (1...limit).contains(text.utf8.count),
            !text.unicodeScalars.contains(where: Printable.isUnsafe)
        else { throw Fault("\(name) must have 1 to \(limit) printable bytes") }
        return text
    }

    package mutating func flag(_ name: String) throws(Fault) -> Bool? {
        guard let node = members.removeValue(forKey: name) else { return nil }
        guard let flag = node.bool else { throw Fault("\(name) must be true or false") }
        return flag
    }

    mutating func integer(_ name: String) throws(Fault) -> Int64? {
        guard let node = members.removeValue(forKey: name) else { return nil }
        guard node.kind == .number, let number = node.integer else {
            throw Fault("\(name) must be a whole number")
        }
        return number
    }

    mutating func seconds(
        _ name: String, _ range: ClosedRange<UInt32>
    ) throws(Fault) -> UInt32? {
        guard let number = try integer(name) else { return nil }
        guard let seconds = UInt32(exactly: number), range.contains(seconds) else {
            throw Fault("\(name) must be \(range.lowerBound) to \(range.upperBound) seconds")
        }
        return seconds
    }

    /// A number, or a string that holds one.
    mutating func userID(_ name: String) throws(Fault) -> Int64? {
        guard let node = members.removeValue(forKey: name) else { return nil }
        return try Self.userID(node, name)
    }

    mutating func userIDs(_ name: String, limit: Int) throws(Fault) -> [Int64]? {
        guard let node = members.removeValue(forKey: name) else { return nil }
        guard node.kind == .array, node.elements.count <= limit else {
            throw Fault("\(name) must be a list of at most \(limit)")
        }
        var ids: [Int64] = []
        for element in node.elements { ids.append(try Self.userID(element, name)) }
        return ids
    }

    private static func userID(_ node: JSONNode, _ name: String) throws(Fault) -> Int64 {
        guard let id = node.integer, id > 0 else { throw Fault("\(name) contains a wrong user id") }
        return id
    }

    /// Reads defaults as in the ICQ protocol: `loc_args` names the values that go into the text.
    mutating func presentation(_ name: String) throws(Fault) -> String? {
        guard let node = members.removeValue(forKey: name) else { return nil }
        guard node.kind == .object else { throw Fault("\(name) must be an object") }
        var seen: Set<String> = []
        for (member, value) in node.members {
            let isRight =
                switch member {
                case "sound", "loc_key", "action_loc_key": value.kind == .string
                case "replies": value.kind == .bool
                case "loc_keys":
                    value.kind == .object && value.members.count <= Self.sentenceLimit
                        && value.members.allSatisfy { $0.value.kind == .string }
                case "link_schemes": Self.areSchemes(value)
                case "badge": [.bool, .number, .string].contains(value.kind)
                case "loc_args":
                    value.kind == .string
                        || value.kind == .array
                            && value.elements.allSatisfy { $0.kind == .string }
                default: false
                }
            guard isRight, seen.insert(member).inserted else {
                throw Fault("\(name) contains a wrong member")
            }
        }
        return JSONText.anew(node)
    }

    private static let schemeLimit = 16
    private static let sentenceLimit = 500

    private static func areSchemes(_ node: JSONNode) -> Bool {
        node.kind == .array && node.elements.count <= schemeLimit
            && node.elements.allSatisfy { element in
                element.kind == .string && element.text.map(URLScheme.isScheme) == true
            }
    }
}
