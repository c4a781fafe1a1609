import Base
package import Topics

/// Some of what came to the topics of a visitor, newest first.
package struct Inbox: Sendable, Confidential {
    package struct Item: Sendable, Confidential {
        let message: TopicMessage
        let position: Int64
        /// What its owner calls the topic.
        let topic: String
        let topicID: String
        /// Its owner has closed it, on the page or a screen, or its sender has.
        let isRead: Bool
        /// It may have a picture, which is looked for when a browser asks.
        let hasPicture: Bool
        /// Where the requests of its buttons go, by the ids of the buttons.
        package var hosts: [String: String] = [:]

        package init(
            _ message: TopicMessage, at position: Int64, topic: String, topicID: String,
            isRead: Bool, hasPicture: Bool
        ) {
            (self.message, self.position) = (message, position)
            (self.topic, self.topicID) = (topic, topicID)
            (self.isRead, self.hasPicture) = (isRead, hasPicture)
        }
    }

    /// A question that waits for an answer.
    package struct Asked: Sendable, Confidential {
        let question: Question
        let topic: String

        package init(_ question: Question, topic: String) {
            (self.question, self.topic) = (question, topic)
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
    /// Those that end first come first.
    package var questions: [Asked] = []
    /// Before which position there may be older ones; nil if there are none.
    package var next: Int64?
    /// Nothing of the owner's has a higher position.
    package var newest: Int64 = 0
    /// In seconds since 1970.
    package var now = 0

    package init() {}

    /// Questions are above the newest messages, unless somebody looks for something.
    package var hasQuestions: Bool { wish.before == nil && wish.words.isEmpty }
}
