import Delivery
import WebPush

/// What is under way in a `DeliveryWorld`, without numbers and times.
package struct DeliveryShape: Hashable {
    /// One push that has not come to its end.
    struct Push: Hashable {
        let marks: [Bool]
        let deliveries: Int
    }

    let pushes: [Push]
    let connection: [Bool]
    let subscriptions: Int
}

extension DeliveryWorld {
    package var shape: DeliveryShape {
        let connection = current.flatMap { connections[$0] }
        return DeliveryShape(
            pushes: witness.openPushes,
            connection: [
                connection != nil, connection?.delivery.isOpen ?? false, store.isIdle,
                store.hasMessages, window.count > 0, !reading.isEmpty, !pages.isEmpty,
                !retries.isEmpty, connection?.received.isEmpty ?? true,
                connection?.unconfirmed.isEmpty ?? true,
            ], subscriptions: store.subscriptions.count)
    }

    /// The name of the event that these dice show.
    package static func name(of dice: Dice) -> String {
        var dice = dice
        switch dice.roll(100) {
        case 0..<30: return "push"
        case 30..<55: return "acknowledge"
        case 55..<60: return "part of a moment passes"
        case 60..<66: return "time passes"
        case 66..<78: return "commit"
        case 78..<90: return "the store answers"
        case 90..<92: return "the store reads a page"
        case 92..<94: return "a page arrives"
        case 94: return "connect or disconnect"
        case 95: return "connect or talk"
        case 96: return "crash or talk"
        case 97: return "a subscription ends, or a push is withdrawn"
        case 98: return "another urgency, or retry"
        default: return "everything comes to its end"
        }
    }
}
