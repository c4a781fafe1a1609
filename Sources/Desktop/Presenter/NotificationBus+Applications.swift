import Bus

/// What applications are asked, and what the shell of the desktop is told about them.
extension NotificationBus {
    private static let application = "org.freedesktop.Application"

    /// Starts the application if it is not running; `token` lets it come to the front.
    func activate(_ service: String, action: String?, token: String?) {
        let path = "/" + String(service.map { $0 == "." ? "/" : $0 == "-" ? "_" : $0 })
        let platform = BusValue.options(
            token.map { [("activation-token", .string($0)), ("desktop-startup-id", .string($0))] }
                ?? [])
        let arguments: [BusValue] =
            action.map { [.string($0), .array("v", []), platform] } ?? [platform]
        connection?.call(
            BusMethodCall(
                to: service, path: path, interface: Self.application,
                member: action == nil ? "Activate" : "ActivateAction", arguments)
        ) { [log] reply in
            guard case .failure(let failure) = reply else { return }
            log.write(.warning, "application.activation.failed", [("error", failure.name)])
        }
    }

    /// Docks draw the number on the application's icon.
    func badge(_ desktopEntry: String, _ count: Int64) {
        let members: [(String, BusValue)] = [
            ("count", .int64(count)), ("count-visible", .boolean(count > 0)),
        ]
        do throws(BusError) {
            try connection?.emit(
                path: "/org/bellwire/Desktop/LauncherEntry",
                interface: "com.canonical.Unity.LauncherEntry", member: "Update",
                [.string("application://\(desktopEntry).desktop"), .options(members)])
        } catch {
            log.write(.warning, "badge.failed", [("reason", error.description)])
        }
    }
}
