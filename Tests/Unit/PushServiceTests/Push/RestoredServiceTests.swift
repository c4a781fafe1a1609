import Base
import Crypto
import Foundation
import System
import TestSupport
import Testing

@testable import Mailbox
@testable import PushService

@Suite("The push service after a restore")
struct RestoredServiceTests {
    private let folder: TemporaryFolder
    private let key: MasterKey

    init() throws {
        folder = try TemporaryFolder()
        key = try MasterKey.generate()
    }

    private func original() throws -> PushFixture {
        try PushFixture { [key] plan in plan.store = { $0.masterKey = key } }
    }

    /// The service on a restored copy of the store as it was when this was called.
    private func restore(_ fixture: PushFixture) throws {
        let keys = try #require(BackupKeys([key]))
        _ = try StoreSnapshot(of: fixture.folder.file("state")).write(
            to: folder.file("backup"),
            StoreSnapshot.Terms(.clear(keys), made: 1, program: "test")
        ) { _, _, _ in }
        let backup = try BackupFile(folder.file("backup")) { _, _, _ in }
        _ = try Restoration(of: backup, into: folder.file("restored"))
            .run(keys, former: nil, at: .now()) { _, _, _ in }
    }

    private func restored(daysLater: Int64 = 0) throws -> PushFixture {
        let (path, key) = (folder.file("restored"), key)
        return try PushFixture { plan in
            plan.store = { options in
                options.folder = path
                options.masterKey = key
                options.reading = {
                    var reading = ClockReading.now()
                    reading.boot = nil
                    reading.wall += daysLater * 86_400_000
                    return reading
                }
            }
        }
    }

    @Test("After a restore, an endpoint that may be newer gets 503 for 30 days, then 410")
    func missing() throws {
        let fixture = try original()
        let old = try fixture.userAgent().register()
        try restore(fixture)
        let newer = try fixture.userAgent().register()
        do {
            let soon = try restored()
            #expect(try soon.push(old).status == 201)
            let answer = try soon.push(newer)
            #expect(answer.code == "503/201" && answer["retry-after"] == "3600")
            #expect(answer["cache-control"] == "no-store")
            // A homeserver must not end its pusher either.
            #expect(try soon.notify(newer).status == 503)
        }
        let late = try restored(daysLater: 31)
        #expect(try late.push(old).status == 201)
        #expect(try late.push(newer).code == "410/106")
        #expect(try late.notify(newer).status == 200)
    }

    @Test("A device that is not confirmed gets 503, and is let in afterwards")
    func unconfirmed() throws {
        let fixture = try original()
        let secret = try fixture.addCredential()
        try restore(fixture)
        let service = try restored()
        func refusal() throws -> Int? {
            do {
                _ = try UserAgent(service, path: "/u/" + secret)
                return nil
            } catch let refused as UserAgent.Refused {
                return refused.status
            }
        }
        let bearer = [("Authorization", "Bearer " + secret)]
        #expect(try refusal() == 503)
        let answer = try service.request("GET", "/api/v1/registrations", bearer)
        #expect(answer.code == "503/1024" && answer["retry-after"] == "120")
        service.confirmCredential(1)
        #expect(try refusal() == nil)
        #expect(try service.request("GET", "/api/v1/registrations", bearer).status == 200)
    }
}
