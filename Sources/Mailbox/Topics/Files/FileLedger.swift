import System

extension FileLimits {
    /// No file comes if less than this part of the disk would stay free.
    private static let freePart = 10

    /// Whether the disk has room for a file.
    func hasRoom(for size: Int, on disk: DiskSpace) -> Bool {
        disk.free - size >= disk.whole / Self.freePart
    }
}

/// How much room the files of topics take, for each topic and each owner. Files that are being
/// written count as well.
struct FileLedger {
    private var topics: [UInt32: Int] = [:]
    private var owners: [UInt32: Int] = [:]
    private(set) var all = 0

    func bytes(ofTopic device: UInt32) -> Int { topics[device] ?? 0 }
    func bytes(ofOwner owner: UInt32) -> Int { owners[owner] ?? 0 }

    /// False, and nothing is counted, if there is no room. `all`: for the whole server.
    mutating func reserve(_ file: KeptFile, within limits: FileLimits, all limit: Int) -> Bool {
        guard file.size <= limits.file, bytes(ofTopic: file.device) + file.size <= limits.topic,
            bytes(ofOwner: file.owner) + file.size <= limits.owner, all + file.size <= limit
        else { return false }
        count(file)
        return true
    }

    mutating func count(_ file: KeptFile) { add(file.size, of: file) }
    mutating func release(_ file: KeptFile) { add(-file.size, of: file) }

    private mutating func add(_ size: Int, of file: KeptFile) {
        all += size
        Self.add(size, &topics[file.device])
        Self.add(size, &owners[file.owner])
    }

    private static func add(_ size: Int, _ entry: inout Int?) {
        let sum = (entry ?? 0) + size
        entry = sum == 0 ? nil : sum
    }
}
