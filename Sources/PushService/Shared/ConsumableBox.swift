/// Holds a value that cannot be copied, for an escaping closure that consumes it.
final class ConsumableBox<Value: ~Copyable> {
    var value: Value?

    init(_ value: consuming Value) { self.value = consume value }
}
