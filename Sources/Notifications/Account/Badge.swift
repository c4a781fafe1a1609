/// The number of unread messages and missed calls, as the source counted them last.
package struct Badge: Equatable, Sendable {
    package var unread: Int64
    package var missedCalls: Int64?

    func write(to state: inout StateWriter) {
        state.number(unread)
        state.optional(missedCalls) { $0.number($1) }
    }

    init(unread: Int64, missedCalls: Int64?) {
        self.unread = unread
        self.missedCalls = missedCalls
    }

    init(from state: inout StateReader) throws(StateReader.Damage) {
        unread = try state.number()
        missedCalls = try state.optional { state throws(StateReader.Damage) in
            try state.number()
        }
    }
}
