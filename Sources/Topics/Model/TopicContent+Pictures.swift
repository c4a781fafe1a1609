/// Where the picture of a message may be.
package enum PicturePlace: Equatable, Sendable {
    /// A file that came with the message: the last part of its address.
    case file(String)
    case link(String)
}

extension TopicContent {
    /// Where its picture may be, the best place first.
    package var picturePlaces: [PicturePlace] {
        var places: [PicturePlace] = []
        if let attachment {
            if attachment.type.isEmpty {
                places.append(.link(attachment.url))
            } else if Self.shownTypes.contains(attachment.type),
                let name = attachment.url.split(separator: "/").last
            {
                places.append(.file(String(name)))
            }
        }
        if !icon.isEmpty { places.append(.link(icon)) }
        return places
    }

    private static let shownTypes = ["image/png", "image/jpeg"]
}

extension TopicMessage {
    /// By what a screen asks for its picture; empty if there is none. Of a message that is not kept,
    /// nobody knows it later.
    package var pictureName: String {
        expires == nil || content.picturePlaces.isEmpty ? "" : id.text
    }
}
