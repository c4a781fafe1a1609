/// How much a push may disturb a device that saves power (RFC 8030 section 5.3).
package enum Urgency: String, Sendable, CaseIterable {
    case veryLow = "very-low"
    case low
    case normal
    case high
}
