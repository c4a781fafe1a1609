import Base
import Crypto
import SQLite
import System
import Topics

/// The folder in which the store went on after a backup was made. What ended there since must not
/// come back.
///
/// It is only read. Rows have the same numbers there, because no number is ever used twice.
package struct FormerStore: Sendable {
    private let folder: String

    /// Fails while a server uses it.
    package init(_ folder: String) throws(BackupFailure) {
        guard SQLiteStore.isThere(in: folder) else { throw .noFormerStore(folder: folder) }
        guard !StateFolder.isInUse(folder) else { throw .folder(.inUse(path: folder)) }
        self.folder = folder
    }

    /// Ends in the draft what has ended there, and returns the state there. It works on a copy
    /// beside `place`, which is removed.
    func merge(
        into path: String, _ keys: BackupKeys, beside place: String, report: BackupReport
    ) throws(BackupFailure) -> StateRow.Record {
        let copy = try BackupFailure.onFile(place) { () throws(SystemError) in
            try DraftFile(for: place)
        }
        defer { withExtendedLifetime(copy) {} }
        let snapshot = try StoreSnapshot(of: folder)
        do throws(StoreFault) {
            try snapshot.copy(to: copy.path, report)
            return try merge(copy.path, into: path, keys)
        } catch {
            switch error {
            case .damaged(let finding): throw .formerDamaged(folder: folder, finding)
            case .wrongMasterKey: throw .otherStore(folder: folder)
            default: throw .store(error)
            }
        }
    }

    private func merge(
        _ copy: String, into path: String, _ keys: BackupKeys
    ) throws(StoreFault) -> StateRow.Record {
        let state = try Self.prepare(copy)
        let draft = try StoreSnapshot.draft(path)
        try draft.run("ATTACH ?1 AS former", copy)
        guard try draft.number(FormerMerge.isSameStore) == 1 else { throw .wrongMasterKey }
        try draft.forStore { draft throws(SQLiteError) in
            try draft.transaction { () throws(SQLiteError) in
                for sql in FormerMerge.endings {
                    #if PLANTED
                        if PlantedMistake.restoreForgetsEnded.isMade,
                            sql.hasPrefix("INSERT INTO main.ended_endpoint")
                        {
                            continue
                        }
                    #endif
                    try draft.execute(sql)
                }
                for sql in FormerMerge.changes(openedBy: keys) { try draft.execute(sql) }
            }
        }
        return state
    }

    /// Checks the copy and brings it to this program's schema. Returns its state.
    private static func prepare(_ path: String) throws(StoreFault) -> StateRow.Record {
        try WriterDatabase.check(path)
        let connection = try StoreSnapshot.draft(path)
        do throws(Migration.Failure) { try connection.migrate(Schema.migrations) } catch {
            throw StoreFault(error)
        }
        guard let state = try StateRow.read(on: connection) else {
            throw .damaged("its state is missing")
        }
        return state
    }
}

/// How a restored store learns what happened after its backup, as SQL. The former store is attached
/// as `former`.
enum FormerMerge {
    /// 1 if both are the same store, the former not older than the backup. Nodes of a cluster count
    /// batches of their own, but entries and positions of all. The endpoint keys are the same bytes
    /// unless the master key was replaced in between; then some client must be in both.
    static let isSameStore = """
        SELECT (SELECT CASE WHEN former.applied = 0 AND main.applied = 0
        THEN former.batch >= main.batch WHEN former.applied > 0 AND main.applied > 0
        THEN former.applied >= main.applied ELSE former.position >= main.position END
        FROM former.state AS former, main.state AS main) AND (
        (SELECT sealed_keys FROM former.state) =
        (SELECT sealed_keys FROM main.state)
        OR EXISTS (SELECT 1 FROM main.subscription WHERE endpoint IN
        (SELECT endpoint FROM former.subscription UNION SELECT endpoint FROM former.ended_endpoint))
        OR EXISTS (SELECT 1 FROM main.credential WHERE secret IN
        (SELECT secret FROM former.credential))
        OR EXISTS (SELECT 1 FROM main.device WHERE user_agent IN
        (SELECT user_agent FROM former.device)))
        """

    /// What ended does not come back. The names of former owners and their answers to repeated
    /// requests go together.
    static let endings = [
        """
        DELETE FROM main.message AS ours WHERE NOT EXISTS (SELECT 1 FROM former.message AS other
        WHERE other.position = ours.position AND other.id = ours.id)
        """,
        "DELETE FROM main.ended_endpoint",
        """
        INSERT INTO main.ended_endpoint (endpoint, ended)
        SELECT endpoint, ended FROM former.ended_endpoint ORDER BY row
        """,
        """
        INSERT INTO main.ended_endpoint (endpoint, ended)
        SELECT endpoint, (SELECT time FROM former.state) FROM main.subscription
        WHERE endpoint NOT IN (SELECT endpoint FROM former.subscription)
        AND endpoint NOT IN (SELECT endpoint FROM former.ended_endpoint)
        """,
        """
        DELETE FROM main.subscription
        WHERE endpoint NOT IN (SELECT endpoint FROM former.subscription)
        """,
        """
        DELETE FROM main.registration
        WHERE device NOT IN (SELECT device FROM former.registration)
        """,
        """
        DELETE FROM main.undecryptable
        WHERE device NOT IN (SELECT device FROM former.registration)
        """,
        """
        DELETE FROM main.fetch_signal AS ours WHERE NOT EXISTS (SELECT 1
        FROM former.fetch_signal AS other WHERE other.device = ours.device AND other.id = ours.id)
        """,
        "DELETE FROM main.engine WHERE row NOT IN (SELECT row FROM former.engine)",
        "DELETE FROM main.callback WHERE row NOT IN (SELECT row FROM former.callback)",
        "DELETE FROM main.forward WHERE row NOT IN (SELECT row FROM former.forward)",
        """
        DELETE FROM main.callback_event AS ours WHERE NOT EXISTS (SELECT 1
        FROM former.callback_event AS other
        WHERE other.position = ours.position AND other.id = ours.id)
        """,
        """
        UPDATE main.callback AS ours SET
        events = (SELECT count(*) FROM main.callback_event WHERE callback = ours.row),
        bytes = (SELECT coalesce(sum(size), 0) FROM main.callback_event WHERE callback = ours.row)
        """,
        "DELETE FROM main.topic_name",
        """
        INSERT INTO main.topic_name SELECT * FROM former.topic_name
        WHERE device IN (SELECT device FROM main.registration)
        """,
        """
        UPDATE main.topic SET ended = 1
        WHERE device NOT IN (SELECT device FROM former.registration)
        """,
        """
        DELETE FROM main.topic_message AS ours WHERE NOT EXISTS (SELECT 1
        FROM former.topic_message AS other WHERE other.place = ours.place AND other.id = ours.id)
        """,
        """
        UPDATE main.topic_message AS ours
        SET sealed = NULL, sequence = NULL, size = 0, expires = other.expires
        FROM former.topic_message AS other WHERE other.place = ours.place
        AND other.sealed IS NULL AND ours.sealed IS NOT NULL
        """,
        """
        UPDATE main.topic AS ours SET
        count = (SELECT count(*) FROM main.topic_message
        WHERE topic = ours.device AND sealed IS NOT NULL
        AND kind <> \(TopicMessage.Kind.dismissal.rawValue)),
        bytes = (SELECT coalesce(sum(size), 0) FROM main.topic_message
        WHERE topic = ours.device AND sealed IS NOT NULL),
        gone = (SELECT count(*) FROM main.topic_message
        WHERE topic = ours.device AND sealed IS NULL)
        """,
        """
        UPDATE main.topic AS ours SET evicted = other.evicted, evicted_time = other.evicted_time
        FROM former.topic AS other
        WHERE other.device = ours.device AND other.evicted > ours.evicted
        """,
        """
        DELETE FROM main.topic_scheduled WHERE NOT EXISTS (SELECT 1
        FROM former.topic_scheduled AS other WHERE other.row = topic_scheduled.row
        AND other.id = topic_scheduled.id)
        """,
        """
        DELETE FROM main.question WHERE NOT EXISTS (SELECT 1
        FROM former.question AS other WHERE other.id = question.id
        AND other.topic = question.topic)
        """,
        // What was answered since has that answer, and what was deleted has no words.
        """
        UPDATE main.question AS ours SET ended = 1, due = other.due, sealed = other.sealed
        FROM former.question AS other
        WHERE other.id = ours.id AND other.ended = 1
        """,
        "DELETE FROM main.topic_file WHERE mark NOT IN (SELECT mark FROM former.topic_file)",
        "DELETE FROM main.topic_owner WHERE row NOT IN (SELECT row FROM former.topic_owner)",
        """
        UPDATE main.topic_owner AS ours SET position = max(ours.position, other.position),
        sealed = CASE WHEN other.made = ours.made AND other.sealed <> x'' THEN ours.sealed
        ELSE x'' END
        FROM former.topic_owner AS other WHERE other.row = ours.row
        """,
        "DELETE FROM main.device WHERE row NOT IN (SELECT row FROM former.device)",
        "DELETE FROM main.credential WHERE row NOT IN (SELECT row FROM former.credential)",
        """
        DELETE FROM main.kept_answer WHERE owner IN (SELECT name FROM main.owner
        WHERE row NOT IN (SELECT row FROM former.owner))
        """,
        "DELETE FROM main.owner WHERE row NOT IN (SELECT row FROM former.owner)",
    ]

    /// What changed, and would otherwise let somebody do again what was done: endpoints that were
    /// bound to a key, repeated pushes, notifications that were removed, endpoints and secrets that
    /// were replaced. Rows that these keys do not open stay as they were.
    static func changes(openedBy keys: BackupKeys) -> [String] {
        let starts = keys.all.map { key in
            var start: [UInt8] = [Sealer.version]
            start.append(bigEndian: key.id)
            return "x'" + start.hexadecimal + "'"
        }.joined(separator: ", ")
        return [
            """
            UPDATE main.subscription AS ours SET sender = other.sender, key_hash = other.key_hash
            FROM former.subscription AS other
            WHERE other.row = ours.row AND other.sender <> ours.sender
            """,
            """
            UPDATE main.registration AS ours
            SET revision = other.revision, due = other.due, sealed = other.sealed
            FROM former.registration AS other WHERE other.device = ours.device
            AND other.revision > ours.revision AND substr(other.sealed, 1, 9) IN (\(starts))
            """,
            """
            INSERT INTO main.subscription SELECT * FROM former.subscription
            WHERE device IN (SELECT device FROM main.registration)
            AND row NOT IN (SELECT row FROM main.subscription)
            AND substr(sealed_token, 1, 9) IN (\(starts))
            """,
            """
            UPDATE main.callback AS ours SET state = other.state, sealed = other.sealed
            FROM former.callback AS other WHERE other.row = ours.row
            AND (other.sealed IS NULL OR substr(other.sealed, 1, 9) IN (\(starts)))
            """,
            """
            UPDATE main.forward AS ours SET lapses = other.lapses
            FROM former.forward AS other WHERE other.row = ours.row
            """,
            """
            UPDATE main.credential AS ours SET unconfirmed = other.unconfirmed
            FROM former.credential AS other WHERE other.row = ours.row
            """,
            "DELETE FROM main.mark", "INSERT INTO main.mark SELECT * FROM former.mark",
            "DELETE FROM main.replay", "INSERT INTO main.replay SELECT * FROM former.replay",
        ] + engines(starts)
    }

    /// The journal belongs to the accounts, so all are taken or none.
    private static func engines(_ starts: String) -> [String] {
        let isOpen = """
            NOT EXISTS (SELECT 1 FROM former.engine WHERE substr(sealed, 1, 9) NOT IN (\(starts)))
            AND NOT EXISTS (SELECT 1 FROM former.engine_record
            WHERE substr(sealed, 1, 9) NOT IN (\(starts)))
            """
        return [
            "DELETE FROM main.engine_record WHERE \(isOpen)",
            """
            INSERT INTO main.engine_record
            SELECT * FROM former.engine_record WHERE \(isOpen)
            """,
            """
            UPDATE main.engine AS ours SET user = other.user, position = other.position,
            sealed = other.sealed, size = other.size
            FROM former.engine AS other WHERE other.row = ours.row AND \(isOpen)
            """,
        ]
    }
}
