// SPDX-License-Identifier: MIT

@main
enum Main {
    static func main() async {}
}
