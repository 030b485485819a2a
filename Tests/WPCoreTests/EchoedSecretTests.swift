// SPDX-License-Identifier: MIT

import Testing
import WPCore

/// Secrets echoed by a peer.
struct EchoedSecretTests {
    private static let secret = #"p/a"s\s+w ö😀%&<'rd"#

    @Test(arguments: [
        secret,
        #"p/a\"s\\s+w ö😀%&<'rd"#,
        #"p\/a\"s\\s+w \u00f6\ud83d\ude00%&<'rd"#,
        #"p\u002Fa\u0022s\u005Cs\u002Bw\u0020\u00F6\uD83D\uDE00\u0025\u0026\u003C\u0027rd"#,
        #"\u0070\u002fa\"s\u005cs+w \u00F6\uD83D\uDE00%&<'rd"#,
        #"p/a\\\"s\\\\s+w ö😀%&<'rd"#,
        "p%2Fa%22s%5Cs%2Bw%20%C3%B6%F0%9F%98%80%25%26%3C%27rd",
        "p%2fa%22s%5cs%2bw+%c3%b6%f0%9f%98%80%25%26%3c'rd",
        "p%252Fa%2522s%255Cs%252Bw%2520%25C3%25B6%25F0%259F%2598%2580%2525%2526%253C%2527rd",
        #"p/a&quot;s\s+w ö😀%&amp;&lt;&#39;rd"#,
        #"p/a&#34;s\s+w ö😀%&#x26;&lt;&apos;rd"#,
        #"p/a\x22s\x5cs+w \xc3\xb6\xf0\x9f\x98\x80%&<'rd"#,
    ])
    func redactsEachEncodedForm(_ form: String) {
        let secret = EchoedSecret(Self.secret)
        #expect(secret.redacted(in: form) == "<REDACTED>")
        #expect(secret.redacted(in: "<\(form)> and \(form)!") == "<<REDACTED>> and <REDACTED>!")
    }

    @Test func acceptsAPlusForASpace() {
        #expect(EchoedSecret(" a b").redacted(in: "x=+a+b") == "x=<REDACTED>")
        #expect(EchoedSecret("+a").redacted(in: "+a") == "<REDACTED>")
    }

    @Test func keepsOtherText() {
        let secret = EchoedSecret(Self.secret)
        for text in [
            "", "p/a", #"p/a"s\s+w"#, "p%2Fa%2", #"\"#, "%", "&", "&#", #"\u"#, "ordinary text, of some length",
        ] {
            #expect(secret.redacted(in: text) == text)
        }
        #expect(EchoedSecret("").redacted(in: "text") == "text")
        #expect(EchoedSecret("100%").redacted(in: "100% and 100%25") == "<REDACTED> and <REDACTED>")
    }

    @Test(arguments: ["\\", "%", "%25", "\\u", "&#", "\\\\u005c"])
    func handlesHostileTextInLinearTime(_ piece: String) {
        let text = String(repeating: piece, count: 20_000 / piece.utf8.count)
        for secret in ["\\\\\\x", "%%%x", "a b", "&&x", "\"x"] {
            #expect(EchoedSecret(secret).redacted(in: text).isEmpty == false)
        }
    }
}
