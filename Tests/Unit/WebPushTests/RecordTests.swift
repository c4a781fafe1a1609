import Testing
import WebPush

@Suite("The padding of a decrypted record")
struct RecordTests {
    private func text(
        _ record: [UInt8], _ encoding: ContentEncoding
    ) -> Result<Range<Int>, DecryptionRefusal> {
        do throws(DecryptionRefusal) {
            return .success(try Record.text(of: record.span, encoding: encoding))
        } catch {
            return .failure(error)
        }
    }

    @Test("aes128gcm: text, 02, zeros; only one delimiter is removed")
    func delimiter() {
        #expect(text([2], .aes128gcm) == .success(0..<0))
        #expect(text([7, 2, 0, 0], .aes128gcm) == .success(0..<1))
        #expect(text([0, 2, 2], .aes128gcm) == .success(0..<2))
        #expect(text([7, 0, 0], .aes128gcm) == .failure(.badDelimiter))
        #expect(text([7, 1], .aes128gcm) == .failure(.badDelimiter))
        #expect(text([7, 2, 1, 0], .aes128gcm) == .failure(.badDelimiter))
        #expect(text([0, 0], .aes128gcm) == .failure(.noDelimiter))
        #expect(text([], .aes128gcm) == .failure(.noDelimiter))
    }

    @Test("aesgcm: a length, as many zeros, then the text")
    func length() {
        #expect(text([0, 0], .aesgcm) == .success(2..<2))
        #expect(text([0, 0, 0, 7], .aesgcm) == .success(2..<4))
        #expect(text([0, 2, 0, 0, 7], .aesgcm) == .success(4..<5))
        #expect(text([0, 2, 0, 0], .aesgcm) == .success(4..<4))
        #expect(text([0, 2, 0, 1, 7], .aesgcm) == .failure(.badPadding))
        #expect(text([0, 2, 1, 0, 7], .aesgcm) == .failure(.badPadding))
        #expect(text([0, 3, 0, 0], .aesgcm) == .failure(.badPadding))
        #expect(text([2, 0, 0, 0], .aesgcm) == .failure(.badPadding))
    }

    @Test("Padded text is found again", arguments: ContentEncoding.allCases)
    func roundTrip(encoding: ContentEncoding) {
        let plain: [UInt8] = [0, 1, 2, 0]
        for padding in [0, 1, 255, 256, 4000] {
            let record = Record.padded(plain.span, padding: padding, encoding: encoding)
            guard case .success(let range) = text(record, encoding) else {
                Issue.record("padding of \(padding)")
                continue
            }
            #expect(Array(record[range]) == plain)
        }
    }
}
