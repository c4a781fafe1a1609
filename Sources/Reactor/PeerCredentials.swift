import CShims
import Glibc

/// The process at the other end of a Unix socket, when it connected.
package struct PeerCredentials: Equatable, Sendable {
    package let processID: Int32
    package let userID: UInt32
    package let groupID: UInt32
}

extension Socket {
    /// Nil if this is not a Unix socket.
    package borrowing func peerCredentials() -> PeerCredentials? {
        var process: pid_t = 0
        // The kernel's values for a peer without credentials.
        var (user, group) = (uid_t.max, gid_t.max)
        guard cshims_peer_credentials(descriptor, &process, &user, &group) == 0, user != uid_t.max
        else { return nil }
        return PeerCredentials(processID: process, userID: user, groupID: group)
    }
}
