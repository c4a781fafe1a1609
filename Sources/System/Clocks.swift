import Glibc

/// The time since the machine was started, and an identifier of that start.
package enum Boot {
    /// Includes the time while the machine was suspended. Setting the clock does not change it.
    package static var milliseconds: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// 16 bytes that differ from one start of the machine to the next; nil if the kernel has none.
    package static var identifier: [UInt8]? {
        guard let file = try? FileDescriptor.open("/proc/sys/kernel/random/boot_id", O_RDONLY),
            let text = try? file.readAll(limit: 64)
        else { return nil }
        let digits = text.compactMap(\.hexadecimalDigit)
        guard digits.count == 32 else { return nil }
        return (0..<16).map { digits[2 * $0] << 4 | digits[2 * $0 + 1] }
    }
}

extension UInt8 {
    fileprivate var hexadecimalDigit: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}

/// The time of day. It may jump.
package enum WallClock {
    /// Seconds since 1970.
    package static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
    }
}
