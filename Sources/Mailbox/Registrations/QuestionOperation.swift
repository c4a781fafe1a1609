import Base
package import Delivery
package import Topics

/// Operations on questions. Each is answered with the question as it is then, or with a refusal:
/// `RegistrationResult.question` and `.questionRefused`.
package enum QuestionOperation: Sendable {
    /// Shows it and keeps it, unless the same caller has asked it under the same key: then nothing
    /// happens. `.otherRequest` if something else was asked under that key, `.tooMany` if too many
    /// are open. Room was reserved for the message.
    case ask(AskedQuestion, Message, EnginePush)
    /// `engine` is that of the screen on which the question was shown; nil for other ways.
    case press(QuestionPress, TopicMessageID, engine: UInt32? = nil)
    /// `mayAlways`: whoever has asked.
    case withdraw(QuestionPresser, TopicMessageID, mayAlways: Bool)
}

/// A question on its way to the store.
package struct AskedQuestion: Sendable, Confidential {
    let question: Question
    let post: TopicPost
    /// The caller's name for it; empty for none.
    let key: String
    let due: StoreTime

    package init(_ question: Question, _ post: TopicPost, key: String, until due: StoreTime) {
        (self.question, self.post, self.key, self.due) = (question, post, key, due)
    }
}
