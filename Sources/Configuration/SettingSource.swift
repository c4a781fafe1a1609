/// Where a value comes from, in order of precedence.
package enum SettingSource: Equatable, Sendable, CustomStringConvertible {
    case option(String)
    case environment(String)
    case file(String, line: Int)
    case fallback

    package var description: String {
        switch self {
        case .option(let key): "--\(key)"
        case .environment(let name): name
        case .file(let path, let line): "\(path):\(line)"
        case .fallback: "default"
        }
    }
}
