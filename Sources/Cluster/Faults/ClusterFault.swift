import Base
package import Crypto
package import System

/// Why a node cannot work with its cluster.
package enum ClusterFault: Error, Equatable, Sendable, CustomStringConvertible {
    /// In the words of libnats.
    case unreachable(String)
    /// libnats is not installed.
    case noLibrary
    case refused
    case unreadable(path: String)
    case untrusted
    case noStreams
    case noAnswer
    case tooFewServers(wanted: Int)
    /// The servers know less than is needed.
    case otherStream(String)
    /// An error of JetStream.
    case failed(error: Int)
    case damagedSnapshot
    /// This node differs from the others, and none of them has kept a copy for it.
    case noCopy(having: Int64)
    /// The node ends, and did not wait for the end of this.
    case stopped
    /// Everything is sealed under a master key that this node does not have.
    case lacksKey(UInt64)
    /// The folder was sealed under another master key.
    case lacksFormerKey
    /// All nodes write a newer schema.
    case olderProgram(found: Int, known: Int)
    /// These nodes could not follow what this one writes.
    case olderNodes([String])
    /// The servers have the store of a cluster already.
    case occupied
    /// The store of a machine is being moved to the servers, or such a move was given up.
    case arriving
    /// The store was moved out of the cluster, to this node.
    case ended(node: String)
    /// The log was used, and has no entries any more.
    case emptied
    /// The log ends before an entry that was confirmed, or has another entry in its place.
    case wentBack(last: Int64, confirmed: Int64)
    /// The log goes on after the last entry of a folder.
    case hasMore(last: Int64, applied: Int64)
    /// Nodes that live, or write.
    case othersLive([String])
    case file(SystemError)
    case crypto(OpenSSLError)
    /// The key of endpoints could not be sealed.
    case unsealable
    case thread(code: Int32)

    package var description: String {
        switch self {
        case .unreachable(let reason): "no server of the cluster can be reached: \(reason)"
        case .noLibrary: "a node talks to its cluster through libnats, which is not installed"
        case .refused: "the cluster does not accept this node's credentials"
        case .unreadable(let path): "\(path) cannot be read"
        case .untrusted: "the certificate of the cluster's server cannot be trusted"
        case .noStreams: "the cluster has no JetStream for this account"
        case .noAnswer: "the cluster does not answer"
        case .tooFewServers(let wanted):
            "the cluster has too few servers with room for \(wanted) copies"
        case .otherStream(let name):
            "the cluster has a stream \(name) with other settings, or its servers are too old"
        case .failed(let error): "the cluster refused a request (JetStream's error \(error))"
        case .damagedSnapshot: "the cluster's snapshot is not complete"
        case .noCopy(let entry):
            "this node's store differs from the others, and no copy has entry \(entry) of the log"
        case .stopped: "the node ends"
        case .lacksKey(let id):
            "the cluster's master key is \(StoredKey.masterID(id)), which this node does not have"
        case .lacksFormerKey:
            "the folder of this node was sealed under a former master key, which it does not have"
        case .olderProgram(let found, let known):
            "the cluster has schema \(found), and this bellwire knows only \(known)"
        case .olderNodes(let names):
            "these nodes run an older bellwire, which cannot follow this one: "
                + names.joined(separator: ", ")
        case .occupied: "the servers of NATS already have the store of a cluster"
        case .arriving: "a store is being moved to the cluster, and is not there yet"
        case .ended(let node): "the cluster has ended: the node \(node) took its store with it"
        case .emptied: "the streams of the cluster were emptied"
        case .wentBack(let last, let confirmed):
            last < confirmed
                ? "the log went back: it ends at entry \(last), and entry \(confirmed) was confirmed"
                : "the log went back: entry \(confirmed) is not the one that was confirmed"
        case .hasMore(let last, let applied):
            "the servers have more than this folder: it ends at entry \(applied), and the log goes on "
                + "to entry \(last)"
        case .othersLive(let nodes):
            nodes.isEmpty
                ? "other nodes write to the cluster"
                : "other nodes are running: \(nodes.joined(separator: ", "))"
        case .file(let error): "the snapshot cannot be read or written: \(error)"
        case .crypto(let error): "the snapshot cannot be checked: \(error)"
        case .unsealable: "the key of endpoints cannot be sealed"
        case .thread(let code): "the cluster's thread cannot start (error \(code))"
        }
    }

    package var hint: String? {
        switch self {
        case .unreachable: "see that the servers run and that their addresses are right"
        case .noLibrary:
            "install its package: libnats3.4 on Debian 12, libnats3.10 on Debian 13"
        case .refused: "see that the file of credentials belongs to an account of this cluster"
        case .unreadable: "see that the file is there, and readable for the user of bellwire"
        case .untrusted: "name the file of the authority that signed the servers' certificates"
        case .noStreams: "switch JetStream on, in the servers and for the account"
        case .noAnswer: "see that most of the servers run and reach each other"
        case .tooFewServers: "start more servers, free space on them, or ask for fewer copies"
        case .otherStream(let name):
            "use nats-server 2.12.16 or newer; if \(name) is not of bellwire, use another account"
        case .lacksKey:
            "put the file of that key into the folder keys, as master.json or master-next.json, or "
                + "give it as a credential of that name"
        case .lacksFormerKey:
            "put the file of that key into the folder keys as master-former.json, or name an empty "
                + "folder with state"
        case .olderProgram: "upgrade bellwire on this node"
        case .olderNodes: "upgrade them too: this one begins when the last of them has ended"
        case .occupied:
            """
            use servers or an account that have no streams BW_LOG, BW_CLUSTER and BW_SNAPSHOT; or, \
            to take part in that cluster, start with an empty folder
            """
        case .arriving:
            """
            wait until bellwire migrate is done; if it was given up, remove what it left by \
            bellwire migrate --remove
            """
        case .ended:
            """
            serve with store = sqlite on that node; to use these servers again, remove what they \
            have by bellwire migrate --remove
            """
        case .emptied:
            """
            make the cluster anew from the folder of a node by bellwire cluster rebuild, or move a \
            store there by bellwire migrate
            """
        case .wentBack:
            """
            the servers of NATS lost what they had confirmed; end all nodes, and make the cluster anew \
            from the folder of the one that has most by bellwire cluster rebuild; if that was done, \
            start this node with an empty folder
            """
        case .noCopy:
            """
            start another node, which then keeps a copy for this one; if there is none, make the \
            cluster anew from this folder by bellwire cluster rebuild
            """
        case .hasMore:
            """
            start this node, which gets what it lacks; to lose that instead, remove the streams \
            BW_LOG, BW_CLUSTER and BW_SNAPSHOT first
            """
        case .othersLive: "end them first, and wait for ten seconds"
        case .file(let error): error.hint
        case .failed, .damagedSnapshot, .stopped, .crypto, .unsealable, .thread: nil
        }
    }

    init(_ error: NatsError) {
        self =
            if error == .missingLibrary {
                .noLibrary
            } else if error.isRefused {
                .refused
            } else if error.isUntrusted {
                .untrusted
            } else {
                .unreachable(error.reason)
            }
    }

    /// Nil if what was asked for is done.
    init?(_ answer: JetStreamAnswer, stream: String, replicas: Int) {
        switch answer {
        case .done: return nil
        case .refused(_, JetStreamError.busy), .lost: self = .noAnswer
        case .noResponder: self = .noStreams
        case .refused(_, JetStreamError.otherStream): self = .otherStream(stream)
        case .refused(_, let error) where JetStreamError.notEnabled.contains(error):
            self = .noStreams
        case .refused(_, let error) where JetStreamError.tooFewServers.contains(error):
            self = .tooFewServers(wanted: replicas)
        case .refused(_, let error): self = .failed(error: error)
        }
    }
}

extension NatsLibrary {
    /// Whether this machine can be a node.
    package static func check() throws(ClusterFault) {
        if !isLoaded { throw .noLibrary }
    }
}

enum RandomText {
    /// 24 random hexadecimal digits, so that no two texts are alike.
    static func make() throws(ClusterFault) -> String {
        do throws(OpenSSLError) { return try Random.bytes(count: 12).hexadecimal } catch {
            throw .crypto(error)
        }
    }
}
