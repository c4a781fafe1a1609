import Bus

/// The counts that docks draw on application icons.
extension NotificationBus {
    /// Docks own this name by convention.
    static let launcher = "com.canonical.Unity"

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
