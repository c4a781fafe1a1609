import Crypto
import System

/// The faults of what a snapshot is made of, as faults of the cluster.
enum SnapshotFault {
    static func passing<Result>(_ body: () throws -> Result) throws(ClusterFault) -> Result {
        do { return try body() } catch let fault as ClusterFault { throw fault } catch let error
            as SystemError
        { throw .file(error) } catch let error as OpenSSLError { throw .crypto(error) } catch {
            preconditionFailure("a snapshot failed with \(error)")
        }
    }
}
