import Glibc

/// Reads files without secrets, such as a message to send.
package enum TextFile {
    package enum Failure: Error, Equatable, CustomStringConvertible {
        case tooLarge(path: String)
        case system(path: String, SystemError)

        package var description: String {
            switch self {
            case .tooLarge(let path): "\(path) is too large"
            case .system(let path, let error): "\(path): \(error)"
            }
        }
    }

    package static let sizeLimit = 1 << 20

    package static func read(_ path: String) throws(Failure) -> [UInt8] {
        let bytes: [UInt8]?
        do throws(SystemError) {
            bytes = try FileDescriptor.open(path, O_RDONLY).readAll(limit: sizeLimit)
        } catch {
            throw .system(path: path, error)
        }
        guard let bytes else { throw .tooLarge(path: path) }
        return bytes
    }
}
