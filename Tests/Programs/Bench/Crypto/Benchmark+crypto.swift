import Crypto

extension Benchmark {
    static let crypto = Benchmark(
        name: "crypto",
        summary: "compare decryption and verification with C (--seconds, --rounds, --million)"
    ) { options in
        print("\(OpenSSLLibrary.version); \(options.rounds) rounds of \(options.seconds) s CPU\n")
        let contest = Contest(rounds: options.rounds, seconds: options.seconds)
        let table = ResultTable()
        var bars: [Bar] = []
        for length in [200, 3993] { bars += try decryption(length, contest, table) }
        bars.append(try verification(contest, table))
        let token = try ownOperations(contest, table)
        bars.append(.below(2, "verify a cached token, in us,", token * 1_000_000))
        bars.append(try memory(messages: options.isMillion ? 1_000_000 : 50_000))
        return Bar.report(bars)
    }

    /// What `tools/bench push` compares whole pushes with.
    static let decryption = Benchmark(
        name: "decryption", summary: "decrypt 200 B in C (--seconds, --rounds)"
    ) { options in
        let yardstick = try Yardstick(try PushPool(textLength: 200, encoding: .aes128gcm))
        let seconds = try Contest(rounds: options.rounds, seconds: options.seconds)
            .run(Contender(run: yardstick.decryptFast))
        print("decryption_us=\((seconds * 1_000_000).text(digits: 2))")
        return true
    }

    private static func decryption(
        _ length: Int, _ contest: Contest, _ table: ResultTable
    ) throws -> [Bar] {
        let pool = try PushPool(textLength: length, encoding: .aes128gcm)
        let ours = try OurDecryption(pool)
        let yardstick = try Yardstick(pool)
        let name = "decrypt \(length) B"
        // They are measured in pairs, because a slow contender leaves cold caches to the next one.
        func ratio(_ rival: String, _ run: @escaping (Int) throws -> Void) throws -> Double {
            let rounds = try contest.run([Contender(run: ours.decrypt), Contender(run: run)])
            return table.add(
                "\(name), \(rival)", ours: rounds.map { $0[0] }, c: rounds.map { $0[1] })
        }
        return [
            .atLeast(0.97, "\(name) against fast C", try ratio("fast C", yardstick.decryptFast)),
            .atLeast(2.4, "\(name) against usual C", try ratio("usual C", yardstick.decryptUsual)),
        ]
    }

    private static func verification(
        _ contest: Contest, _ table: ResultTable
    ) throws -> Bar {
        let signatures = try Signatures()
        let rounds = try contest.run([
            Contender(run: signatures.verify), Contender(run: signatures.verifyByYardstick),
        ])
        let ratio = table.add(
            "verify ES256", ours: rounds.map { $0[0] }, c: rounds.map { $0[1] })
        return .atLeast(0.97, "verify ES256 against C", ratio)
    }

    /// Operations without a counterpart in C; returns the seconds of a cached token.
    private static func ownOperations(
        _ contest: Contest, _ table: ResultTable
    ) throws -> Double {
        let aesgcm = try OurDecryption(try PushPool(textLength: 200, encoding: .aesgcm))
        let sealed = try SealedFields(length: 200)
        let payloads = try MTProtoPayloads(textLength: 300)
        let tokens = try Tokens()
        func measure(_ name: String, _ run: @escaping (Int) throws -> Void) throws -> Double {
            let seconds = try contest.run(Contender(run: run))
            table.add(name, ours: seconds)
            return seconds
        }
        _ = try measure("decrypt 200 B aesgcm", aesgcm.decrypt)
        _ = try measure("seal a field of 200 B", sealed.seal)
        _ = try measure("open a field of 200 B", sealed.open)
        _ = try measure("decrypt MTProto payload of 300 B", payloads.decrypt)
        return try measure("verify a cached VAPID token", tokens.verify)
    }

    /// No memory may stay allocated after a message: after 10,000 messages it must not grow.
    private static func memory(messages: Int) throws -> Bar {
        let ours = try OurDecryption(try PushPool(textLength: 3993, encoding: .aes128gcm))
        func decrypt(_ count: Int) throws -> MemoryUse {
            for item in 0..<count { try ours.decrypt(item % Contest.itemCount) }
            return try MemoryUse.now()
        }
        let early = try decrypt(10_000)
        let late = try decrypt(messages - 10_000)
        print("\nmemory, KiB: after 10000 messages \(early.resident), peak \(early.peak)")
        print("             after \(messages) messages \(late.resident), peak \(late.peak)")
        // The kernel's own count may lag behind by 64 pages.
        let growth = max(late.resident - early.resident, late.peak - early.peak)
        return Bar(
            name: "memory growth over \(messages) messages, at most 256 KiB",
            measured: "\(growth)", isReached: growth <= 256)
    }
}
