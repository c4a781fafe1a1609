import Glibc

/// What a file system has left.
package enum FreeSpace {
    /// Bytes that we may still write beside `path`; nil if that cannot be told.
    package static func bytes(at path: String) -> Int? {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return nil }
        return Int(clamping: UInt64(status.f_bavail) * UInt64(status.f_frsize))
    }
}
