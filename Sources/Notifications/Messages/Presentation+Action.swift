package import Base

extension Presentation {
    /// A button.
    package struct Action: Equatable, Sendable, Confidential {
        /// What a press does. The numbers are stored.
        package enum Kind: UInt8, CaseIterable, Sendable {
            /// The application is told; the link, if there is one, is opened.
            case own = 0
            /// The link is opened.
            case view = 1
            /// A request is sent to the link.
            case http = 2
            /// The value is copied.
            case copy = 3
            /// The value is the answer to a question.
            case answer = 4

            package var word: String {
                switch self {
                case .own: "own"
                case .view: "view"
                case .http: "http"
                case .copy: "copy"
                case .answer: "answer"
                }
            }
        }

        package struct Field: Equatable, Sendable, Confidential {
            package internal(set) var name: String
            package internal(set) var value: String

            package init(_ name: String, _ value: String) {
                (self.name, self.value) = (name, value)
            }
        }

        package var name: String
        package var label: String
        package var link: String
        package var kind = Kind.own
        /// A press also takes the notification away.
        package var clears = false
        /// Of `http`, in capitals.
        package var method = ""
        package var fields: [Field] = []
        package var body = ""
        /// The owner has allowed that the request stays in a home or on a machine.
        package var mayStayInside = false
        /// Of `copy` and `answer`.
        package var value = ""

        package init(name: String, label: String, link: String = "", kind: Kind = .own) {
            (self.name, self.label, self.link, self.kind) = (name, label, link, kind)
        }

        /// Those that a list has. What has no name, no label, or a kind that is not known is none.
        package static func list(_ node: JSONNode?) -> [Action] {
            (node?.elements ?? []).compactMap { node in
                guard node["action"]?.text != nil, node["title"]?.text != nil else { return nil }
                let word = node["kind"]?.text
                guard word == nil || Kind.allCases.contains(where: { $0.word == word }) else {
                    return nil
                }
                return Action(node)
            }
        }
    }
}

/// As clients of engines get it.
extension Presentation.Action: JSONObject {
    package init() { self.init(name: "", label: "") }

    package mutating func fields(_ fields: inout JSONFields) {
        fields.member("action", &name)
        fields.member("title", &label)
        var word = kind == .own ? "" : kind.word
        fields.text("kind", &word)
        kind = Kind.allCases.first { $0.word == word } ?? .own
        // Clients that know no kinds would open it as a link.
        if kind == .http { fields.text("url", &link) } else { fields.text("navigate", &link) }
        fields.text("method", &method)
        var texts = self.fields.map { (name: $0.name, value: $0.value) }
        fields.member("headers", texts: &texts)
        self.fields = texts.map { Field($0.name, $0.value) }
        fields.text("body", &body)
        fields.flag("inside", &mayStayInside)
        fields.text("value", &value)
        fields.flag("clear", &clears)
    }
}

extension Presentation.Action: Coded {
    package static var blank: Self { Self() }

    package mutating func code(_ coder: inout Coder) {
        coder.text(&name)
        coder.text(&label)
        coder.text(&link)
        coder.choice(&kind)
        coder.flag(&clears)
        coder.text(&method)
        coder.list(&fields)
        coder.text(&body)
        coder.flag(&mayStayInside)
        coder.text(&value)
    }
}

extension Presentation.Action.Field: Coded {
    package static var blank: Self { Self("", "") }

    package mutating func code(_ coder: inout Coder) {
        coder.text(&name)
        coder.text(&value)
    }
}
