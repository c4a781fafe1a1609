/// What happens when more waits for a client than there is room for.
package enum BacklogPolicy: String, Sendable, CaseIterable {
    case refuse
    case dropOldest = "drop-oldest"
}
