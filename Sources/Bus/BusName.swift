import CSystemd

package enum BusName {
    /// Whether the bus accepts `text` as a unique or well-known name.
    package static func isValid(_ text: String) -> Bool {
        !text.utf8.contains(0) && sd_bus_service_name_is_valid(text) > 0
    }

    package static func isUnique(_ text: String) -> Bool { text.hasPrefix(":") }
}
