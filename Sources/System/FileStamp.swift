import Glibc

/// Changes whenever a file is written or replaced, or a link to it is changed.
package struct FileStamp: Equatable, Sendable {
    private let device: dev_t
    private let inode: ino_t
    private let size: off_t
    private let modifiedSeconds: Int
    private let modifiedNanoseconds: Int
    package let isReadableByEveryone: Bool

    /// Nil if the file does not exist or cannot be examined.
    package init?(of path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        device = status.st_dev
        inode = status.st_ino
        size = status.st_size
        modifiedSeconds = status.st_mtim.tv_sec
        modifiedNanoseconds = status.st_mtim.tv_nsec
        isReadableByEveryone = status.st_mode & S_IROTH != 0
    }
}
