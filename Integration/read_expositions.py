# SPDX-License-Identifier: MIT
"""Reads expositions with Python's prometheus_client and compares the result with the expected samples. Each line of
standard input is a JSON object with a format, an exposition in base64, and its samples with numbers as bit patterns.
Prints the number of expositions per format."""

import base64
import json
import math
import struct
import sys

from prometheus_client import parser
from prometheus_client.openmetrics import parser as openmetrics_parser

PARSE = {
    "text": parser.text_string_to_metric_families,
    "openmetrics": openmetrics_parser.text_string_to_metric_families,
}


def number(bits):
    return None if bits is None else struct.unpack(">d", bytes.fromhex(bits.zfill(16)))[0]


def canonical(value):
    """The bit pattern of a number. All NaNs are equal, and so are 0 and -0, which the library reads as the int 0."""
    return "NaN" if math.isnan(value) else struct.pack(">d", value or 0).hex()


def milliseconds(timestamp):
    """Rounds to milliseconds, the resolution of the text format."""
    return None if timestamp is None else round(float(timestamp) * 1000)


def series(name, labels, bound_name, bound):
    return name, frozenset(labels.items()), bound_name, bound


def expected(sample):
    bound = sample.get("bound")
    key = series(sample["name"], sample["labels"], sample.get("boundName"), bound and canonical(number(bound)))
    exemplar = sample.get("exemplar")
    if exemplar:
        exemplar = (exemplar["labels"], canonical(number(exemplar["value"])), milliseconds(number(exemplar.get("timestamp"))))
    return key, (canonical(number(sample["value"])), milliseconds(number(sample.get("timestamp"))), exemplar)


def found(sample, family):
    labels = dict(sample.labels)
    bound_name = {"histogram": "le", "gaugehistogram": "le", "summary": "quantile"}.get(family.type)
    bound = labels.pop(bound_name, None) if bound_name else None
    key = series(sample.name, labels, None if bound is None else bound_name, bound and canonical(float(bound)))
    exemplar = sample.exemplar
    if exemplar:
        exemplar = (exemplar.labels, canonical(exemplar.value), milliseconds(exemplar.timestamp))
    return key, (canonical(sample.value), milliseconds(sample.timestamp), exemplar)


def main():
    cases = {"text": 0, "openmetrics": 0, "samples": 0}
    for line in sys.stdin:
        case = json.loads(line)
        exposition = base64.b64decode(case["exposition"]).decode()
        want = dict(map(expected, case["samples"]))
        try:
            families = list(PARSE[case["format"]](exposition))
            have = [found(sample, family) for family in families for sample in family.samples]
            assert len(have) == len(want), f"{len(have)} samples were read, {len(want)} were expected"
            for key, value in have:
                assert want.get(key) == value, f"{key} is {value}, expected {want.get(key)}"
        except (AssertionError, ValueError) as error:
            sys.exit(f"after {cases}: {error}\n{case['format']}:\n{exposition!r}")
        cases[case["format"]] += 1
        cases["samples"] += len(want)
    print(json.dumps(cases))


main()
