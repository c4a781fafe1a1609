import Glibc

/// Reads files that other programs created and that may be anything, for example a pipe nobody
/// writes to: reading must not block.
package enum ForeignFile {
    package enum Failure: Error, Equatable {
        case missing
        /// A pipe, a device, a folder, or a link that must not be followed.
        case irregular
        case tooLarge
        case system(SystemError)
    }

    package static let sizeLimit = 65_536

    /// The content of a regular file. `followsLink` concerns the last part of the path only.
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
            // O_NOFOLLOW reports ELOOP for a link; a socket or a device without a driver gives
            // ENXIO.
            case ELOOP, ENXIO, EISDIR: throw .irregular
            default: throw .system(error)
            }
        }
        guard let bytes else { throw .tooLarge }
        return bytes
    }
}
