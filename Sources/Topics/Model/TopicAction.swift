package import Base

/// A button of a notification.
package struct TopicAction: Equatable, Sendable, Confidential {
    package enum Kind: UInt8, CaseIterable, Sendable {
        case view = 0
        case http = 1
        case broadcast = 2
        case copy = 3

        package var word: String {
            switch self {
            case .view: "view"
            case .http: "http"
            case .broadcast: "broadcast"
            case .copy: "copy"
            }
        }
    }

    package static let most = 3
    package static let idLength = 10

    /// So many letters and digits, which the server makes.
    package var id = ""
    package var kind = Kind.view
    package var label = ""
    /// Pressing it also takes the notification away.
    package var clears = false
    package var url = ""
    /// Of `http`, in capitals; empty for `POST`.
    package var method = ""
    package var sentMethod: String { method.isEmpty ? "POST" : method }
    package var headers: [Pair] = []
    package var body = ""
    /// Of `http`: the owner allowed that this sender's requests stay in a home or on a machine.
    package var mayStayInside = false
    /// Of `broadcast`.
    package var intent = ""
    package var extras: [Pair] = []
    /// Of `copy`: what is copied.
    package var value = ""

    package init() {}

    /// A name with its value, in the order of the sender.
    package struct Pair: Equatable, Sendable, Confidential {
        package var name = ""
        package var value = ""

        package init(_ name: String = "", _ value: String = "") {
            (self.name, self.value) = (name, value)
        }
    }
}

extension TopicAction: Coded {
    package static var blank: TopicAction { TopicAction() }

    package mutating func code(_ coder: inout Coder) {
        coder.text(&id)
        coder.choice(&kind)
        coder.text(&label)
        coder.flag(&clears)
        coder.text(&url)
        coder.text(&method)
        coder.list(&headers)
        coder.text(&body)
        coder.flag(&mayStayInside)
        coder.text(&intent)
        coder.list(&extras)
        coder.text(&value)
    }
}

extension TopicAction.Pair: Coded {
    package static var blank: TopicAction.Pair { TopicAction.Pair() }

    package mutating func code(_ coder: inout Coder) {
        coder.text(&name)
        coder.text(&value)
    }
}
