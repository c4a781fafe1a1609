import Bus
import System

/// The part of an application's `.desktop` file that is about activation (Desktop Entry
/// Specification 1.5).
package struct DesktopEntry: Equatable, Sendable {
    /// The application can be started by a call on the bus.
    package private(set) var isActivatable = false
    package private(set) var actions: Set<String> = []
    /// The entry counts as missing.
    private(set) var isHidden = false

    package init(_ file: [UInt8]) {
        var isMain = false
        for line in file.split(separator: UInt8(ascii: "\n")) {
            let text = String(decoding: line, as: UTF8.self)
            if text.hasPrefix("[") {
                isMain = text.trimmingBlanks() == "[Desktop Entry]"
                continue
            }
            guard isMain, let equals = text.firstIndex(of: "=") else { continue }
            let value = text[text.index(after: equals)...].trimmingBlanks()
            switch text[..<equals].trimmingBlanks() {
            case "DBusActivatable": isActivatable = value == "true"
            case "Hidden": isHidden = value == "true"
            case "Actions": actions = Set(value.split(separator: ";").map(String.init))
            default: break
            }
        }
    }

    /// Reads the entry named after the bus name from the first data folder that has one. The
    /// folders may be on a network, so this may block.
    static func ofService(_ service: String) -> DesktopEntry? {
        guard BusName.isValid(service), !BusName.isUnique(service) else { return nil }
        for folder in folders {
            // A file that cannot be read counts as missing. Exported entries are symbolic links.
            let path = "\(folder)/applications/\(service).desktop"
            guard let file = try? ForeignFile.read(path, followsLink: true) else { continue }
            let entry = DesktopEntry(file)
            return entry.isHidden ? nil : entry
        }
        return nil
    }

    /// Relative paths do not count (XDG Base Directory Specification).
    private static var folders: [String] {
        let home = Environment["HOME"].map { $0 + "/.local/share" }
        let own = Environment["XDG_DATA_HOME"].flatMap { $0.isEmpty ? nil : $0 } ?? home
        let named = Environment["XDG_DATA_DIRS"].flatMap { $0.isEmpty ? nil : $0 }
        let common = (named ?? "/usr/local/share:/usr/share").split(separator: ":")
        return ([own].compactMap(\.self) + common.map(String.init)).filter { $0.hasPrefix("/") }
    }
}

extension StringProtocol {
    fileprivate func trimmingBlanks() -> String {
        let isBlank = { (character: Character) in character.isWhitespace }
        let rest = drop(while: isBlank)
        guard let last = rest.lastIndex(where: { !isBlank($0) }) else { return "" }
        return String(rest[...last])
    }
}
