extension UnsafeMutablePointer {
    /// What `body` finds in the value. Reading a property of `pointee` may copy the whole value
    /// first, with all that it refers to; an inout argument is never copied.
    @inlinable package func inPlace<Answer>(_ body: (inout Pointee) -> Answer) -> Answer {
        body(&pointee)
    }
}
