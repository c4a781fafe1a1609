#if DEBUG
    import Glibc

    /// A fault for tests, in debug builds only: with `BELLWIRE_TRAP=KIND:HOW:TEXT` the process
    /// crashes or hangs in that way at each input of that kind that contains the text. The kind
    /// `desktop` applies when a desktop service gets its receivers again.
    package enum PlantedTrap {
        private static let trap: (kind: String, how: String, text: [UInt8])? = {
            let words = Environment["BELLWIRE_TRAP"]?.split(
                separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard let words, words.count == 3 else { return nil }
            return (String(words[0]), String(words[1]), Array(words[2].utf8))
        }()

        package static func spring(
            _ kind: @autoclosure () -> String, _ first: Span<UInt8> = Span(),
            _ second: Span<UInt8> = Span()
        ) {
            guard let trap, trap.kind == kind() else { return }
            guard has(trap.text, first) || has(trap.text, second) else { return }
            switch trap.how {
            case "abort": abort()
            case "overflow": _ = sink(0)
            case "kill": kill(getpid(), SIGKILL)
            case "hang": while true { pause() }
            default: preconditionFailure("a trap was planted")
            }
        }

        @inline(never)
        private static func sink(_ depth: Int) -> Int { depth < 0 ? 0 : sink(depth + 1) + depth }

        private static func has(_ text: [UInt8], _ bytes: Span<UInt8>) -> Bool {
            guard bytes.count >= text.count else { return false }
            return (0...bytes.count - text.count).contains { start in
                text.indices.allSatisfy { bytes[start + $0] == text[$0] }
            }
        }
    }
#endif
