import Glibc
import System

/// A user agent that an earlier run of the load program has registered, with its only endpoint.
struct KnownAgent {
    struct Unwritable: Error {}

    let name: String
    let path: String

    static func read(_ file: String) throws -> [KnownAgent] {
        try TextFile.read(file).split(separator: UInt8(ascii: "\n")).compactMap { line in
            let words = String(decoding: line, as: UTF8.self).split(separator: " ")
            guard words.count == 2 else { return nil }
            return KnownAgent(name: String(words[0]), path: String(words[1]))
        }
    }

    static func write(_ agents: [KnownAgent], to file: String) throws {
        guard let stream = fopen(file, "w") else { throw Unwritable() }
        for agent in agents { fputs("\(agent.name) \(agent.path)\n", stream) }
        guard fclose(stream) == 0 else { throw Unwritable() }
    }
}
