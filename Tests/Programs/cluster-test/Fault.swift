import Foundation

/// Something that breaks while stores sell.
enum Fault: String, CaseIterable {
    case killServer = "servers killed"
    case killClient = "clients killed"
    case stopDatabase = "database stopped"
    case cut = "connections cut"
    case delay = "connections delayed"
    case swallow = "answers swallowed"
    case silence = "connections half open"
}
