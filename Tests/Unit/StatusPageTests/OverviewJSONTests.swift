import Base
import Foundation
import Testing
import WebPush

/// `/api/v1/overview`, which `bellwire top` and scripts read.
@Suite("The overview as JSON")
struct OverviewJSONTests {
    private func overview(owner: String?) -> Overview {
        Overview {
            $0.version = "1.2"
            $0.address = "https://push.example"
            $0.now = 1_000
            $0.began = 900
            $0.isUsable = false
            $0.owner = owner
            $0.waitingMessages = 3
            $0.waitingBytes = 640
        }
    }

    private var device: ListedDevice {
        ListedDevice {
            $0.id = 4
            $0.name = "desk \"one\""
            $0.owner = "ann"
            $0.created = 1
        }
    }

    private var registration: Overview.Registration {
        Overview.Registration {
            $0.id = "AA"
            $0.app = "chat"
            $0.account = "me"
            $0.owner = "ann"
            $0.created = 1
            $0.expires = 2
        }
    }

    private func members(_ overview: Overview) throws -> NSDictionary {
        let json = try JSONSerialization.jsonObject(with: Data(overview.json))
        return try #require(json as? NSDictionary)
    }

    @Test("An administrator sees the whole server")
    func administrator() throws {
        var overview = overview(owner: nil)
        overview.userAgents = 7
        (overview.keptMessages, overview.keptBytes) = (9, 1_000)
        overview.clients = 8
        overview.hasMore = true
        overview.counts = .init()
        overview.counts?.accepted = 5
        overview.counts?.undecryptable = 2
        overview.durations = .init {
            $0.bounds = [1_000, 2_500_000]
            $0.counts = [4, 5, 6]
        }
        overview.devices = [device]
        overview.devices[0].isConnected = true
        overview.devices[0].lastSeen = 9
        overview.devices[0].isConfirmed = false
        overview.registrations = [registration]
        overview.registrations[0].lastPush = 3
        overview.registrations[0].waiting = 4
        overview.registrations[0].service = "org.example.Chat"
        overview.registrations[0].isPaused = true
        overview.failures = [.init(word: "gone", count: 5, status: 410, number: 106)]
        overview.events = [
            .init {
                $0.number = 9
                $0.time = 8
                $0.kind = "refused"
                $0.subject = "chat/me"
                $0.detail = "410 gone"
            }
        ]
        let expected: NSDictionary = [
            "version": "1.2", "address": "https://push.example", "now": 1_000, "began": 900,
            "usable": false, "administrator": true, "waiting": ["messages": 3, "bytes": 640],
            "kept_messages": 9, "kept_bytes": 1_000,
            "user_agents": 7, "clients": 8, "more": true,
            "counts": [
                "accepted": 5, "repeated": 0, "refused": 0, "delivered": 0, "acknowledged": 0,
                "undecryptable": 2,
            ],
            "durations": ["bounds": [0.001, 2.5], "counts": [4, 5, 6]],
            "devices": [
                [
                    "id": 4, "name": "desk \"one\"", "owner": "ann", "created": 1,
                    "connected": true,
                    "last_seen": 9, "unconfirmed": true,
                ]
            ],
            "registrations": [
                [
                    "id": "AA", "app": "chat", "account": "me", "owner": "ann", "created": 1,
                    "expires": 2, "last_delivery": 3, "waiting": 4, "service": "org.example.Chat",
                    "paused": true,
                ]
            ],
            "errors": [
                [
                    "word": "gone", "errno": 106, "status": 410, "count": 5,
                    "message": try #require(
                        (try members(overview)["errors"] as? [[String: Any]])?.first?["message"]
                            as? String),
                ]
            ],
            "events": [
                [
                    "number": 9, "time": 8, "kind": "refused", "subject": "chat/me",
                    "detail": "410 gone",
                ]
            ],
        ]
        #expect(try members(overview) == expected)
        #expect(Overview(json: overview.json) == overview)
    }

    @Test("What is not known, or not for an owner, is left out")
    func owner() throws {
        var overview = overview(owner: "ann")
        overview.devices = [device]
        overview.registrations = [registration]
        // A push that was accepted and could not be read had no status.
        overview.failures = [.init(word: "not-understood", count: 1, status: 0, number: nil)]
        let found = try members(overview)
        #expect(found["owner"] as? String == "ann" && found["administrator"] as? Bool == false)
        for name in ["user_agents", "clients", "counts", "durations", "more"] {
            #expect(found[name] == nil)
        }
        let rows = try ["devices", "registrations", "errors"].map { name in
            try #require((found[name] as? [[String: Any]])?.first)
        }
        #expect(Set(rows[0].keys) == ["id", "name", "owner", "created", "connected"])
        #expect(
            Set(rows[1].keys)
                == ["id", "app", "account", "owner", "created", "expires", "waiting"])
        #expect(Set(rows[2].keys) == ["word", "count", "message"])
        #expect(Overview(json: overview.json) == overview)
    }
}
