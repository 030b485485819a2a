// SPDX-License-Identifier: MIT

import Testing
@testable import WPFleet
import WPGzip
import WPHTTP
import WPModel
import WPServer

@Suite("The web page over HTTP")
struct WebPageTests {
    private let page = WebPage()
    private let content = PageContent.standard

    private func get(_ target: String, _ headers: HTTPFields = [:]) async throws -> HTTPResponse {
        try await page.respond(to: HTTPRequest(method: .get, target: target, headers: headers))
    }

    @Test func linksTheAssetsOfItsVersion() async throws {
        let response = try await get("/")
        let html = String(decoding: response.bytes, as: UTF8.self)
        #expect(response.headers["Content-Type"] == "text/html; charset=utf-8")
        #expect(!html.contains("{{"))
        for part in html.split(separator: "assets/").dropFirst() {
            let path = try #require(part.split(separator: "\"").first)
            let asset = try await get("/assets/\(path)")
            #expect(asset.status == .ok, "\(path)")
        }
    }

    @Test func servesLazilyLoadedFilesAsAssets() async throws {
        for (name, asset) in content.assets where name.hasSuffix(".js") {
            let text = String(decoding: asset.bytes, as: UTF8.self)
            #expect(!text.contains("import {") && !text.contains("import{"), "\(name)")
            for part in text.split(separator: "import(\"./").dropFirst() {
                let path = try #require(part.split(separator: "\"").first)
                #expect(content.assets[String(path)] != nil, "\(name): \(path)")
            }
        }
    }

    @Test func joinsModulesWithoutCommentsImportsAndSpaces() {
        let modules = [
            "// One.\nexport const a = 1;\n",
            """
            import { a } from "./a.js";

            /** Two. */
              b(a, "x, y") ? `c, d` : e;
              f = (a, "x, y") => { z
            """,
        ]
        let joined = String(decoding: PageContent.joined(modules.map { Array($0.utf8) }), as: UTF8.self)
        #expect(joined == "export const a=1;b(a, \"x, y\") ? `c, d` : e;f=(a,\"x, y\")=>{z\n")
    }

    @Test func labelsQuantitiesInBothLanguages() throws {
        func text(_ name: String) throws -> String {
            String(decoding: try #require(content.assets[name]).bytes, as: UTF8.self)
        }
        let (app, chinese) = (try text("app.js"), try text("zh.js"))
        for label in UPSQuantity.reported.compactMap(\.label) + PhaseQuantity.all.compactMap(\.label) {
            #expect(app.contains("\"\(label.english)\""))
            #expect(chinese.contains("\"\(label.english)\":\"\(label.chinese)\""))
        }
    }

    @Test func keepsSignificantSpacesInStyleSheets() {
        let source = Array("/* Colours. */\na, b :is(c, d) > e { content: \" , \"; margin: 0 1px }\n".utf8)
        let stripped = PageContent.stripped(source, as: .style)
        #expect(String(decoding: stripped, as: UTF8.self) == "a,b :is(c,d) > e{content: \" , \";margin: 0 1px}")
    }

    @Test func sendsAStrictContentSecurityPolicy() async throws {
        let response = try await get("/")
        let policy = try #require(response.headers["Content-Security-Policy"])
        #expect(policy.contains("default-src 'none'") && !policy.contains("unsafe"))
        #expect(response.headers["X-Content-Type-Options"] == "nosniff")
        #expect(response.headers["Referrer-Policy"] == "no-referrer")
    }

    @Test func referencesNoOtherHost() {
        for (name, asset) in content.assets {
            let text = String(decoding: asset.bytes, as: UTF8.self)
            #expect(!text.contains("http://") && !text.contains("https://") && !text.contains("url("), "\(name)")
            #expect(!text.contains("innerHTML") && !text.contains("eval("), "\(name)")
        }
    }

    /// The budget: 25 KiB in total, each file compressed separately.
    @Test func staysWithinTheSizeBudget() {
        let files = [content.document] + content.assets.values
        let packed = files.map { ($0.compressed ?? $0.bytes).count }.reduce(0, +)
        #expect(packed <= 25 << 10, "\(packed) bytes in gzip")
    }

    @Test func cachesAssetsForeverAndRevalidatesTheDocument() async throws {
        let asset = try await get("/assets/\(content.version)/app.js")
        #expect(asset.headers["Cache-Control"] == "public, max-age=31536000, immutable")
        #expect(try await get("/").headers["Cache-Control"] == "no-cache")
    }

    @Test func respondsNotModifiedToAMatchingTag() async throws {
        let tag = try #require(try await get("/").headers["ETag"])
        for match in [tag, "W/\(tag)", "\"other\", \(tag)", "*"] {
            #expect(try await get("/", ["If-None-Match": match]).status.code == 304)
        }
        #expect(try await get("/", ["If-None-Match": "\"other\""]).status == .ok)
        #expect(try await get("/", ["If-None-Match": tag, "Accept-Encoding": "gzip"]).status == .ok)
    }

    @Test func givesTheGzipRepresentationItsOwnTag() async throws {
        let plain = try await get("/assets/\(content.version)/style.css")
        let packed = try await get("/assets/\(content.version)/style.css", ["Accept-Encoding": "br, gzip"])
        #expect(packed.headers["Content-Encoding"] == "gzip" && packed.headers["Vary"] == "Accept-Encoding")
        #expect(packed.headers["ETag"] != plain.headers["ETag"])
        #expect(try Gzip.decompress(packed.bytes, limit: 1 << 20) == plain.bytes)
    }

    @Test(arguments: ["/assets/0000000000000000/app.js", "/assets/app.js", "/assets/../app.js", "/assets//"])
    func respondsNotFoundToAnotherVersion(path: String) async throws {
        #expect(try await get(path).status == .notFound)
    }

    @Test(arguments: ["/assets//V/app.js", "/assets/V//app.js", "/assets/V/app.js/"])
    func respondsNotFoundToEmptyComponents(path: String) async throws {
        #expect(try await get(path.replacing("V", with: content.version)).status == .notFound)
    }

    @Test func changesTheVersionWithAnyFile() {
        let first = PageContent(document: [1], assets: ["a.js": [2]])
        #expect(first.version != PageContent(document: [1], assets: ["a.js": [3]]).version)
        #expect(first.version != PageContent(document: [1], assets: ["b.js": [2]]).version)
        #expect(first.version == PageContent(document: [1], assets: ["a.js": [2]]).version)
    }
}
