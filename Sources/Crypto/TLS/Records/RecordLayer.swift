import COpenSSL

/// The records of one TLS 1.3 connection after its handshake: what comes in, and what goes out.
///
/// A value without socket and clock: sealed bytes go in, data and events come out, and the other way
/// round. Idle, it has two secrets with their keys and numbers, and no buffer. After `.refused`,
/// `.alert` and an error nothing more may be done with it than to send what it has sealed.
package struct RecordLayer: ~Copyable {
    package enum Step: Equatable {
        /// The rest of a record is missing.
        case incomplete
        /// The first so many bytes were a record, in whose place this range is its data.
        case data(length: Int, Range<Int>)
        /// The first so many bytes were a record without data.
        case idle(length: Int, TLSFlood?)
        /// The peer sends no more. What follows is not looked at.
        case closeNotify
        /// The peer has given up.
        case alert(TLSAlert)
        /// The peer broke a rule. It gets an alert of this.
        case refused(TLSAlert)
        /// The peer sent too many records without data, the last of this kind.
        case flood(TLSFlood)
    }

    /// What of the text went into so many sealed bytes.
    struct Sealed: Equatable {
        var taken = 0
        var length = 0
    }

    let connection: UInt64
    private var received: ReceivedRecords
    private(set) var sent: SentRecords
    private var readKeys: TrafficKeys
    private var writeKeys: TrafficKeys

    /// `connection` tells it from all others that use the same ciphers.
    package init(
        _ connection: UInt64, reading readKeys: consuming TrafficKeys,
        writing writeKeys: consuming TrafficKeys, longestContent: Int = 1 << 14
    ) {
        self.connection = connection
        self.readKeys = readKeys
        self.writeKeys = writeKeys
        received = ReceivedRecords(longestContent: longestContent)
        sent = SentRecords(longestContent: longestContent)
    }

    /// Opens the record at the front of `bytes`, in place.
    package mutating func open(
        _ bytes: UnsafeMutableBufferPointer<UInt8>, _ ciphers: RecordCiphers
    ) throws(OpenSSLError) -> Step {
        let length: Int
        switch RecordHeader.frame(bytes.span) {
        case .incomplete: return .incomplete
        case .refused(let alert): return .refused(alert)
        case .record(let whole): length = whole
        }
        let record = bytes.extracting(0..<length)
        guard let count = try ciphers.open(record, &readKeys, of: connection) else {
            return .refused(.badRecordMAC)
        }
        let start = RecordHeader.length
        switch received.opened(record.span.extracting(start..<start + count)) {
        case .data(let range):
            return .data(length: length, range.lowerBound + start..<range.upperBound + start)
        case .nothing(let idle): return .idle(length: length, idle)
        case .keyUpdate(let asksForOurs):
            if asksForOurs { sent.asksForKeyUpdate() }
            ciphers.forget(connection)
            let isUpdated = try readKeys.update()
            return isUpdated ? .idle(length: length, .keyUpdates) : .refused(.internalError)
        case .closeNotify: return .closeNotify
        case .alert(let alert):
            sent.end()
            return .alert(alert)
        case .refused(let alert): return .refused(alert)
        case .flood(let kind): return .flood(kind)
        }
    }

    /// Seals as much of `text` as fits into `output`, and before it the KeyUpdate that is due. Nil if
    /// nothing may be sent any more.
    ///
    /// What was sealed before something fails has to be sent, because its numbers are used.
    mutating func seal(
        _ text: Span<UInt8>, to output: UnsafeMutableBufferPointer<UInt8>, _ ciphers: RecordCiphers
    ) throws(OpenSSLError) -> Sealed? {
        var sealed = Sealed()
        do throws(OpenSSLError) {
            return try seal(text, to: output, ciphers, &sealed)
        } catch {
            guard sealed.length > 0 else { throw error }
            return sealed
        }
    }

    private mutating func seal(
        _ text: Span<UInt8>, to output: UnsafeMutableBufferPointer<UInt8>,
        _ ciphers: RecordCiphers, _ sealed: inout Sealed
    ) throws(OpenSSLError) -> Sealed? {
        while sealed.taken < text.count {
            let rest = output.extracting(sealed.length..<output.count)
            let room = rest.count - RecordHeader.overhead
            let limit = ciphers.recordsPerKey(writeKeys.suite)
            switch sent.next(after: writeKeys.sequence, limit: limit) {
            case .ended: return nil
            case .keyUpdate:
                guard room >= Self.keyUpdate.count else { return sealed }
                guard let length = try sealKeyUpdate(to: rest, ciphers) else { return nil }
                sealed.length += length
            case .data(let longest):
                let count = min(text.count - sealed.taken, longest)
                guard room >= count else { return sealed }
                let content = text.extracting(sealed.taken..<sealed.taken + count)
                sealed.length += try ciphers.seal(
                    content, ContentType.data, to: rest, &writeKeys, of: connection)
                sealed.taken += count
            }
        }
        return sealed
    }

    /// Asks for no answer: nobody needs the peer's keys to change (RFC 9846 section 4.7.3).
    private static let keyUpdate: InlineArray<5, UInt8> = [24, 0, 0, 1, 0]

    /// The KeyUpdate itself goes out under the old key. Returns its length, or nil if there is no
    /// next key.
    mutating func sealKeyUpdate(
        to output: UnsafeMutableBufferPointer<UInt8>, _ ciphers: RecordCiphers
    ) throws(OpenSSLError) -> Int? {
        let length = try ciphers.seal(
            Self.keyUpdate.span, ContentType.handshake, to: output, &writeKeys, of: connection)
        sent.hasUpdatedKeys()
        ciphers.forget(connection)
        do throws(OpenSSLError) {
            return try writeKeys.update() ? length : nil
        } catch {
            // It is not known which keys there are now, so nothing is sealed with them, not even an
            // alert.
            sent.end()
            throw error
        }
    }

    /// The last record of ours. Nil if there was one already.
    mutating func seal(
        _ alert: TLSAlert, to output: UnsafeMutableBufferPointer<UInt8>, _ ciphers: RecordCiphers
    ) throws(OpenSSLError) -> Int? {
        if sent.isEnded { return nil }
        sent.end()
        return try ciphers.seal(
            alert.content.span, ContentType.alert, to: output, &writeKeys, of: connection)
    }
}
