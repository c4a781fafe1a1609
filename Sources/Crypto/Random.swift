package import Base
import COpenSSL

/// Random bytes for keys, salts and secrets, from OpenSSL's seeded generator.
package enum Random {
    package static func bytes(count: Int) throws(OpenSSLError) -> [UInt8] {
        var result: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { output, initialized in
            result = RAND_bytes(output.baseAddress, Int32(count))
            initialized = count
        }
        try ensure(result, "RAND_bytes")
        return bytes
    }

    package static func secret(count: Int) throws(OpenSSLError) -> Secret {
        try Secret(count: count) { block throws(OpenSSLError) in
            try block.withUnsafeMutableBufferPointer { bytes throws(OpenSSLError) in
                try fill(bytes)
            }
        }
    }

    static func fill(_ bytes: UnsafeMutableBufferPointer<UInt8>) throws(OpenSSLError) {
        try ensure(RAND_bytes(bytes.baseAddress, Int32(bytes.count)), "RAND_bytes")
    }
}
