import Base

/// A press on a button, which sends a request or copies a text: what is known of it.
///
/// It is pure state. A request is sent once: whoever does not know whether it was carried out
/// presses again.
package struct ButtonPress: Equatable, Sendable, Confidential {
    package enum State: Equatable, Sendable {
        /// It is under way, or this process has ended since.
        case sent
        case answered(status: Int)
        /// It was certainly not carried out.
        case unsent(Obstacle)
        /// Whether it was carried out is not known.
        case unknown
        case copied
        /// Nobody here keeps what is copied.
        case uncopied
    }

    /// The words are stored.
    package enum Obstacle: String, CaseIterable, Sendable {
        case unreached = "unreached"
        case forbidden = "forbidden"
        case untrusted = "untrusted"
        /// It could not be noted.
        case unnoted = "unnoted"
    }

    /// The name of its action.
    package let button: String
    /// By this the other side knows the same press (`Idempotency-Key`).
    package let key: String
    /// It is stored before anything is sent.
    let isNoted: Bool
    package private(set) var state = State.sent

    package init(of button: String, key: String, isNoted: Bool = true) {
        (self.button, self.key, self.isNoted) = (button, key, isNoted)
    }

    /// A press after a former one on the same notification; nil while that is under way. Pressed
    /// again, what may have been carried out is the same press to the other side.
    init?(
        of button: String, after former: ButtonPress?, isNoted: Bool, freshKey: () -> String
    ) {
        guard former?.state != .sent else { return nil }
        let again = former.flatMap { $0.isAgain(button) ? $0.key : nil }
        self.init(of: button, key: again ?? freshKey(), isNoted: isNoted)
    }

    /// Another press on this button means the same thing again.
    func isAgain(_ button: String) -> Bool { self.button == button && state == .unknown }

    var isDone: Bool {
        switch state {
        case .answered(let status): (200..<300).contains(status)
        case .copied: true
        case .sent, .unsent, .unknown, .uncopied: false
        }
    }

    /// In another process. Whether a request was carried out that was under way, nobody knows.
    var afterRestart: ButtonPress {
        var press = self
        press.ended(as: .unknown)
        return press
    }

    /// Nothing but the first result counts.
    mutating func ended(as result: State) { if state == .sent { state = result } }
}

/// As it is stored.
extension ButtonPress {
    var json: String {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("button", button)
            writer.member("key", key)
            switch state {
            case .answered(let status): writer.member("status", status)
            case .unsent(let obstacle): writer.member("obstacle", obstacle.rawValue)
            case .sent, .unknown, .copied, .uncopied: break
            }
        }
        return writer.text
    }

    /// What another process has stored.
    init?(stored json: [UInt8]) {
        guard let node = try? JSONDocument(json).root, let button = node["button"]?.text,
            let key = node["key"]?.text
        else { return nil }
        self.init(of: button, key: key)
        if let status = node["status"]?.integer {
            state = .answered(status: Int(status))
        } else if let obstacle = node["obstacle"]?.text.flatMap(Obstacle.init) {
            state = .unsent(obstacle)
        }
    }
}

/// What a notification says of it.
extension ButtonPress {
    func text(on label: String, value: String, _ language: Language) -> String {
        switch state {
        case .sent: isNoted ? Sentence.buttonSent.text(language, label) : ""
        case .answered(let status):
            (isDone ? Sentence.buttonDone : .buttonFailed).text(language, label, "\(status)")
        case .unsent(let obstacle):
            Sentence.buttonFailed.text(language, label, obstacle.sentence.text(language))
        case .unknown: Sentence.buttonUnknown.text(language, label)
        case .copied: Sentence.buttonCopied.text(language, label)
        case .uncopied: Sentence.buttonDone.text(language, label, value)
        }
    }
}

extension ButtonPress.Obstacle {
    fileprivate var sentence: Sentence {
        switch self {
        case .unreached: .buttonUnreached
        case .forbidden: .buttonForbidden
        case .untrusted: .buttonUntrusted
        case .unnoted: .buttonUnnoted
        }
    }
}
