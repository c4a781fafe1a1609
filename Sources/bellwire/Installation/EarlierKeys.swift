import Crypto

/// Keys that lie where deploy/run used to keep them: in the folder `Keys` of its checkout.
struct EarlierKeys {
    let folder: String
    let master: MasterKey
    /// Nil unless a rotation has not finished.
    let former: MasterKey?
}
