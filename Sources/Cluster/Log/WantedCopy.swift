import System

/// That a folder is to get a copy of another node's store, which has at least this entry.
enum WantedCopy {
    private static func path(_ folder: String) -> String { folder + "/copy-wanted" }

    static func keep(_ entry: Int64, in folder: String) throws(SystemError) {
        try AtomicFile.replace(path(folder), with: Array(String(entry).utf8).span, mode: 0o600)
    }

    static func entry(in folder: String) -> Int64? {
        (try? TextFile.read(path(folder))).flatMap { Int64(String(decoding: $0, as: UTF8.self)) }
    }

    static func forget(in folder: String) { FileRemoval.remove(path(folder)) }
}
