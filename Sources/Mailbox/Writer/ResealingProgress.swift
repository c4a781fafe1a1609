/// How far the store has got with sealing everything under a new master key. The numbers count
/// places of rows, and some places are empty.
package struct ResealingProgress: Equatable, Sendable {
    package let done: Int
    package let total: Int

    package init(done: Int, total: Int) {
        self.done = done
        self.total = total
    }
}
