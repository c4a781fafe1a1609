import Base

/// What a request asks, before the question has its number.
package struct QuestionWish: Equatable, Sendable, Confidential {
    package let question: TopicQuestion
    /// The caller's own name for it: what has the same one is the same question. Empty for none.
    package let key: String
    /// For how many seconds it can be answered.
    package let lifetime: UInt32
    /// The request is answered when the question ends.
    package let isHeld: Bool

    /// In seconds.
    package static let usualLifetime: UInt32 = 600
    package static let longestLifetime: UInt32 = 3_600

    /// `wait` is empty if the request does not say it.
    package init(
        _ answers: [String], key: String, wait: String, isHeld: Bool
    ) throws(NtfyRefusal) {
        question = try TopicQuestion(answers)
        self.key = key
        lifetime = try Self.seconds(wait) ?? Self.usualLifetime
        self.isHeld = isHeld && !wait.isEmpty
    }

    /// How long a request is held; nil for a text that does not say it.
    package static func seconds(_ wait: String) throws(NtfyRefusal) -> UInt32? {
        guard !wait.isEmpty else { return nil }
        let seconds = GoDuration.seconds(wait) ?? Int64(wait)
        guard let seconds, (1...Int64(longestLifetime)).contains(seconds) else {
            throw .badQuestion.because("wait is a time of up to an hour, such as 10m")
        }
        return UInt32(seconds)
    }
}
