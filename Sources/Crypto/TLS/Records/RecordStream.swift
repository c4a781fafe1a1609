import COpenSSL
import System

/// The records of a connection on its socket, after OpenSSL's handshake.
///
/// Only the thread of its ciphers may use it. Exclusivity checks are off: no access lasts while other
/// code runs.
final class RecordStream {
    let applicationProtocol: ApplicationProtocol?
    let isResumed: Bool
    private let ciphers: RecordCiphers
    /// The socket, and the count of records without data.
    @exclusivity(unchecked) private var link: copenssl_link
    @exclusivity(unchecked) private var layer: RecordLayer
    /// What has come and was not looked at: part of a record, or records whose data found no room.
    @exclusivity(unchecked) private var input: [UInt8] = []
    /// What is sealed and not sent. It is never sealed again.
    @exclusivity(unchecked) private var output: [UInt8] = []
    /// So many bytes of the caller's are in `output`, of which the caller does not know.
    @exclusivity(unchecked) private var untold = 0
    /// The peer sends no more.
    @exclusivity(unchecked) private var isClosed = false
    @exclusivity(unchecked) private var failure: TLSError?

    init(
        _ layer: consuming RecordLayer, on descriptor: Int32, _ ciphers: RecordCiphers,
        _ applicationProtocol: ApplicationProtocol?, isResumed: Bool
    ) {
        self.layer = layer
        self.ciphers = ciphers
        self.applicationProtocol = applicationProtocol
        self.isResumed = isResumed
        link = copenssl_link()
        link.descriptor = descriptor
    }

    deinit { ciphers.forget(layer.connection) }

    var flood: TLSFlood? { link.flooding }

    /// Whether there is more to tell of what has already come, or to send before more may come. The
    /// socket does not report that.
    var hasPending: Bool {
        if isClosed || failure != nil || (!output.isEmpty && untold == 0) { return true }
        return hasRecord
    }

    /// Whether something in `input` can be looked at.
    private var hasRecord: Bool {
        // As nearly always; then it is not copied for a look.
        if input.isEmpty { return false }
        let input = input
        return RecordHeader.frame(input.span) != .incomplete
    }

    /// Fills `buffer`, which has room for the data of a record, with that of all records that one
    /// `recv` brings.
    func read(into buffer: inout MutableSpan<UInt8>) -> TLSTransfer {
        precondition(buffer.count >= RecordHeader.longestContent, "a record may not fit")
        if failure != nil { return stopped }
        if isClosed { return .closed }
        // A peer that asks and never reads must not make this grow.
        guard sendOwed() || (untold > 0 && failure == nil) else { return stopped }
        let bytes = ciphers.input
        var end = input.count
        _ = bytes.update(fromContentsOf: input)
        if !hasRecord {
            let count = receive(into: bytes.extracting(end..<bytes.count))
            if count == 0 { return stopped(else: .wantsRead) }
            end += count
        }
        let (start, count) = open(bytes.extracting(0..<end), into: &buffer)
        input = start < end ? Array(bytes[start..<end]) : []
        let isSent = sendOwed() || untold > 0
        if count > 0 { return .bytes(count) }
        return isClosed ? .closed : isSent ? stopped(else: .wantsRead) : stopped
    }

    /// Seals and sends `text`, at most two records of it. After `.wantsWrite` the next call must begin
    /// with the same bytes, which are sealed already.
    func write(_ text: Span<UInt8>) -> TLSTransfer {
        if failure != nil { return stopped }
        if untold == 0 {
            guard sendSealed() else { return stopped }
            guard !layer.sent.isEnded else { return .failed(TLSError("send", .wasClosed)) }
            untold = seal(text)
            if failure != nil { return stopped }
        }
        guard sendOwed() else { return stopped }
        defer { untold = 0 }
        return .bytes(untold)
    }

    /// Sends close_notify, unless a fatal alert was sent. The peer may go on sending.
    func shutdown() -> TLSProgress {
        if let failure { return .failed(failure) }
        guard sendOwed() else { return failure.map { .failed($0) } ?? .wantsWrite }
        seal(alert: .closeNotify)
        return failure.map { .failed($0) } ?? (output.isEmpty ? .done : .wantsWrite)
    }

    /// Why nothing could be done.
    private var stopped: TLSTransfer { stopped(else: .wantsWrite) }

    private func stopped(else transfer: TLSTransfer) -> TLSTransfer {
        failure.map { .failed($0) } ?? transfer
    }
}

/// What comes.
extension RecordStream {
    /// How many bytes came; 0 if none can be had now, or no more.
    private func receive(into buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
        while true {
            let count = recv(link.descriptor, buffer.baseAddress, buffer.count, 0)
            if count > 0 { return count }
            // The end without close_notify, or a broken connection.
            let code = count == 0 ? 0 : copenssl_errno()
            if code == EINTR { continue }
            if code != EAGAIN { failure = TLSError("recv", socketError: code) }
            return 0
        }
    }

    /// Opens the records in `bytes` as far as `buffer` has room for their data. Returns how far, and
    /// how much data there is.
    private func open(
        _ bytes: UnsafeMutableBufferPointer<UInt8>, into buffer: inout MutableSpan<UInt8>
    ) -> (start: Int, count: Int) {
        var (start, count) = (0, 0)
        do throws(OpenSSLError) {
            while count == 0 || hasRoom(buffer.count - count, for: bytes, from: start) {
                let rest = bytes.extracting(start..<bytes.count)
                switch try layer.open(rest, ciphers) {
                case .incomplete: return (start, count)
                case .data(let length, let range):
                    buffer.withUnsafeMutableBufferPointer { buffer in
                        let room = buffer.extracting(count..<count + range.count)
                        _ = room.update(fromContentsOf: rest.extracting(range))
                    }
                    count += range.count
                    start += length
                case .idle(let length, let kind):
                    start += length
                    if let kind { link.count(kind, at: Boot.milliseconds) }
                    guard let flood = link.flooding else { continue }
                    refuse(.unexpectedMessage, TLSError("recv", flood))
                    return (bytes.count, count)
                case .flood(let kind):
                    link.flood = kind.rawValue
                    refuse(.unexpectedMessage, TLSError("recv", kind))
                    return (bytes.count, count)
                case .closeNotify:
                    isClosed = true
                    return (bytes.count, count)
                case .alert(let alert):
                    failure = TLSError("recv", .sentAlert(alert))
                    return (bytes.count, count)
                case .refused(let alert):
                    refuse(alert, TLSError("recv", .refused(alert)))
                    return (bytes.count, count)
                }
            }
        } catch {
            fail("recv", error)
            return (bytes.count, count)
        }
        return (start, count)
    }

    /// Whether the data of the next record surely fits into `room` bytes.
    private func hasRoom(
        _ room: Int, for bytes: UnsafeMutableBufferPointer<UInt8>, from start: Int
    ) -> Bool {
        guard bytes.count - start >= RecordHeader.length else { return true }
        let sealed = Int(bytes[start + 3]) << 8 | Int(bytes[start + 4])
        return sealed <= room + RecordHeader.tagLength + 1
    }

    private func refuse(_ alert: TLSAlert, _ reason: TLSError) {
        seal(alert: alert)
        failure = reason
    }
}

/// What goes out.
extension RecordStream {
    /// Sends what is sealed, and the KeyUpdate that is due. False if something remains.
    private func sendOwed() -> Bool {
        guard sendSealed() else { return false }
        guard layer.sent.owesKeyUpdate else { return true }
        do throws(OpenSSLError) {
            guard let length = try layer.sealKeyUpdate(to: ciphers.output, ciphers) else {
                failure = TLSError("send", .hasNoKey)
                return false
            }
            send(length)
        } catch {
            fail("send", error)
        }
        return output.isEmpty && failure == nil
    }

    /// Our own cryptography has failed. The peer is told, if that can still be sealed.
    private func fail(_ call: StaticString, _ error: OpenSSLError) {
        seal(alert: .internalError)
        failure = TLSError(call, error)
    }

    private func sendSealed() -> Bool {
        guard !output.isEmpty else { return true }
        let sent = output.withUnsafeBufferPointer { push($0) }
        output = sent < output.count ? Array(output[sent...]) : []
        return output.isEmpty && failure == nil
    }

    /// Seals records of `text`, and sends what the socket takes. Returns how much of it was sealed.
    private func seal(_ text: Span<UInt8>) -> Int {
        do throws(OpenSSLError) {
            if let sealed = try layer.seal(text, to: ciphers.output, ciphers) {
                send(sealed.length)
                return sealed.taken
            }
            failure = TLSError("send", .hasNoKey)
        } catch {
            fail("send", error)
        }
        return 0
    }

    private func seal(alert: TLSAlert) {
        do throws(OpenSSLError) {
            if let length = try layer.seal(alert, to: ciphers.output, ciphers) { send(length) }
        } catch {
            failure = TLSError("send", error)
        }
    }

    /// Sends the sealed bytes at the front of the loop's memory. What the socket does not take waits
    /// behind what already waits.
    private func send(_ length: Int) {
        let sealed = UnsafeBufferPointer(ciphers.output.extracting(0..<length))
        let sent = output.isEmpty ? push(sealed) : 0
        output += sealed[sent...]
    }

    /// How many bytes the socket took.
    private func push(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        while true {
            let count = copenssl_send_bytes(link.descriptor, bytes.baseAddress, bytes.count)
            if count >= 0 { return count }
            let code = copenssl_errno()
            if code == EINTR { continue }
            if code != EAGAIN { failure = TLSError("send", socketError: code) }
            return 0
        }
    }
}
