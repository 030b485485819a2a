// SPDX-License-Identifier: MIT

import WPModel

/// The OpenAPI 3.0 description of the API.
enum OpenAPI {
    /// - Parameter takesReports: whether reports are posted here, as to a hub.
    static func document(takesReports: Bool) -> [UInt8] {
        Array(
            """
            {"openapi":"3.0.3","info":{"title":"WinPower G2 exporter","version":"2",\
            "description":"UPSes and nodes: what they reported last, their history and their energy."},\
            "paths":{\(reading(removal: takesReports))\(takesReports ? ",\(reporting)" : "")},\
            "components":{"parameters":{\(parameters)},"responses":{\(responses)},"schemas":{\(schemas)},\
            "securitySchemes":{"bearer":{"type":"http","scheme":"bearer"},"basic":{"type":"http","scheme":"basic"}}},\
            "security":[{},{"bearer":[]},{"basic":[]}]}

            """.utf8
        )
    }

    private static let cluster = reference("parameters/cluster")
    private static let site = reference("parameters/site")
    private static let range = ["from", "to"].map { reference("parameters/\($0)") }.joined(separator: ",")

    private static func reference(_ location: String) -> String { "{\"$ref\":\"#/components/\(location)\"}" }

    private static func errors(_ codes: [Int]) -> String {
        codes.map { "\"\($0)\":\(reference("responses/error"))" }.joined(separator: ",")
    }

    private static func get(
        _ path: String,
        _ id: String,
        _ summary: String,
        _ parameters: [String],
        schema: String,
        csv: Bool = false,
        errors extra: [Int] = [],
        removal: String = ""
    ) -> String {
        let table = csv ? #","text/csv":{"schema":{"type":"string"}}"# : ""
        return """
            "\(path)":{"get":{"operationId":"\(id)","summary":"\(summary)","parameters":[\(parameters.joined(separator: ","))],\
            "responses":{"200":{"description":"The document.","headers":{"ETag":{"schema":{"type":"string"}}},\
            "content":{"application/json":{"schema":\(reference("schemas/\(schema)"))}\(table)}},\
            "304":{"description":"As the tag in If-None-Match says."},\(errors([400, 401, 404, 503] + extra))}}\(removal)}
            """
    }

    private static func delete(_ id: String, _ summary: String, _ parameters: [String], errors extra: [Int] = [])
        -> String
    {
        return """
            ,"delete":{"operationId":"\(id)","summary":"\(summary)","parameters":[\(parameters.joined(separator: ","))],\
            "responses":{"204":{"description":"It is removed."},\(errors([400, 401, 403, 404, 503] + extra))}}
            """
    }

    /// - Parameter removal: whether UPSes and nodes can be removed.
    private static func reading(removal: Bool) -> String {
        let base = "/api/v2/clusters/{cluster}"
        let several = [409]
        let device = reference("parameters/device")
        let node = reference("parameters/node")
        let history = [
            range, reference("parameters/step"), reference("parameters/hours"),
            reference("parameters/format"),
        ]
        let events = [range, reference("parameters/limit"), reference("parameters/format")]
        let energy = [
            range, reference("parameters/period"), reference("parameters/zone"),
            reference("parameters/format"),
        ]
        let removeUPS = delete(
            "removeUPS",
            "Removes a UPS with its history",
            [cluster, device, site],
            errors: several
        )
        return [
            get("/api/v2/clusters", "listClusters", "The clusters: one", [], schema: "Clusters"),
            get("\(base)/ups", "listUPS", "Every UPS", [cluster, site], schema: "UPSList"),
            get(
                "\(base)/ups/{device}",
                "getUPS",
                "A UPS",
                [cluster, device, site],
                schema: "UPS",
                errors: several,
                removal: removal ? removeUPS : ""
            ),
            get(
                "\(base)/ups/{device}/history",
                "getUPSHistory",
                "The history of a UPS",
                [cluster, device, site] + history,
                schema: "History",
                csv: true,
                errors: several
            ),
            get(
                "\(base)/ups/{device}/energy",
                "getUPSEnergy",
                "The energy of a UPS by days or months",
                [cluster, device, site] + energy,
                schema: "Energy",
                csv: true,
                errors: several
            ),
            get(
                "\(base)/energy",
                "getEnergy",
                "The energy of every UPS today and this month",
                [cluster, site, reference("parameters/zone"), reference("parameters/list")],
                schema: "FleetEnergy"
            ),
            get(
                "\(base)/history",
                "getHistory",
                "The history of the power of all UPSes together",
                [cluster] + history,
                schema: "History",
                csv: true
            ),
            get(
                "\(base)/events",
                "getEvents",
                "Outages, alarms and other events",
                [cluster] + events,
                schema: "Events",
                csv: true
            ),
            get(
                "\(base)/ups/{device}/events",
                "getUPSEvents",
                "The events of a UPS",
                [cluster, device, site] + events,
                schema: "Events",
                csv: true,
                errors: several
            ),
            get(
                "\(base)/node-metrics/{node}/events",
                "getNodeEvents",
                "The events of a node",
                [cluster, node] + events,
                schema: "Events",
                csv: true
            ),
            get(
                "\(base)/overview",
                "getOverview",
                "What a list of all UPSes and nodes shows, or what of that changed",
                [cluster, reference("parameters/epoch"), reference("parameters/since")],
                schema: "Overview"
            ),
            get(
                "\(base)/trends",
                "getTrends",
                "The last day of some subjects of the overview",
                [cluster, reference("parameters/epoch"), reference("parameters/keys"), reference("parameters/zone")],
                schema: "Trends",
                errors: several
            ),
            get("\(base)/node-metrics", "listNodes", "Every node", [cluster], schema: "NodeList"),
            get(
                "\(base)/node-metrics/{node}",
                "getNode",
                "A node",
                [cluster, node],
                schema: "Node",
                removal: removal ? delete("removeNode", "Removes a node with its history", [cluster, node]) : ""
            ),
            get(
                "\(base)/node-metrics/{node}/history",
                "getNodeHistory",
                "The history of a node",
                [cluster, node] + history,
                schema: "History",
                csv: true
            ),
        ].joined(separator: ",")
    }

    private static func post(_ path: String, _ id: String, _ summary: String, schema: String) -> String {
        return """
            "\(path)":{"post":{"operationId":"\(id)","summary":"\(summary)","requestBody":{"required":true,\
            "content":{"application/json":{"schema":\(reference("schemas/\(schema)"))}}},\
            "responses":{"200":{"description":"Taken, or known already.","content":{"application/json":{"schema":\
            \(reference("schemas/Accepted"))}}},\(errors([400, 401, 403, 413, 415, 422, 503]))}}}
            """
    }

    private static let reporting = [
        post("/metrics/node", "postNode", "Takes the snapshot of a node", schema: "NodeReport"),
        post("/metrics/ups", "postUPS", "Takes the readings of an exporter", schema: "UPSReport"),
    ].joined(separator: ",")

    private static let parameters: String = {
        func parameter(
            _ name: String,
            _ text: String,
            in location: String = "query",
            _ schema: String = #"{"type":"string"}"#
        ) -> String {
            let required = location == "path" ? #","required":true"# : ""
            return """
                "\(name)":{"name":"\(name)","in":"\(location)"\(required),"description":"\(text)","schema":\(schema)}
                """
        }
        let time = #"{"type":"string","format":"date-time"}"#
        let name = #"{"type":"string","minLength":1}"#
        return [
            parameter("cluster", "The cluster's name.", in: "path", name),
            parameter("device", "The device's identifier, percent-encoded.", in: "path", name),
            parameter("node", "The node's name, percent-encoded.", in: "path", name),
            parameter("site", "The site; needed where several have the device."),
            parameter("from", "The first moment: RFC 3339 or seconds since 1970. Default: a day before the end.", time),
            parameter("to", "The end, which is not included. Default: now.", time),
            parameter(
                "step",
                "The width of a point, rounded up to whole buckets: 300, 5m, 1h. Default: as many points as there are.",
                #"{"type":"string","pattern":"^[1-9][0-9]{0,5}[smhd]?$"}"#
            ),
            parameter(
                "hours",
                "How far to go back, where from is not given.",
                #"{"type":"integer","minimum":1,"maximum":720}"#
            ),
            parameter(
                "format",
                "The form; the header Accept works as well.",
                #"{"type":"string","enum":["json","csv"]}"#
            ),
            parameter("limit", "The most events. Default: 1000.", #"{"type":"integer","minimum":1,"maximum":10000}"#),
            parameter("list", "false for the sums alone.", #"{"type":"string","enum":["true","false"]}"#),
            parameter("epoch", "The epoch of the overview that the client has.", #"{"type":"string"}"#),
            parameter("since", "The revision of the overview that the client has.", #"{"type":"integer","minimum":0}"#),
            parameter("keys", "Up to 100 keys of the overview, with commas between them.", #"{"type":"string"}"#),
            parameter("period", "What is summed. Default: day.", #"{"type":"string","enum":["day","month"]}"#),
            parameter(
                "zone",
                "Whose days: the server's or UTC's. Default: local.",
                #"{"type":"string","enum":["local","utc"]}"#
            ),
        ].joined(separator: ",")
    }()

    private static let responses = """
        "error":{"description":"Why not.","content":{"application/json":{"schema":\(reference("schemas/Error"))}}}
        """

    private static let schemas: String = {
        let state =
            #""state":{"type":"string","enum":["online","stale","offline"]},"condition":{"type":"string","enum":["on_battery","alarm","offline","disconnected","stale","online"]},"last_seen":{"type":"string","format":"date-time"}"#
        return [
            #""Error":{"type":"object","required":["error"],"properties":{"error":{"type":"string"}}}"#,
            #""Accepted":{"type":"object","required":["status"],"properties":{"status":{"type":"string","enum":["ok"]},"recorded":{"type":"integer"},"duplicates":{"type":"integer"},"rejected":{"type":"integer"},"rejections":{"type":"array","maxItems":100,"items":{"type":"object","required":["id","reason"],"properties":{"id":{"type":"string"},"reason":{"type":"string","enum":["name","malformed","too_many"]}}}}}}"#,
            #""Clusters":{"type":"object","required":["clusters"],"properties":{"clusters":{"type":"array","items":{"type":"object","required":["id"],"properties":{"id":{"type":"string"}}}}}}"#,
            "\"UPSList\":{\"type\":\"object\",\"required\":[\"cluster\",\"summary\",\"ups\"],\"properties\":{\"cluster\":{\"type\":\"string\"},\"tariff\":{\"type\":\"number\"},\"currency\":{\"type\":\"string\"},\"summary\":\(reference("schemas/Summary")),\"ups\":{\"type\":\"array\",\"items\":\(reference("schemas/UPS"))}}}",
            "\"Summary\":{\"type\":\"object\",\"additionalProperties\":{\"type\":\"number\"}}",
            "\"UPS\":{\"type\":\"object\",\"required\":[\"state\",\"last_seen\",\"site\",\"id\"],\"properties\":{\(state),\"removable\":{\"type\":\"boolean\"},\"nut_name\":{\"type\":\"string\"},\"nut_port\":{\"type\":\"integer\"},\"site\":{\"type\":\"string\"},\(ups)}}",
            "\"NodeList\":{\"type\":\"object\",\"required\":[\"summary\",\"nodes\"],\"properties\":{\"summary\":\(reference("schemas/Summary")),\"nodes\":{\"type\":\"object\",\"additionalProperties\":\(reference("schemas/Node"))}}}",
            "\"Node\":{\"type\":\"object\",\"required\":[\"state\",\"last_seen\",\"node_name\",\"timestamp\"],\"properties\":{\(state),\"removable\":{\"type\":\"boolean\"},\"node_name\":{\"type\":\"string\"},\"timestamp\":{\"type\":\"string\"}}}",
            #""History":{"type":"object","required":["from","to","step","interval","points","history"],"properties":{"from":{"type":"string","format":"date-time"},"to":{"type":"string","format":"date-time"},"step":{"type":"integer"},"interval":{"type":"integer"},"points":{"type":"integer"},"history":{"type":"array","items":{"type":"object","required":["timestamp","samples"],"properties":{"timestamp":{"type":"string","format":"date-time"},"samples":{"type":"integer","minimum":1}},"additionalProperties":true}}}}"#,
            #""Energy":{"type":"object","required":["device","site","period","zone","energy"],"properties":{"period":{"type":"string"},"zone":{"type":"string"},"tariff":{"type":"number"},"currency":{"type":"string"},"energy":{"type":"array","items":{"type":"object","required":["start","watt_hours","samples"],"properties":{"start":{"type":"string","format":"date-time"},"day":{"type":"string"},"month":{"type":"string"},"watt_hours":{"type":"number"},"cost":{"type":"number"},"samples":{"type":"integer"}}}}}}"#,
            #""Events":{"type":"object","required":["from","to","events"],"properties":{"from":{"type":"string","format":"date-time"},"to":{"type":"string","format":"date-time"},"events":{"type":"array","items":{"type":"object","required":["event","kind","site","name","start"],"properties":{"event":{"type":"string","enum":["on_battery","low_battery","alarm","fault","bypass","battery_test","disconnected","offline"]},"kind":{"type":"string","enum":["ups","node"]},"site":{"type":"string"},"name":{"type":"string"},"text":{"type":"string"},"start":{"type":"string","format":"date-time"},"end":{"type":"string","format":"date-time"},"seconds":{"type":"integer"}}}}}}"#,
            #""Overview":{"type":"object","required":["epoch","revision","full","columns","subjects","values","removed"],"properties":{"time":{"type":"integer"},"utc_offset":{"type":"integer"},"tariff":{"type":"number"},"currency":{"type":"string"},"epoch":{"type":"string"},"revision":{"type":"integer"},"full":{"type":"boolean"},"columns":{"type":"object","additionalProperties":{"type":"array","items":{"type":"string"}}},"subjects":{"type":"array","items":{"type":"array","items":{}}},"values":{"type":"array","items":{"type":"array","items":{}}},"removed":{"type":"array","items":{"type":"integer"}}}}"#,
            "\"Trends\":{\"type\":\"object\",\"required\":[\"from\",\"step\",\"trends\"],\"properties\":{\"from\":{\"type\":\"integer\"},\"step\":{\"type\":\"integer\"},\"trends\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"required\":[\"key\",\"values\"],\"properties\":{\"key\":{\"type\":\"integer\"},\"values\":{\"type\":\"array\",\"items\":{\"type\":\"number\",\"nullable\":true}},\"day\":\(reference("schemas/Amount")),\"month\":\(reference("schemas/Amount"))}}}}}",
            #""Amount":{"type":"object","required":["watt_hours"],"properties":{"watt_hours":{"type":"number"},"cost":{"type":"number"}}}"#,
            "\"FleetEnergy\":{\"type\":\"object\",\"required\":[\"zone\",\"day\",\"month\",\"energy\"],\"properties\":{\"zone\":{\"type\":\"string\"},\"day\":{\"type\":\"string\"},\"month\":{\"type\":\"string\"},\"tariff\":{\"type\":\"number\"},\"currency\":{\"type\":\"string\"},\"total\":{\"type\":\"object\",\"properties\":{\"day\":\(reference("schemas/Amount")),\"month\":\(reference("schemas/Amount"))}},\"energy\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"required\":[\"device\",\"site\"],\"properties\":{\"device\":{\"type\":\"string\"},\"site\":{\"type\":\"string\"},\"day\":\(reference("schemas/Amount")),\"month\":\(reference("schemas/Amount"))}}}}}",
            #""NodeReport":{"type":"object","required":["node_name","timestamp"],"properties":{"node_name":{"type":"string","minLength":1,"maxLength":256},"timestamp":{"type":"string","format":"date-time"}}}"#,
            "\"UPSReport\":{\"type\":\"object\",\"required\":[\"timestamp\",\"devices\"],\"properties\":{\"site\":{\"type\":\"string\",\"maxLength\":256},\"timestamp\":{\"type\":\"string\",\"format\":\"date-time\"},\"devices\":{\"type\":\"array\",\"maxItems\":10000,\"items\":{\"type\":\"object\",\"required\":[\"id\",\"read_at\"],\"properties\":{\(ups)}}}}}",
        ].joined(separator: ",")
    }()

    /// The values of a UPS.
    private static let ups: String = {
        let members =
            ["\"id\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":256}"]
            + ["\"read_at\":{\"type\":\"string\",\"format\":\"date-time\"}"]
            + UPSSnapshot.texts.map { "\"\($0.name)\":{\"type\":\"string\"}" }
            + ["\"type_code\":{\"type\":\"integer\"}"]
        return (members + UPSQuantity.reported.map(property) + [alarms, phases]).joined(separator: ",")
    }()

    private static func property<Root>(_ quantity: Quantity<Root>) -> String {
        let type =
            switch quantity.unit {
            case .flag: "boolean"
            case .code: "integer"
            default: "number"
            }
        return "\"\(quantity.jsonName)\":{\"type\":\"\(type)\"}"
    }

    private static let alarms = #"""
        "alarms":{"type":"array","items":{"type":"object","required":["text"],"properties":{"id":{"type":"string"},\#
        "text":{"type":"string"}}}}
        """#

    private static let phases: String = {
        let properties = ["\"number\":{\"type\":\"integer\"}"] + PhaseQuantity.all.map(property)
        return "\"phases\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"required\":[\"number\"],"
            + "\"properties\":{\(properties.joined(separator: ","))}}}"
    }()
}
