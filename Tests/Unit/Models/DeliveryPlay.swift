package import DeliveryModel

/// The delivery to one device, with a store that forgets what was not committed.
package struct DeliveryPlay: Play {
    package enum Event: Sendable, CustomStringConvertible {
        case drawn(seed: UInt64)
        case chosen(String, [UInt8])

        package var description: String {
            switch self {
            case .drawn(let seed):
                "\(DeliveryWorld.name(of: Dice(seed: seed))) (\(seed))"
            case .chosen(let name, _): name
            }
        }

        fileprivate var dice: Dice {
            switch self {
            case .drawn(let seed): Dice(seed: seed)
            case .chosen(_, let bytes): Dice(bytes)
            }
        }
    }

    package static let name = "delivery"
    /// The bytes are the choices of `DeliveryWorld`, in its order.
    package static let alphabet: [Event] = [
        .chosen("push", [0, 0, 1, 1, 1, 0, 1, 1, 1]),
        .chosen("push with a topic", [0, 0, 1, 1, 1, 0, 0, 0, 1, 1]),
        .chosen("acknowledge", [30, 1, 1]),
        .chosen("commit", [66, 1]),
        .chosen("the commit fails", [66, 0]),
        .chosen("the store answers", [78]),
        .chosen("connect", [94, 1]),
        .chosen("crash", [96, 0]),
        .chosen("time passes", [60]),
    ]

    package static func draw(_ dice: inout Dice) -> Event {
        .drawn(seed: UInt64(dice.roll(1 << 30)))
    }

    private let world = DeliveryWorld(Dice(seed: 0))

    package init() {}

    package mutating func happen(_ event: Event) { world.happen(event.dice) }
    package mutating func settle() { world.settle() }

    package var finding: String? { world.finding }
    package var state: DeliveryShape { world.shape }
}
