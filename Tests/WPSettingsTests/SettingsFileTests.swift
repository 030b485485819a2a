// SPDX-License-Identifier: MIT

import SettingsFakes
import Testing
import WPCore
import WPSettings
import WPTestKit

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

@Suite struct SettingsFileTests {
    private let files = SystemSettingsFileReader()

    @Test func readsAFileAndItsPermissions() throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write("content", to: "file")
        #expect(chmod(path, 0o600) == 0)
        #expect(try files.read(path, limit: 7) == SettingsFile(bytes: Array("content".utf8)))
        #expect(chmod(path, 0o604) == 0)
        #expect(try files.read(path, limit: 7).isReadableByAll)
        #expect(chmod(path, 0o640) == 0)
        #expect(try !files.read(path, limit: 7).isReadableByAll)
        #expect(files.isFileSystem && !FakeFiles().isFileSystem)
    }

    @Test func readsALongFile() throws {
        let text = String((0..<20_000).map { Character(UnicodeScalar(UInt8(ascii: "a") + UInt8($0 % 26))) })
        let directory = try TemporaryDirectory()
        let path = try directory.write(text, to: "file")
        #expect(try files.read(path, limit: 20_000).bytes == Array(text.utf8))
    }

    @Test func rejectsLargeAndIrregularFiles() throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write("content", to: "file")
        let pipe = directory.file("pipe")
        #expect(mkfifo(pipe, 0o600) == 0)
        #expect(Self.code { () throws(SettingsFileError) in try files.read(path, limit: 6) } == .tooLarge)
        #expect(Self.code { () throws(SettingsFileError) in try files.read(directory.path, limit: 6) } == .notAFile)
        #expect(Self.code { () throws(SettingsFileError) in try files.read(pipe, limit: 6) } == .notAFile)
        #expect(Self.code { () throws(SettingsFileError) in try files.read("/dev/zero", limit: 6) } == .notAFile)
        #expect(Self.code { () throws(SettingsFileError) in try files.read(path + "x", limit: 6) } == .missing)
        #expect(Self.code { () throws(SettingsFileError) in try files.read(path + "/x", limit: 6) } == .missing)
        let long = String(repeating: "x", count: 5000)
        #expect(Self.code { () throws(SettingsFileError) in try files.read(long, limit: 6) } == .failed)
    }

    @Test func explainsADirectory() throws {
        let directory = try TemporaryDirectory()
        let error = #expect(throws: SettingsFileError.self) { try files.read(directory.path, limit: 6) }
        #expect(error?.description.hasPrefix("cannot use \(directory.path): it is a directory") == true)
    }

    @Test(arguments: [
        ("secret", "secret"), ("secret\n", "secret"), ("secret\r\n", "secret"), (" se cret ", " se cret "), ("é", "é"),
    ])
    func removesTheTrailingLineBreakOfASecret(_ content: String, _ secret: String) throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write(content, to: "secret")
        #expect(try SecretFile.read(path).reveal() == secret)
        #expect(try SecretSource.file(path).secret().reveal() == secret)
    }

    @Test(arguments: ["", "\n", "\r\n", "a\n\n", "a\nb", "a\rb", "a\u{0}b"])
    func rejectsMalformedSecrets(_ content: String) {
        let error = #expect(throws: SettingsFileError.self) {
            try SecretFile.read("/s", using: FakeFiles(["/s": content]))
        }
        #expect(error?.code == .malformed)
        #expect(error?.description.hasPrefix("cannot use /s: ") == true)
    }

    @Test func rejectsLargeAndBinarySecrets() {
        var files = FakeFiles(["/large": String(repeating: "x", count: SecretFile.sizeLimit + 1)])
        files.files["/binary"] = SettingsFile(bytes: [0xFF, 0xFE])
        #expect(Self.code { () throws(SettingsFileError) in try SecretFile.read("/large", using: files) } == .tooLarge)
        #expect(
            Self.code { () throws(SettingsFileError) in try SecretFile.read("/binary", using: files) } == .malformed
        )
        #expect(Self.code { () throws(SettingsFileError) in try SecretFile.read("/none", using: files) } == .missing)
    }

    private static func code<T>(_ body: () throws(SettingsFileError) -> T) -> SettingsFileError.Code? {
        do {
            _ = try body()
            return nil
        } catch {
            return error.code
        }
    }
}
