// SPDX-License-Identifier: MIT

package import WPSettings

/// In-memory files.
package struct FakeFiles: SettingsFileReader {
    package var files: [String: SettingsFile] = [:]
    package var failures: [String: SettingsFileError.Code] = [:]

    package init(_ texts: [String: String] = [:]) {
        files = texts.mapValues { SettingsFile(bytes: Array($0.utf8)) }
    }

    package func read(_ path: String, limit: Int) throws(SettingsFileError) -> SettingsFile {
        if let code = failures[path] { throw SettingsFileError(code, path: path, "made to fail") }
        guard let file = files[path] else { throw SettingsFileError(.missing, path: path, "no such file") }
        guard file.bytes.count <= limit else { throw SettingsFileError(.tooLarge, path: path, "too large") }
        return file
    }
}
