package import Base

/// The types of the members of TDLib's requests. Anything else is refused with TDLib's error text
/// before the request is carried out.
enum RequestShape {
    /// It is a struct, because leak checkers cannot follow the payload pointers of an enum.
    struct Kind: Sendable {
        enum Form: Sendable { case text, int32, int64, flag, array, object, oneOf }

        let form: Form
        /// The form of the elements of an array.
        var element = Form.text
        /// The members of an object.
        var members: [Member] = []
        /// Alternatives, chosen by `@type`.
        var classes: [(name: String, members: [Member])] = []

        static let text = Kind(form: .text)
        static let int32 = Kind(form: .int32)
        static let int64 = Kind(form: .int64)
        static let flag = Kind(form: .flag)

        static func list(_ element: Form) -> Kind { Kind(form: .array, element: element) }

        static func object(_ members: [Member]) -> Kind { Kind(form: .object, members: members) }

        static func oneOf(_ classes: [(name: String, members: [Member])]) -> Kind {
            Kind(form: .oneOf, classes: classes)
        }
    }

    struct Member: Sendable {
        let name: StaticString
        let kind: Kind

        init(_ name: StaticString, _ kind: Kind) { (self.name, self.kind) = (name, kind) }
    }

    /// The error in a request; nil if there is none, or if the request is not TDLib's.
    static func mistake(in request: JSONNode, _ type: String) -> String? {
        guard let members = requests[type] else { return nil }
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
        case .int32, .int64: return mistake(inNumber: node, kind.form)
        case .flag:
            let isFlag = node.kind == .bool || mistake(inNumber: node, .int32) == nil
            return isFlag ? nil : expected("Boolean", node)
        case .array:
            guard node.kind == .array else { return expected("Array", node) }
            let element = Kind(form: kind.element)
            return node.elements.lazy.compactMap { mistake(in: $0, element) }.first
        case .object:
            return node.kind == .object ? mistake(in: node, kind.members) : expected("Object", node)
        case .oneOf:
            guard node.kind == .object else { return expected("Object", node) }
            guard let name = node["@type"]?.text else { return "Can't find field \"@type\"" }
            guard let found = kind.classes.first(where: { $0.name == name }) else {
                return "Unknown class \"\(name)\""
            }
            return mistake(in: node, found.members)
        }
    }

    private static func mistake(inNumber node: JSONNode, _ form: Kind.Form) -> String? {
        guard let text = node.textOrNumber else { return expected("Number", node) }
        let isInteger =
            if form == .int32 {
                node.integer.flatMap { Int32(exactly: $0) } != nil
            } else {
                node.integer != nil
            }
        return isInteger ? nil : "Can't parse as an integer string \"\(text)\""
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

extension RequestShape {
    private static let requests: [String: [Member]] = [
        "setOption": [Member("name", .text), Member("value", optionValue)],
        "getOption": [Member("name", .text)],
        "removeNotification": [
            Member("notification_group_id", .int32), Member("notification_id", .int32),
        ],
        "removeNotificationGroup": [
            Member("notification_group_id", .int32), Member("max_notification_id", .int32),
        ],
        "setChatNotificationSettings": [
            Member("chat_id", .int64), Member("notification_settings", .object(chatSettings)),
        ],
        "setScopeNotificationSettings": [
            Member("scope", scope), Member("notification_settings", .object(scopeSettings)),
        ],
        "getScopeNotificationSettings": [Member("scope", scope)],
        "openChat": [Member("chat_id", .int64)],
        "closeChat": [Member("chat_id", .int64)],
        "viewMessages": [
            Member("chat_id", .int64), Member("message_ids", .list(.int64)),
            Member("force_read", .flag),
        ],
        "setChatDraftMessage": [Member("chat_id", .int64)],
        "getMessageLocally": [Member("chat_id", .int64), Member("message_id", .int64)],
        "processPushNotification": [Member("payload", .text)],
        "getPushReceiverId": [Member("payload", .text)],
    ]

    private static let optionValue = Kind.oneOf([
        ("optionValueBoolean", [Member("value", .flag)]),
        ("optionValueEmpty", []),
        ("optionValueInteger", [Member("value", .int64)]),
        ("optionValueString", [Member("value", .text)]),
    ])

    private static let scope = Kind.oneOf([
        ("notificationSettingsScopePrivateChats", []),
        ("notificationSettingsScopeGroupChats", []),
        ("notificationSettingsScopeChannelChats", []),
    ])

    private static let scopeSettings =
        [Member("mute_for", .int32), Member("sound_id", .int64), Member("story_sound_id", .int64)]
        + [
            "show_preview", "use_default_mute_stories", "mute_stories", "show_story_poster",
            "disable_pinned_message_notifications", "disable_mention_notifications",
        ].map { Member($0, .flag) }

    private static let chatSettings =
        scopeSettings
        + [
            "use_default_mute_for", "use_default_sound", "use_default_show_preview",
            "use_default_story_sound", "use_default_show_story_poster",
            "use_default_disable_pinned_message_notifications",
            "use_default_disable_mention_notifications",
        ].map { Member($0, .flag) }
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
        let type = request["@type"]?.text ?? ""
        return RequestShape.mistake(in: request, type).map { .unreadable($0) }
    }
}
