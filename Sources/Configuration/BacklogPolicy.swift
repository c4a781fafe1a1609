/// What happens to a push when too many messages wait for a client.
package enum BacklogPolicy: String, Sendable, CaseIterable {
    case refuse
    case dropOldest = "drop-oldest"
}
