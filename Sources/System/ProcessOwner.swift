import Glibc

package enum ProcessOwner {
    /// The user with whose rights this process acts.
    package static var userID: UInt32 { geteuid() }
}
