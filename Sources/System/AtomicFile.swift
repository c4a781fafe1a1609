import Glibc

/// Replaces a file as a whole: a reader, or a start after a crash, finds the old one or the new
/// one.
package enum AtomicFile {
    /// The file is on the disk, with exactly these permissions, before this returns.
    package static func replace(
        _ path: String, with bytes: Span<UInt8>, mode: UInt32
    ) throws(SystemError) {
        let draft = path + ".new"
        // An interrupted attempt may have left one behind.
        unlink(draft)
        let file = try FileDescriptor.open(draft, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
        try file.write(bytes)
        _ = try ensure("fchmod") { fchmod(file.number, mode) }
        try file.synchronize()
        _ = try ensure("rename") { rename(draft, path) }
        try FileDescriptor.synchronizeFolder(of: path)
    }
}
