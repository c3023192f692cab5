import Foundation
import StoreCore
import StoreRemote

/// A request of a device's that is refused: the status and the failure that the device gets.
struct DeviceRefusal: Error {
    let status: Int
    let failure: StoreFailure

    init(_ status: Int, _ failure: StoreFailure) { (self.status, self.failure) = (status, failure) }

    var response: HTTPResponse {
        // A failure is a name, a number and a text, which are always written.
        var response = HTTPResponse(status, json: (try? JSONEncoder().encode(failure)) ?? Data())
        if status == 401 { response.headers["WWW-Authenticate"] = "Bearer" }
        return response
    }

    /// The refusal of a token that no device has, or has any longer.
    static let unauthorized = DeviceRefusal(
        401,
        .network(.userAuthenticationRequired, "the device's token is none of this store's, or has been revoked")
    )
    static let absent = DeviceRefusal(404, .network(.resourceUnavailable, "there is nothing here"))
    static let tooManyStreams = DeviceRefusal(
        429,
        .network(.resourceUnavailable, "too many queues of this token are connected already")
    )

    static func wrongMethod(_ method: String) -> DeviceRefusal {
        DeviceRefusal(405, .network(.badServerResponse, "the method here is \(method)"))
    }

    static func bad(_ sentence: String) -> DeviceRefusal { DeviceRefusal(400, .network(.badServerResponse, sentence)) }

    static func otherVersion(_ store: VersionRange, _ device: VersionRange) -> DeviceRefusal {
        DeviceRefusal(426, .otherVersion(of: store, here: device))
    }
}
