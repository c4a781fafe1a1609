import Glibc

package enum HostName {
    /// What this machine calls itself, whatever the characters are.
    package static var current: String {
        var name = [CChar](repeating: 0, count: Int(HOST_NAME_MAX) + 1)
        // Empty when it fails, which it does only for names that are longer than Linux allows.
        gethostname(&name, name.count - 1)
        return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
