package import Base

/// A registration's defaults for notifications, used where a payload leaves something out.
package struct SourcePresentation: Equatable, Sendable {
    package var sound = ""
    /// A sentence with `{1}`, `{2}` and so on as placeholders for `arguments`.
    package var sentence = ""
    /// The names of the arguments: srcName, srcId, destName, timestamp, message.
    package var arguments: [String] = []
    /// The application's own sentences for keys of Apple's payloads, as in its
    /// `Localizable.strings`.
    package var sentences: [String: String] = [:]
    /// The label of the default action.
    package var defaultAction = ""
    package var showsBadge = true

    package init() {}

    /// Whether it has a default that payloads of every dialect can use.
    var completes: Bool { !sound.isEmpty || !defaultAction.isEmpty }

    /// Reads the members `sound`, `loc_key`, `loc_args`, `loc_keys`, `action_loc_key` and `badge`.
    package init(_ node: JSONNode) {
        sound = Presentation.bareSound(node["sound"]?.text ?? "")
        sentence = node["loc_key"]?.text ?? ""
        defaultAction = node["action_loc_key"]?.text ?? ""
        // ICQ's documentation calls it a boolean but describes a text.
        let badge = node["badge"]
        showsBadge = badge?.bool ?? !["0", "false", "no"].contains(badge?.textOrNumber)
        for (key, sentence) in node["loc_keys"]?.members ?? [] {
            sentences[key] = sentence.text
        }
        let list = node["loc_args"]
        arguments = list?.elements.compactMap(\.text) ?? []
        if let names = list?.text {
            arguments = names.split(separator: ",").map { $0.filter { $0 != " " } }
        }
    }
}

extension Presentation {
    /// Fills in what the payload left out.
    mutating func complete(from source: SourcePresentation) {
        if sound.isEmpty { sound = source.sound }
        if defaultAction.isEmpty { defaultAction = source.defaultAction }
    }
}
