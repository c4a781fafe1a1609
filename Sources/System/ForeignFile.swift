import Glibc

/// Files that other programs may have put there, and may be anything: a pipe that nobody writes to
/// must not be waited for.
package enum ForeignFile {
    package enum Failure: Error, Equatable {
        case missing
        /// A pipe, a device, a folder, or a link where none is followed.
        case irregular
        case tooLarge
        case system(SystemError)
    }

    package static let sizeLimit = 65_536

    /// The text of a regular file. A link as the last part of the path is followed only on demand.
    package static func read(
        _ path: String, followsLink: Bool = false
    ) throws(Failure) -> [UInt8] {
        let flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | (followsLink ? 0 : O_NOFOLLOW)
        let bytes: [UInt8]?
        do throws(SystemError) {
            let file = try FileDescriptor.open(path, flags)
            guard try file.isRegular else { throw SystemError("open", code: ELOOP) }
            bytes = try file.readAll(limit: sizeLimit)
        } catch {
            switch error.code {
            case ENOENT: throw .missing
            // What O_NOFOLLOW says of a link, and a socket or a device without a driver of itself.
            case ELOOP, ENXIO, EISDIR: throw .irregular
            default: throw .system(error)
            }
        }
        guard let bytes else { throw .tooLarge }
        return bytes
    }
}
