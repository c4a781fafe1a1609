/// Keeps a large, rarely used value outside its owner, so that the owner stays cheap to copy.
@propertyWrapper
package struct Boxed<Value: Equatable & Sendable>: Equatable, Sendable {
    private final class Box: Sendable {
        let value: Value

        init(_ value: Value) { self.value = value }
    }

    private var box: Box?

    package init(wrappedValue: Value?) { box = wrappedValue.map { Box($0) } }

    package var wrappedValue: Value? {
        get { box?.value }
        set { box = newValue.map { Box($0) } }
    }

    /// The box itself, to pass on without copying the value.
    package var projectedValue: Self {
        get { self }
        set { self = newValue }
    }

    package static func == (left: Self, right: Self) -> Bool {
        left.box === right.box || left.wrappedValue == right.wrappedValue
    }
}
