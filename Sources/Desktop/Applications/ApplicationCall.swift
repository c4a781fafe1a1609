import Base
import Bus
import Notifications
import System

/// The call of `org.freedesktop.Application` that passes a user's action to an application.
struct ApplicationCall: Equatable, Sendable {
    let service: String
    /// Nil only brings the application to the front.
    let action: String?
    let parameter: String?
    let token: String?
    /// After this call the application knows everything about the action.
    let isComplete: Bool

    /// Brings the application to the front.
    init(activating service: String, token: String?) {
        self.service = service
        (action, parameter) = (nil, nil)
        self.token = token
        isComplete = true
    }

    /// Calls an action only if the desktop entry lists it, because applications ignore others
    /// without an error. Otherwise it brings the application to the front, which is enough for a
    /// click; the application gets the rest as a client of the engine. Nil for an action that needs
    /// no application at the front.
    init?(_ owed: OwedAction, for entry: DesktopEntry?) {
        guard let service = owed.service, BusName.isValid(service), !BusName.isUnique(service)
        else { return nil }
        self.service = service
        token = owed.token
        let name = Self.names[owed.action] ?? owed.action
        if let entry, entry.isActivatable, entry.actions.contains(name) {
            action = name
            parameter =
                owed.action == "default" ? owed.data ?? "{}" : Self.description(of: owed)
            isComplete = true
            return
        }
        guard !["mark_read", "decline"].contains(owed.action) else { return nil }
        (action, parameter) = (nil, nil)
        isComplete = owed.action == "default"
    }

    /// Actions that every notification has, as desktop entries list them.
    private static let names = [
        "default": "open-notification", "reply": "reply-notification",
        "mark_read": "mark-notification-read", "accept": "accept-call", "decline": "decline-call",
    ]

    private static func description(of owed: OwedAction) -> String {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("chat_id", Int(owed.chat))
            writer.member("message_id", Int(owed.message))
            if let text = owed.text { writer.member("text", text) }
            if let callID = owed.callID { writer.member("call_id", callID) }
            if let data = owed.data { writer.member(text: "data", json: data) }
        }
        return writer.text
    }

    var message: BusMethodCall {
        let path = "/" + String(service.map { $0 == "." ? "/" : $0 == "-" ? "_" : $0 })
        let platform = BusValue.options(
            token.map { [("activation-token", .string($0)), ("desktop-startup-id", .string($0))] }
                ?? [])
        // The specification allows at most one parameter.
        let values = parameter.map { [BusValue.variant(.string($0))] } ?? []
        let arguments: [BusValue] =
            action.map { [.string($0), .array("v", values), platform] } ?? [platform]
        return BusMethodCall(
            to: service, path: path, interface: "org.freedesktop.Application",
            member: action == nil ? "Activate" : "ActivateAction", arguments)
    }
}

/// The part of an application's `.desktop` file that is about activation (Desktop Entry
/// Specification 1.5).
struct DesktopEntry: Equatable, Sendable {
    /// The application can be started by a call on the bus.
    private(set) var isActivatable = false
    private(set) var actions: Set<String> = []
    /// The entry counts as missing.
    private(set) var isHidden = false

    init(_ file: [UInt8]) {
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
