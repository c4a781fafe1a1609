import Glibc

package enum HostName {
    /// The name that this machine gives itself. It may contain any characters.
    package static var current: String {
        var name = [CChar](repeating: 0, count: Int(HOST_NAME_MAX) + 1)
        // Fails only for names longer than Linux allows; the name is then empty.
        gethostname(&name, name.count - 1)
        return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
