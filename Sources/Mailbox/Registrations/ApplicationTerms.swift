package import Base

/// What clients of Gotify have said about a topic, which is an application to them.
package struct ApplicationTerms: Equatable, Sendable, Confidential {
    /// It may have any characters. Empty if the name of the topic is enough.
    package var name = ""
    package var description = ""
    /// Of messages whose senders say none.
    package var priority: Int64 = 0
    package var sortKey = ""
    /// The name of its picture; empty for the usual one.
    package var picture = ""

    package init() {}

    var isUsual: Bool { self == ApplicationTerms() }
}

extension ApplicationTerms {
    /// Reads the members of its record.
    package init(_ object: JSONNode) throws(RegistrationTerms.Fault) {
        var members = try RegistrationMembers(object)
        name = try members.text("name") ?? ""
        description = try members.text("description") ?? ""
        priority = try members.integer("priority") ?? 0
        sortKey = try members.text("sort_key") ?? ""
        picture = try members.text("picture") ?? ""
        try members.expectNoOthers()
    }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            if !name.isEmpty { writer.member("name", name) }
            if !description.isEmpty { writer.member("description", description) }
            if priority != 0 { writer.member("priority", Int(priority)) }
            if !sortKey.isEmpty { writer.member("sort_key", sortKey) }
            if !picture.isEmpty { writer.member("picture", picture) }
        }
    }
}
