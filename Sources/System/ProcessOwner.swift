import Glibc

package enum ProcessOwner {
    /// As whom this process acts.
    package static var userID: UInt32 { geteuid() }
}
