import Base
import CBench
import Crypto

/// The two decryptions in C that ours is compared with.
final class Yardstick {
    private let pool: PushPool
    private let fast: OpaquePointer
    private let usual: OpaquePointer
    private let text: UnsafeMutablePointer<UInt8>

    struct Unavailable: Error {}

    init(_ pool: PushPool) throws {
        let scalar = try pool.keys.privateKey.bytes
        let handles = scalar.withSpan { scalar in
            pool.keys.privateKey.publicKey.withSpan { point in
                pool.keys.auth.withSpan { auth in Self.handles(scalar, point, auth) }
            }
        }
        guard let fast = handles.fast, let usual = handles.usual else { throw Unavailable() }
        self.pool = pool
        self.fast = fast
        self.usual = usual
        text = .allocate(capacity: pool.pushes.map(\.body.count).max() ?? 0)
    }

    deinit {
        cbench_fast_free(fast)
        cbench_usual_free(usual)
        text.deallocate()
    }

    func decryptFast(_ item: Int) throws {
        let body = pool.pushes[item].body
        let length = body.span.withUnsafeBufferPointer { body in
            cbench_fast_decrypt(fast, body.baseAddress, body.count, text)
        }
        try pool.check(length)
    }

    func decryptUsual(_ item: Int) throws {
        let body = pool.pushes[item].body
        let length = body.span.withUnsafeBufferPointer { body in
            cbench_usual_decrypt(usual, body.baseAddress, body.count, text)
        }
        try pool.check(length)
    }

    private static func handles(
        _ scalar: Span<UInt8>, _ point: Span<UInt8>, _ auth: Span<UInt8>
    ) -> (fast: OpaquePointer?, usual: OpaquePointer?) {
        scalar.withUnsafeBufferPointer { scalar in
            point.withUnsafeBufferPointer { point in
                auth.withUnsafeBufferPointer { auth in
                    (
                        cbench_fast_new(scalar.baseAddress, point.baseAddress, auth.baseAddress),
                        cbench_usual_new(scalar.baseAddress, point.baseAddress, auth.baseAddress)
                    )
                }
            }
        }
    }
}
