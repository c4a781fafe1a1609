import Glibc

package enum FreeSpace {
    /// The bytes that this process may still write next to `path`; nil if the system does not say.
    package static func bytes(at path: String) -> Int? {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return nil }
        return Int(clamping: UInt64(status.f_bavail) * UInt64(status.f_frsize))
    }
}
