import COpenSSL
import Foundation
import Testing

@testable import Crypto

@Suite("OpenSSL at the exit")
struct AtExitTests {
    @Test("It stays for threads that are still at work")
    func stays() async {
        await #expect(processExitsWith: .success) {
            // What was registered first is called last.
            atexit { _exit(OPENSSL_init_crypto(0, nil) == 1 ? 0 : 1) }
            OpenSSL.stayAtExit()
            _ = try PrivateKey.generate()
            exit(1)
        }
    }
}
