import Base

/// Requests of TDLib whose answer does not depend on the account.
extension Outcome {
    /// Nil for any other request.
    init?(plainRequest type: String, _ request: JSONNode) {
        switch type {
        case "getAuthorizationState": self = .object(#"{"@type":"authorizationStateReady"}"#)
        case "setAlarm": self = Self.alarm(request)
        case "setLogVerbosityLevel":
            let isLevel = 0...1_024 ~= request["new_verbosity_level"]?.integer ?? 0
            self = isLevel ? .ok : .badRequest("Wrong new verbosity level specified")
        case "getChatNotificationSettingsExceptions", "getStoryNotificationSettingsExceptions",
            "getSavedNotificationSound", "getSavedNotificationSounds", "addSavedNotificationSound",
            "removeSavedNotificationSound", "testNetwork":
            self = .needsServer
        case "testCallEmpty", "testGetDifference": self = .ok
        case "testReturnError":
            let error = request["error"]
            self =
                error?.kind == .object
                ? .error(
                    code: Int(error?["code"]?.integer ?? 0), message: error?["message"]?.text ?? "")
                : .error(code: 404, message: "Not Found")
        default:
            guard let answer = Self.test(type, request["x"]) else { return nil }
            self = .object(answer)
        }
    }

    /// The client gets its answer at once: a host keeps no timers for its clients.
    private static func alarm(_ request: JSONNode) -> Outcome {
        let text = request["seconds"]?.textOrNumber ?? "0"
        guard let seconds = Double(text), 0...3e9 ~= seconds else {
            return .badRequest("Wrong parameter seconds specified")
        }
        return .ok
    }

    /// The answer to a test gives back what the request carries.
    private static func test(_ type: String, _ value: JSONNode?) -> String? {
        var writer = JSONWriter()
        switch type {
        case "testCallString": writer.test("testString") { $0.string(value?.text ?? "") }
        case "testCallBytes": writer.test("testBytes") { $0.string(value?.text ?? "") }
        case "testSquareInt":
            let number = Int32(truncatingIfNeeded: value?.integer ?? 0)
            writer.test("testInt") { $0.number(Int(number &* number)) }
        case "testCallVectorInt":
            writer.list("testVectorInt", value) { $0.number(Int($1.integer ?? 0)) }
        case "testCallVectorString":
            writer.list("testVectorString", value) { $0.string($1.text ?? "") }
        case "testCallVectorIntObject":
            writer.list("testVectorIntObject", value) { writer, element in
                writer.test("testInt") { $0.number(Int(element["value"]?.integer ?? 0)) }
            }
        case "testCallVectorStringObject":
            writer.list("testVectorStringObject", value) { writer, element in
                writer.test("testString") { $0.string(element["value"]?.text ?? "") }
            }
        default: return nil
        }
        return writer.text
    }
}

extension JSONWriter {
    fileprivate mutating func test(_ type: String, _ value: (inout JSONWriter) -> Void) {
        object { writer in
            writer.member("@type", type)
            writer.name("value")
            value(&writer)
        }
    }

    fileprivate mutating func list(
        _ type: String, _ value: JSONNode?, _ element: (inout JSONWriter, JSONNode) -> Void
    ) {
        test(type) { writer in
            writer.array { writer in
                for node in value?.elements ?? [] { element(&writer, node) }
            }
        }
    }
}
