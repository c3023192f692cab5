import Foundation

/// The files of the page, which are the same for every store.
enum ConsolePage {
    /// Returns the response with a file.
    ///
    /// - Parameter name: the name of a style sheet or a module below `/console`; nil for the page itself.
    /// - Returns: the response; nil if the page has no file of that name.
    static func file(named name: String?) -> HTTPResponse? {
        guard let name else { return response(PackageResources.console_html, "text/html") }
        if name == "page.css" { return response(PackageResources.console_css, "text/css") }
        return modules[name].map { response($0, "text/javascript") }
    }

    /// The modules of the page, by their names.
    static let modules = [
        "page.js": PackageResources.console_js, "acts.js": PackageResources.acts_js,
        "address.js": PackageResources.address_js, "buy.js": PackageResources.buy_js,
        "clock.js": PackageResources.clock_js, "dialog.js": PackageResources.dialog_js,
        "dom.js": PackageResources.dom_js, "form.js": PackageResources.form_js, "keys.js": PackageResources.keys_js,
        "lists.js": PackageResources.lists_js, "overview.js": PackageResources.overview_js,
        "server.js": PackageResources.server_js, "sheet.js": PackageResources.sheet_js,
        "store.js": PackageResources.store_js, "table.js": PackageResources.table_js,
        "told.js": PackageResources.told_js,
    ]

    private static func response(_ bytes: [UInt8], _ type: String) -> HTTPResponse {
        HTTPResponse(200, headers: ["Content-Type": "\(type); charset=utf-8"], body: Data(bytes))
    }
}
