import Glibc

/// A time in the local time zone, to the minute.
enum LocalTime {
    static func text(_ seconds: Int) -> String {
        var (time, parts) = (time_t(seconds), tm())
        localtime_r(&time, &parts)
        var text = [CChar](repeating: 0, count: 32)
        let count = strftime(&text, text.count, "%Y-%m-%d %H:%M", &parts)
        return String(decoding: text[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
