import Base
import SQLite

/// Reads devices from the file.
enum DeviceRows {
    /// What `device` reads.
    static let query = "SELECT row, user_agent, credential, owner, created FROM device"

    static func device(
        _ select: borrowing StoreStatement
    ) -> (device: KnownUserAgent, owner: UInt32)? {
        guard let userAgent = select.withBytes(1, { Digest($0) }) else { return nil }
        let device = KnownUserAgent(
            row: UInt32(clamping: select.integer(0)), userAgent: userAgent,
            credential: select.isNull(2) ? nil : UInt32(clamping: select.integer(2)),
            created: select.integer(4))
        return (device, UInt32(clamping: select.integer(3)))
    }
}
