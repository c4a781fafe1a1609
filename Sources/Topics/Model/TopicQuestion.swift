package import Base

/// What a message asks its reader. Nobody can change it.
package struct TopicQuestion: Equatable, Sendable, Confidential {
    /// Every screen has room for so many buttons.
    package static let most = 3
    /// In scalars, as buttons show them.
    package static let longestAnswer = 60
    /// Of an answer in the reader's own words.
    package static let longestText = 1_000
    /// The answer that stands for any text.
    package static let anyText = "*"

    /// Random. Whoever answers names the number of the question that was shown, so that nobody
    /// answers another one.
    package var number: UInt64 = 0
    /// Different ones, which are shown as they are.
    package private(set) var answers: [String] = []
    /// Any text is an answer, too.
    package private(set) var takesText = false

    private init() {}

    package init(_ answers: [String]) throws(NtfyRefusal) {
        takesText = answers.contains(Self.anyText)
        self.answers = answers.filter { $0 != Self.anyText }
        guard takesText || !self.answers.isEmpty else {
            throw .badQuestion.because("it has no answer")
        }
        guard self.answers.count <= Self.most, Set(self.answers).count == self.answers.count else {
            throw .badQuestion.because("it can have three answers, all different")
        }
        // Whoever asks compares the answer with what was sent.
        guard self.answers.allSatisfy(Self.isShownAsItIs) else {
            throw .badQuestion.because(
                "an answer has 1 to \(Self.longestAnswer) characters, none of them for control")
        }
    }

    private static func isShownAsItIs(_ answer: String) -> Bool {
        !answer.isEmpty && Printable.onScreen(answer, limit: longestAnswer) == answer
            && String(answer[...].trimmed) == answer
    }
}

extension TopicQuestion: Coded {
    package static var blank: TopicQuestion { TopicQuestion() }

    package mutating func code(_ coder: inout Coder) {
        coder.fixed(&number)
        coder.list(&answers)
        coder.flag(&takesText)
    }
}
