import TestSupport
import Testing
import WebPush

@Suite("The header of an aes128gcm body")
struct RecordHeaderTests {
    private static let body: [UInt8] =
        [UInt8](repeating: 9, count: 16) + [0, 0, 16, 0, 65, 4] + [UInt8](repeating: 7, count: 64)

    private func refusal(_ body: [UInt8]) -> DecryptionRefusal? {
        do throws(DecryptionRefusal) {
            _ = try EncryptionParameters(aes128gcm: body.span)
            return nil
        } catch {
            return error
        }
    }

    @Test("A body cut anywhere inside the header is too short")
    func cutAnywhere() {
        for prefix in prefixes(of: Self.body) { #expect(refusal(prefix) == .shortHeader) }
        #expect(refusal(Self.body) == nil)
    }

    @Test("The first error is named: length, record size, key id, point")
    func order() {
        func changed(_ changes: [Int: UInt8], drop: Int = 0) -> [UInt8] {
            var body = Self.body
            for (index, value) in changes { body[index] = value }
            return Array(body.dropLast(drop))
        }
        #expect(refusal(changed([18: 0, 19: 17, 20: 66])) == .shortHeader)
        #expect(refusal(changed([18: 0, 19: 17, 20: 64])) == .badRecordSize)
        #expect(refusal(changed([20: 64, 21: 3])) == .badKeyIDLength)
        #expect(refusal(changed([21: 3])) == .badPointFormat)
        #expect(refusal(changed([18: 0, 19: 18])) == nil)
    }

    @Test("A record is exactly one, with room for its tag and delimiter")
    func record() throws {
        func refusal(_ length: Int, size: UInt64, _ encoding: ContentEncoding) -> DecryptionRefusal?
        {
            guard let key = UncompressedPoint(base64URL: Self.key) else { return .badPoint }
            let parameters = EncryptionParameters(
                encoding: encoding, salt: EncryptionParameters.Salt(repeating: 0), senderKey: key,
                recordSize: size, ciphertext: 0..<length)
            do throws(DecryptionRefusal) {
                try Record.check(parameters)
                return nil
            } catch {
                return error
            }
        }
        #expect(refusal(0, size: 4096, .aes128gcm) == .noRecord)
        #expect(refusal(16, size: 4096, .aes128gcm) == .shortRecord)
        #expect(refusal(17, size: 18, .aes128gcm) == nil)
        #expect(refusal(18, size: 18, .aes128gcm) == nil)
        #expect(refusal(19, size: 18, .aes128gcm) == .multipleRecords)
        #expect(refusal(0, size: 4096, .aesgcm) == .noRecord)
        #expect(refusal(17, size: 4096, .aesgcm) == .shortRecord)
        #expect(refusal(18, size: 3, .aesgcm) == nil)
        #expect(refusal(19, size: 3, .aesgcm) == .truncated)
        #expect(refusal(20, size: 3, .aesgcm) == .multipleRecords)
        #expect(refusal(18, size: UInt64.max >> 1, .aesgcm) == nil)
    }

    private static let key =
        "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8"
}
