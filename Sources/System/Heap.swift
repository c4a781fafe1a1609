import CShims

/// The memory that malloc manages.
package enum Heap {
    /// Gives what is free back to the system: milliseconds for each hundred megabytes.
    package static func trim() { cshims_trim_heap() }
}
