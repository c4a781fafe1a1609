import Base
import Bus
import System

/// What the `.desktop` file of an application says of activating it (Desktop Entry Specification 1.5).
package struct DesktopEntry: Equatable, Sendable {
    /// Whether it can be started by a call on the bus.
    package private(set) var isActivatable = false
    package private(set) var actions: Set<String> = []
    /// As good as not there.
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

    /// That of the application whose name on the bus it has, in the first of the folders for data that
    /// has one. They may lie anywhere, so this may block.
    static func ofService(_ service: String) -> DesktopEntry? {
        guard BusName.isValid(service), !BusName.isUnique(service) else { return nil }
        for folder in folders {
            // One that cannot be read is as good as none. Exported ones are links.
            let path = "\(folder)/applications/\(service).desktop"
            guard let file = try? ForeignFile.read(path, followsLink: true) else { continue }
            let entry = DesktopEntry(file)
            return entry.isHidden ? nil : entry
        }
        return nil
    }

    /// XDG Base Directory Specification: those that are not absolute do not count.
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
