import Dispatch
import Foundation

// Nobody stands before a kiosk for longer.
alarm(120)

let kiosk = Kiosk(selling: "com.example.sword")
kiosk.open()

switch CommandLine.arguments.last {
case "run-loop": RunLoop.main.run()
case "dispatch": dispatchMain()
default: exit(2)
}
