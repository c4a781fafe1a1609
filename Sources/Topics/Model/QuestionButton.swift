import Base
import Notifications

/// A button of a question on a screen, by the name under which an engine knows it: `question:`, the
/// id, the number, and the place of the answer, if it has one.
package struct QuestionButton: Equatable, Sendable, Confidential {
    package let id: TopicMessageID
    package let number: UInt64
    /// Nil for an answer in the reader's own words.
    package let place: Int?

    private static let word = "question"

    package init(_ id: TopicMessageID, _ number: UInt64, place: Int?) {
        (self.id, self.number, self.place) = (id, number, place)
    }

    /// Nil for another name.
    package init?(name: String) {
        let parts = name.split(separator: ":", omittingEmptySubsequences: false)
        guard (3...4).contains(parts.count), parts[0] == Self.word,
            let id = TopicMessageID(parts[1]), let number = UInt64(parts[2])
        else { return nil }
        (self.id, self.number) = (id, number)
        guard parts.count == 4 else {
            place = nil
            return
        }
        guard let place = Int(parts[3]) else { return nil }
        self.place = place
    }

    package var name: String {
        "\(Self.word):\(id.text):\(number)" + (place.map { ":\($0)" } ?? "")
    }
}

extension TopicQuestion {
    /// One for each answer, and one that stands for what the reader writes.
    func buttons(of id: TopicMessageID) -> [Presentation.Action] {
        func button(_ label: String, _ place: Int?) -> Presentation.Action {
            Presentation.Action(
                name: QuestionButton(id, number, place: place).name, label: label, kind: .answer)
        }
        var buttons = answers.enumerated().map { button($1, $0) }
        if takesText {
            var reply = button("", nil)
            reply.value = Self.anyText
            buttons.append(reply)
        }
        return buttons
    }
}
