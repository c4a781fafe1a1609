package import WebPush

/// An application as the user sees it: all registrations of one bus name, without their secrets.
package struct Application: Equatable, Sendable {
    package let service: String
    package let description: String
    package let sandbox: String
    package let registrations: Int
    package let isRunning: Bool
    package let waiting: Int
    package let created: Int64
    package let lastDelivery: Int64?
    package let isMuted: Bool
    package let leastUrgency: Urgency
    package let trouble: String?
}
