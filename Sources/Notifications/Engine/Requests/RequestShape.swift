package import Base

/// The types of the members of TDLib's requests. Anything else is refused with TDLib's error text
/// before the request is carried out.
enum RequestShape {
    /// It is a struct, because leak checkers cannot follow the payload pointers of an enum.
    struct Kind: Sendable {
        enum Form: Sendable { case text, int32, int64, double, flag, array, object, oneOf }

        let form: Form
        /// The form of the elements of an array.
        var element = Form.text
        /// The members of an object, or of each object in an array.
        var members: [Member] = []
        /// Alternatives, chosen by `@type`.
        var classes: [(name: String, members: [Member])] = []

        static let text = Kind(form: .text)
        static let int32 = Kind(form: .int32)
        static let int64 = Kind(form: .int64)
        static let double = Kind(form: .double)
        static let flag = Kind(form: .flag)

        static func list(_ element: Form) -> Kind { Kind(form: .array, element: element) }

        static func list(of members: [Member]) -> Kind {
            Kind(form: .array, element: .object, members: members)
        }

        static func object(_ members: [Member]) -> Kind { Kind(form: .object, members: members) }

        static func oneOf(_ classes: [(name: String, members: [Member])]) -> Kind {
            Kind(form: .oneOf, classes: classes)
        }

        /// Alternatives without members.
        static func oneOf(names: [String]) -> Kind {
            oneOf(names.map { (name: $0, members: []) })
        }
    }

    struct Member: Sendable {
        let name: StaticString
        let kind: Kind

        init(_ name: StaticString, _ kind: Kind) { (self.name, self.kind) = (name, kind) }
    }

    /// The error in a request; nil if there is none, or if the request is not TDLib's.
    static func mistake(in request: JSONNode) -> String? {
        if let mistake = mistake(inTypeOf: request) { return mistake }
        guard let members = requests[request["@type"]?.text ?? ""] else { return nil }
        return mistake(in: request, members)
    }

    private static func mistake(in node: JSONNode, _ members: [Member]) -> String? {
        for member in members {
            if let value = node[member.name], let mistake = mistake(in: value, member.kind) {
                return mistake
            }
        }
        return nil
    }

    /// Null counts as absent.
    private static func mistake(in node: JSONNode, _ kind: Kind) -> String? {
        if node.kind == .null { return nil }
        switch kind.form {
        case .text: return node.kind == .string ? nil : expected("String", node)
        case .int32: return mistake(inNumber: node, "Number") { Int32(exactly: $0) != nil }
        case .int64: return mistake(inNumber: node, "String or Number") { _ in true }
        case .double: return node.kind == .number ? nil : expected("Number", node)
        case .flag:
            let isFlag = node.kind == .bool || mistake(in: node, .int32) == nil
            return isFlag ? nil : expected("Boolean", node)
        case .array:
            guard node.kind == .array else { return expected("Array", node) }
            let element = Kind(form: kind.element, members: kind.members)
            return node.elements.lazy.compactMap { mistake(in: $0, element) }.first
        case .object:
            return node.kind == .object ? mistake(in: node, kind.members) : expected("Object", node)
        case .oneOf:
            guard node.kind == .object else { return expected("Object", node) }
            if let mistake = mistake(inTypeOf: node) { return mistake }
            let name = node["@type"]?.text ?? ""
            guard let found = kind.classes.first(where: { $0.name == name }) else {
                return "Unknown class \"\(name)\""
            }
            return mistake(in: node, found.members)
        }
    }

    /// TDLib also takes the number of a class, but no client writes it.
    private static func mistake(inTypeOf node: JSONNode) -> String? {
        guard let type = node["@type"] else { return "Can't find field \"@type\"" }
        switch type.kind {
        case .string: return nil
        case .number:
            let number = UInt32(bitPattern: Int32(wrappedStartOf: type.textOrNumber ?? ""))
            return "Unknown constructor 0x\(number.hexadecimal)"
        default: return expected("String or Integer", type)
        }
    }

    private static func mistake(
        inNumber node: JSONNode, _ kinds: String, fits: (Int64) -> Bool
    ) -> String? {
        guard let text = node.textOrNumber else { return expected(kinds, node) }
        if let number = node.integer, fits(number) { return nil }
        return "Can't parse as an integer string \"\(text)\""
    }

    private static func expected(_ kind: String, _ node: JSONNode) -> String {
        let found =
            switch node.kind {
            case .object: "Object"
            case .array: "Array"
            case .string: "String"
            case .number: "Number"
            case .bool: "Boolean"
            case .null: "Null"
            }
        return "Expected \(kind), but receive \(found)"
    }
}

extension Outcome {
    package static func unreadable(_ mistake: String) -> Outcome {
        .badRequest("Failed to parse JSON object as TDLib request: \(mistake)")
    }

    /// The answer to an unknown request.
    package static func unknown(_ type: String) -> Outcome {
        unreadable("Unknown class \"\(type)\"")
    }
}

extension Engine {
    /// Why a request is refused; nil if it can be read or is not TDLib's.
    package static func refusal(of request: JSONNode) -> Outcome? {
        RequestShape.mistake(in: request).map { .unreadable($0) }
    }
}
