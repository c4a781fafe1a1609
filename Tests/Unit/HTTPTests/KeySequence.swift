import Synchronization

/// Masking keys 1, 2, 3 …
final class KeySequence: Sendable {
    private let last = Atomic<UInt32>(0)

    func next() -> UInt32 { last.add(1, ordering: .relaxed).newValue }
}
