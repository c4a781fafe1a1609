package import Base

/// A question from the moment at which it is asked, as a pure state machine.
///
/// It ends once: by the first of an answer, its expiry and its withdrawal. Whoever comes later gets
/// the same result.
package struct Question: Equatable, Sendable, Confidential {
    package var id: TopicMessageID { TopicMessageID(number: messageNumber) }
    /// The registration of its topic.
    package private(set) var device: UInt32 = 0
    private var messageNumber: UInt64 = 0
    /// The credential that asked; 0 for the owner on the control socket.
    package private(set) var asker: UInt32 = 0
    /// When it expires, in seconds since 1970.
    package private(set) var expires: Int64 = 0
    /// For how many seconds the history keeps its messages.
    package private(set) var kept: UInt32 = 0
    /// The message that shows it.
    package private(set) var content = TopicContent()
    package private(set) var result: QuestionResult?
    /// What is left of its words after they were deleted; else empty.
    package private(set) var mark: [UInt8] = []

    private init() {}

    /// Nil for a message that asks nothing.
    package init?(
        _ message: TopicMessage, at device: UInt32, by asker: UInt32, until expires: Int64,
        keptFor kept: UInt32
    ) {
        guard message.content.question != nil, let number = message.id.number else { return nil }
        (self.device, messageNumber, self.asker) = (device, number, asker)
        (self.expires, self.kept, content) = (expires, kept, message.content)
    }

    package var asked: TopicQuestion { content.question ?? .blank }
    package var isOpen: Bool { result == nil }

    /// All that it asks, as one text.
    package var words: String {
        let texts = [content.title, content.text, asked.takesText ? TopicQuestion.anyText : ""]
        return (texts + asked.answers).joined(separator: "\u{0}")
    }

    /// Whether the same is asked by the same caller. `mark` is that of the other's words.
    package func asksLike(_ other: Question, _ mark: [UInt8]) -> Bool {
        asker == other.asker && (self.mark.isEmpty ? words == other.words : self.mark == mark)
    }

    /// What it asked is deleted. Its result stays, for whoever asks again under its key.
    package mutating func forgetWords(leaving mark: [UInt8]) {
        (content, self.mark) = (TopicContent(), mark)
    }
}

/// Events.
extension Question {
    /// What somebody's choice came to.
    package enum Verdict: Equatable, Sendable {
        /// The question ends with it.
        case ended
        /// It had ended already, with the result that it has.
        case late
        case refused(Refusal)
    }

    /// Why somebody cannot end a question. The numbers are those of nothing that is stored.
    package enum Refusal: Equatable, Sendable {
        /// The answer is one to another question.
        case otherQuestion
        /// It is none of the answers.
        case noAnswer
        /// Whoever asks does not answer, and nobody else withdraws.
        case forbidden
    }

    /// `isLate`: the time for answers is over, by the clock that does not jump.
    package mutating func pressed(
        _ press: QuestionPress, at now: Int64, isLate: Bool = false
    ) -> Verdict {
        guard press.by.credential == 0 || press.by.credential != asker else {
            return .refused(.forbidden)
        }
        // Nobody knows any more what its answers and its number were.
        guard mark.isEmpty else { return .late }
        guard press.number == asked.number else { return .refused(.otherQuestion) }
        guard let answer = asked.answer(press.choice) else { return .refused(.noAnswer) }
        #if PLANTED
            if PlantedMistake.secondAnswer.isMade { result = nil }
        #endif
        guard isOpen else { return .late }
        guard !isLate else {
            _ = expired(at: now)
            return .ended
        }
        result = QuestionResult(.answered, at: now, answer: answer, by: press.by)
        return .ended
    }

    /// False if it had ended already.
    package mutating func expired(at now: Int64) -> Bool {
        guard isOpen else { return false }
        result = QuestionResult(.expired, at: now)
        return true
    }

    /// `mayAlways`: the owner may, whoever has asked.
    package mutating func withdrawn(
        by presser: QuestionPresser, mayAlways: Bool, at now: Int64
    ) -> Verdict {
        guard mayAlways || presser.credential == asker else { return .refused(.forbidden) }
        guard isOpen else { return .late }
        result = QuestionResult(.withdrawn, at: now, by: presser)
        return .ended
    }
}

/// What streams, histories and callers are told of it.
extension Question {
    /// What takes the place of the question after its end.
    package var ending: TopicContent {
        var content = content
        content.question = nil
        content.actions = []
        guard let result else { return content }
        let line: String
        switch result.ending {
        case .answered: line = "\(result.answer) (\(result.by), \(result.place.words))"
        case .expired: line = "expired without an answer"
        case .withdrawn: line = "withdrawn"
        }
        content.text += "\n→ " + line
        return content
    }

    /// What callers get of a question that has ended with its topic.
    package static func gone(_ id: TopicMessageID) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("id", id.text)
            writer.member("state", QuestionResult.Ending.withdrawn.word)
        }
        return writer.bytes
    }

    /// The object that callers get. `isForPresser`: with all that is needed to answer it.
    package func json(isForPresser: Bool = false) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("id", id.text)
            writer.member("state", result?.ending.word ?? "open")
            if let result {
                if result.ending == .answered { writer.member("answer", result.answer) }
                if !result.by.isEmpty { writer.member("by", result.by) }
                writer.member("at", Int(result.at))
            } else {
                writer.member("expires", Int(expires))
                guard isForPresser else { return }
                if !content.title.isEmpty { writer.member("title", content.title) }
                writer.member("message", content.text)
                writer.name("answers")
                writer.array { writer in asked.answers.forEach { writer.string($0) } }
                writer.member("text", asked.takesText)
                // Too large for what reads numbers of JSON as floating-point numbers.
                writer.member("number", String(asked.number))
            }
        }
        return writer.bytes
    }
}

extension Question: Coded {
    package static var blank: Question { Question() }

    package mutating func code(_ coder: inout Coder) {
        coder.number(&device)
        coder.number(&messageNumber)
        coder.number(&asker)
        coder.number(&expires)
        coder.number(&kept)
        content.code(&coder)
        coder.optional(&result)
        coder.data(&mark)
    }
}

/// How a question ended. It never changes.
package struct QuestionResult: Equatable, Sendable, Confidential {
    /// The numbers are stored.
    package enum Ending: UInt8, Sendable {
        case answered = 0
        case expired = 1
        case withdrawn = 2

        package var word: String {
            switch self {
            case .answered: "answered"
            case .expired: "expired"
            case .withdrawn: "withdrawn"
            }
        }
    }

    package private(set) var ending = Ending.expired
    /// In seconds since 1970.
    package private(set) var at: Int64 = 0
    package private(set) var answer = ""
    /// The name of the credential, or the owner; empty if nobody did it.
    package private(set) var by = ""
    package private(set) var place = QuestionPresser.Place.request

    fileprivate init() {}

    fileprivate init(
        _ ending: Ending, at time: Int64, answer: String = "", by presser: QuestionPresser? = nil
    ) {
        (self.ending, at, self.answer) = (ending, time, answer)
        by = presser?.name ?? ""
        place = presser?.place ?? .request
    }
}

extension QuestionResult: Coded {
    package static var blank: QuestionResult { QuestionResult() }

    package mutating func code(_ coder: inout Coder) {
        coder.choice(&ending)
        coder.number(&at)
        coder.text(&answer)
        coder.text(&by)
        coder.choice(&place)
    }
}

/// Who answers or withdraws a question, and where.
package struct QuestionPresser: Equatable, Sendable, Confidential {
    /// The numbers are stored.
    package enum Place: UInt8, Sendable {
        case request = 0
        case screen = 1
        /// A reader of the topic, by what the stream offered.
        case stream = 2

        fileprivate var words: String {
            switch self {
            case .request: "by a request"
            case .screen: "on the screen"
            case .stream: "in a stream"
            }
        }
    }

    /// 0 for the owner on the control socket.
    package let credential: UInt32
    package let name: String
    package let place: Place

    package init(_ credential: UInt32, named name: String, at place: Place) {
        (self.credential, self.name, self.place) = (credential, name, place)
    }
}

/// Somebody's choice.
package struct QuestionPress: Equatable, Sendable, Confidential {
    package enum Choice: Equatable, Sendable {
        /// The answer at this place.
        case place(Int)
        case text(String)
    }

    package let number: UInt64
    package let choice: Choice
    package let by: QuestionPresser

    package init(_ choice: Choice, to number: UInt64, by presser: QuestionPresser) {
        (self.choice, self.number, by) = (choice, number, presser)
    }
}

extension TopicQuestion {
    /// The answer that somebody has chosen; nil if the question does not take it.
    fileprivate func answer(_ choice: QuestionPress.Choice) -> String? {
        switch choice {
        case .place(let place): return answers.indices.contains(place) ? answers[place] : nil
        case .text(let text): return answers.contains(text) ? text : ownWords(text)
        }
    }

    private func ownWords(_ text: String) -> String? {
        guard takesText else { return nil }
        let shown = Printable.onScreen(text, limit: Self.longestText, keepsLines: true)[...].trimmed
        return shown.isEmpty ? nil : String(shown)
    }
}

extension QuestionButton {
    /// What pressing it means; `text` is what the reader wrote.
    package func press(_ text: String?, by presser: QuestionPresser) -> QuestionPress {
        QuestionPress(place.map { .place($0) } ?? .text(text ?? ""), to: number, by: presser)
    }
}
