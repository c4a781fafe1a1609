import CShims

package enum Heap {
    /// Gives free memory of malloc back to the system. Takes milliseconds for each hundred
    /// megabytes.
    package static func trim() { cshims_trim_heap() }
}
