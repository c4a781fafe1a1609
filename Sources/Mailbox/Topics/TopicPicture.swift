package import Base
import Crypto

/// The picture by which people recognise a topic.
package struct TopicPicture: Equatable, Sendable, Confidential {
    /// Whoever knows it may see the picture, because pictures are loaded without a credential.
    package private(set) var name = ""
    package private(set) var bytes: [UInt8] = []

    package static let longest = 256 << 10

    package init(_ name: String, _ bytes: [UInt8]) { (self.name, self.bytes) = (name, bytes) }

    /// The place of that of a topic.
    static func place(_ device: UInt32) -> Sealer.Place {
        Sealer.Place(table: "topic_picture", row: Int64(device), column: "sealed")
    }
}

extension TopicPicture: Coded {
    package static var blank: TopicPicture { TopicPicture("", []) }

    package mutating func code(_ coder: inout Coder) {
        coder.text(&name)
        coder.data(&bytes)
    }
}
