import Base
import Crypto
import Mailbox

/// Endpoint tokens with a wrong code: wrong in its last byte, and wrong throughout.
///
/// If the time of the refusal differed, codes could be guessed byte by byte.
final class TokenClasses {
    private static let pairCount = 256
    /// A single refusal is too short for the clock.
    private static let callsPerSample = 16

    private var mint: EndpointMint
    private let tokens: [[UInt8]]

    init() throws {
        var mint = try EndpointMint(key: try Random.secret(count: 32))
        tokens = try (0..<Self.pairCount).flatMap { _ in
            let token = try mint.make().bytes
            var nearly = token
            nearly[nearly.count - 1] ^= 1
            let code = try Random.bytes(count: token.count - EndpointToken.randomLength)
            return [nearly, token.prefix(EndpointToken.randomLength) + code]
        }.map { Base64URL.encode($0.span) }
        self.mint = mint
    }

    /// Compares the times of refusals, `count` of each class in random order.
    func measure(_ count: Int) throws -> WelchTest {
        var times: [[Double]] = [[], []]
        // Measures whole rounds, so that each token counts equally; the first round warms up.
        for round in 0...(count / Self.pairCount) {
            for index in tokens.indices.shuffled() {
                let token = tokens[index]
                let start = Clock.nanoseconds
                for _ in 0..<Self.callsPerSample {
                    guard try mint.token(token.span) == nil else { throw BadScalar() }
                }
                let time = Clock.nanoseconds - start
                if round > 0 { times[index % 2].append(Double(time)) }
            }
        }
        return WelchTest(times[0], times[1])
    }
}
