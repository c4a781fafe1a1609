import CSystemd
import Glibc

/// An open file that came over the bus, or the bus connection itself. Closed with the last
/// reference.
package final class BusDescriptor: Sendable, Equatable {
    package let number: Int32

    /// Duplicates the descriptor, because sd-bus closes its own.
    init(duplicating number: Int32) throws(BusError) {
        let copy = fcntl(number, F_DUPFD_CLOEXEC, 3)
        guard copy >= 0 else { throw BusError("fcntl", code: errno) }
        self.number = copy
    }

    deinit { close(number) }

    package static func == (left: BusDescriptor, right: BusDescriptor) -> Bool { left === right }
}
