/// The tags that are shown as a sign before the title. ntfy's users know these words; other tags
/// are listed below the text.
enum TagSign {
    static let of: [String: String] = [
        "+1": "👍", "-1": "👎", "alarm_clock": "⏰", "battery": "🔋", "bell": "🔔", "bug": "🐛",
        "camera": "📷", "computer": "💻", "cd": "💿", "door": "🚪", "droplet": "💧",
        "envelope": "✉️", "eyes": "👀", "facepalm": "🤦", "fire": "🔥", "floppy_disk": "💾",
        "green_circle": "🟢", "heavy_check_mark": "✔️", "hourglass": "⌛", "house": "🏠",
        "information_source": "ℹ️", "key": "🔑", "lock": "🔒", "loudspeaker": "📢", "moneybag": "💰",
        "no_entry": "⛔", "no_entry_sign": "🚫", "package": "📦", "partying_face": "🥳",
        "red_circle": "🔴", "rocket": "🚀", "rotating_light": "🚨", "skull": "💀", "snowflake": "❄️",
        "star": "⭐", "tada": "🎉", "thermometer": "🌡️", "triangular_flag_on_post": "🚩",
        "unlock": "🔓", "warning": "⚠️", "white_check_mark": "✅", "wrench": "🔧", "x": "❌",
        "yellow_circle": "🟡", "zap": "⚡",
    ]
}
