/// What a payload says about how it wants to look, beyond what TDLib's types can say.
package struct Presentation: Equatable, Sendable {
    package struct Action: Equatable, Sendable {
        package let name: String
        package let label: String
        package let link: String

        package init(name: String, label: String, link: String = "") {
            self.name = name
            self.label = label
            self.link = link
        }
    }

    package var title: String
    package var body: String
    /// A theme name without a path, or empty.
    package var sound: String
    /// A link to a picture, or one that holds it.
    package var icon: String
    /// What the payload carries for the application that opens it: the text of a JSON object, or
    /// empty. Written by us, whoever sent it.
    package var data: String
    package var link = ""
    package var language = ""
    package var direction = ""
    /// The label of the default action.
    package var defaultAction = ""
    package var actions: [Action] = []
    package var tags: [String] = []
    package var isCritical = false
    package var isLow = false

    /// No more is kept for a click, in bytes.
    package static let dataLimit = 4096

    package init(
        title: String = "", body: String = "", sound: String = "", icon: String = "",
        data: String = ""
    ) {
        self.title = title
        self.body = body
        self.sound = sound
        self.icon = icon
        self.data = data
    }

    /// The name of a theme's sound; a path is none.
    package static func bareSound(_ name: String) -> String {
        name.utf8.contains(UInt8(ascii: "/")) || name.utf8.first == UInt8(ascii: ".") ? "" : name
    }
}
