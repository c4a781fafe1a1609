import Base
package import Topics

/// Some of what came to the topics of a visitor, newest first.
package struct Inbox: Sendable, Confidential {
    package struct Item: Sendable, Confidential {
        let message: TopicMessage
        /// What its owner calls the topic.
        let topic: String
        let isClosed: Bool
        /// It may have a picture, which is looked for when a browser asks.
        let hasPicture: Bool

        package init(
            _ message: TopicMessage, topic: String, isClosed: Bool, hasPicture: Bool
        ) {
            (self.message, self.topic) = (message, topic)
            (self.isClosed, self.hasPicture) = (isClosed, hasPicture)
        }
    }

    /// What the visitor asks for.
    package struct Wish: Sendable, Confidential {
        /// The id of the only topic; empty for all of them.
        package var topic = ""
        package var words = ""
        /// Only what came before this position; nil for the newest.
        package var before: Int64?

        package init() {}
    }

    package struct Topic: Sendable, Confidential {
        let id: String
        let name: String

        package init(id: String, name: String) { (self.id, self.name) = (id, name) }
    }

    package var wish = Wish()
    package var topics: [Topic] = []
    package var items: [Item] = []
    /// Before which position there may be older ones; nil if there are none.
    package var next: Int64?
    /// Nothing of the owner's has a higher position.
    package var newest: Int64 = 0
    /// In seconds since 1970.
    package var now = 0

    package init() {}
}
