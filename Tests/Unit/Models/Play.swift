package import DeliveryModel

/// A state machine beside a plain model of what it promises.
///
/// Events go to both. The model is written from the design and the rules, and knows nothing of how
/// the machine does it. What the machine wants done is compared with what the model allows.
package protocol Play {
    associatedtype Event: Sendable
    /// What the model knows, without what grows for ever, such as numbers and times.
    associatedtype State: Hashable

    static var name: String { get }
    /// The few events of which every sequence is tried.
    static var alphabet: [Event] { get }
    static func draw(_ dice: inout Dice) -> Event

    init()
    /// An event that cannot happen now does nothing.
    mutating func happen(_ event: Event)
    /// Lets everything that is under way come to its end, and checks that nothing is missing.
    mutating func settle()

    /// How a promise was broken; nil so far.
    var finding: String? { get }
    var state: State { get }
}
