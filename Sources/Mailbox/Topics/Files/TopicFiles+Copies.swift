import Base
import Crypto
import System

/// How the thread of files gets those that other stores took, and gives what is here to others.
///
/// Nobody has to be trusted: what does not open as a chunk of the file is not kept.
extension TopicFiles {
    /// In milliseconds: how long a reader waits, and the pause after a failure of this machine.
    private static let (patience, rest): (Int64, Int64) = (10_000, 1_000)
    /// So many readers wait.
    private static let readerLimit = 256

    /// Messages have these files. The newest is the last.
    func lack(_ marks: [FileMark]) {
        guard let place else { return }
        copies.missing.add(marks.filter { FileStamp(of: place.path(of: $0)) == nil })
    }

    /// False if there is nobody to wait for, or no time left.
    func wait(_ reader: FileReader, for mark: FileMark) -> Bool {
        let now = Boot.milliseconds
        var reader = reader
        if reader.until == 0 { reader.until = now + Self.patience }
        guard place?.peers != nil, copies.waitingCount < Self.readerLimit, reader.until > now
        else { return false }
        copies.add(reader, of: mark)
        copies.missing.want(mark)
        return true
    }

    /// Does what is due.
    func goOnCopying(at now: Int64) {
        for reader in copies.takeLate(at: now) { reader.then(.elsewhere) }
        if let place, let peers = place.peers {
            while copies.mayBegin(at: now), let mark = copies.missing.next(at: now) {
                begin(mark, in: place)
            }
            while let turn = copies.takeTurn(at: now) {
                switch turn {
                case .ask(let download): ask(download, peers)
                case .answer(let chunk, let mark, let question):
                    question.answer(sealedChunk(chunk, of: mark, in: place))
                }
            }
        }
        note(missing: copies.missing.count)
    }

    /// Nobody is told anything any more.
    func endCopying() {
        for mark in Array(copies.waiting.keys) { settle(mark, .unavailable) }
        copies = FileCopies()
    }

    /// The file is not on its way any more. Readers who wait for it are told this.
    func settle(_ mark: FileMark, _ reading: FileReading) {
        copies.missing.remove(mark)
        copies.downloads[mark] = nil
        for reader in copies.takeReaders(of: mark) { reader.then(reading) }
    }

    private func begin(_ mark: FileMark, in place: FilePlace) {
        do throws(any Error) {
            guard let reader = try openedReader() else { return fail(mark) }
            switch try reader.find(mark, at: place.time.now) {
            case .none: settle(mark, .none)
            case .unreadable: fail(mark)
            case .file(let found):
                // A node must not fill a disk that is smaller than those of the others.
                guard let disk = place.space(place.folder),
                    place.limits.hasRoom(for: found.file.size, on: disk)
                else { return fail(mark) }
                let download = try FileDownload(
                    found.file, of: found.owner, to: place.path(of: mark))
                copies.downloads[mark] = download
                copies.add(download)
            }
        } catch {
            reader = nil
            copies.rest(until: Boot.milliseconds + Self.rest)
            fail(mark)
        }
    }

    private func fail(_ mark: FileMark) {
        copies.missing.failed(mark)
        copies.downloads[mark] = nil
        for reader in copies.takeReaders(of: mark) { reader.then(.elsewhere) }
    }

    private func ask(_ download: FileDownload, _ peers: any StorePeers) {
        let mark = download.mark
        // The file may have ended while this waited for its turn.
        guard copies.downloads[mark] === download else { return }
        let number = copies.newQuestion()
        download.question = number
        peers.ask(download.next.coded, of: download.peer, butNot: download.avoided) {
            [weak self] answer in self?.hear(answer, to: number, about: mark)
        }
    }

    func heard(_ answer: PeerAnswer?, to question: Int, about mark: FileMark) {
        guard let download = copies.downloads[mark], download.question == question else { return }
        guard download.peer != nil else {
            guard let answer else { return fail(mark) }
            download.found(answer.peer)
            return copies.add(download)
        }
        do throws(any Error) {
            if let answer, try download.take(answer.bytes) {
                guard download.isWhole else { return copies.add(download) }
                try download.publish()
                copies.missing.remove(mark)
                copies.downloads[mark] = nil
                for reader in copies.takeReaders(of: mark) { self.answer(reader) }
            } else if download.avoidPeer() {
                copies.add(download)
            } else {
                fail(mark)
            }
        } catch {
            copies.rest(until: Boot.milliseconds + Self.rest)
            fail(mark)
        }
    }

    func asked(_ question: PeerQuestion) {
        guard let place, let asked = FileQuestion.decoded(question.bytes), let mark = asked.mark
        else { return }
        if let chunk = asked.chunk {
            copies.add(question, for: chunk, of: mark)
        } else if FileStamp(of: place.path(of: mark)) != nil {
            question.answer([])
        }
    }

    /// Empty if it cannot be read: then another store is asked at once.
    private func sealedChunk(_ number: Int, of mark: FileMark, in place: FilePlace) -> [UInt8] {
        do throws(SystemError) {
            let disk = try LargeFile(place.path(of: mark), followsLink: false)
            return try FileChunks.sealed(number, from: disk)
        } catch {
            return []
        }
    }
}
