import Glibc

/// The variables this process was started with.
package enum Environment {
    package static subscript(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }

    /// Those of `names` that are set.
    package static func values(of names: [String]) -> [String: String] {
        var values: [String: String] = [:]
        for name in names { values[name] = self[name] }
        return values
    }
}
