/// The value of an option, in TDLib's four kinds.
package enum OptionValue: Equatable, Sendable {
    case boolean(Bool)
    case integer(Int64)
    case string(String)
    case empty
}

/// The options that the engine itself looks at.
package enum OptionName {
    package static let groupCountMax = "notification_group_count_max"
    package static let groupSizeMax = "notification_group_size_max"
    package static let onlineCloudTimeout = "online_cloud_timeout_ms"
    package static let cloudDelay = "notification_cloud_delay_ms"
    package static let defaultDelay = "notification_default_delay_ms"
    package static let ignoresSentScheduled = "disable_sent_scheduled_message_notifications"
    package static let ignoresContacts = "disable_contact_registered_notifications"
    package static let dropsIDs = "drop_notification_ids"
    static let booleans: Set<String> = [ignoresSentScheduled, ignoresContacts]

    static func range(of name: String) -> ClosedRange<Int64>? {
        switch name {
        case groupCountMax: 0...25
        case groupSizeMax: 1...25
        default: nil
        }
    }
}
