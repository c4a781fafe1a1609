import Configuration
import System

extension RemoteStore {
    /// The file with the credentials, if there has to be one or is one. Refuses a file that others
    /// can read.
    func checkedCredentials() throws -> String? {
        guard let credentials, isCredentialsNamed || FileStamp(of: credentials) != nil else {
            return nil
        }
        _ = try KeyFile.read(credentials)
        return credentials
    }
}
