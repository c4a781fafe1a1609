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
    /// What the user calls the account, for chats without a name of their own.
    package static let title = "bellwire_title"
    package static let onlineCloudTimeout = "online_cloud_timeout_ms"
    package static let cloudDelay = "notification_cloud_delay_ms"
    package static let defaultDelay = "notification_default_delay_ms"
    package static let ignoresSentScheduled = "disable_sent_scheduled_message_notifications"
    package static let ignoresContacts = "disable_contact_registered_notifications"
    package static let dropsIDs = "drop_notification_ids"
    static let online = "online"
    /// Of the TDLib whose requests and answers are the engine's.
    static let version = "1.8.69"
    static let booleans: Set<String> = [
        ignoresSentScheduled, ignoresContacts, "always_parse_markdown", "disable_animated_emoji",
        "disable_persistent_network_statistics", "disable_time_adjustment_protection",
        "disable_top_chats", "ignore_background_updates", "ignore_default_disable_notification",
        "ignore_file_names", "ignore_platform_restrictions",
        "ignore_sensitive_content_restrictions", "is_location_visible", online, "prefer_ipv6",
        "process_pinned_messages_as_mentions", "use_pfs", "use_quick_ack",
        "use_storage_optimizer",
    ]

    /// Whether TDLib lets a client set it: some by name, and the client's own, which begin with X.
    static func isSettable(_ name: String) -> Bool {
        range(of: name) != nil || booleans.contains(name) || name == dropsIDs
            || name.hasPrefix("x") || name.hasPrefix("X")
    }

    package static func range(of name: String) -> ClosedRange<Int64>? {
        switch name {
        case groupCountMax: 0...25
        case groupSizeMax: 1...25
        case "message_unload_delay": 60...86_400
        default: nil
        }
    }
}
