# SPDX-License-Identifier: MIT
"""Compares `wpexporter sql` with the real query-exporter from PyPI, on one file and one PostgreSQL server: both must
expose the same series and values, except for the differences documented in docs/sql.md."""

import math
import re

import pytest

from support.postgres import PASSWORD
from support.waiting import wait_for
from support.web import get

PEER = ("query-exporter>=5,<6", "psycopg2-binary")
pytestmark = pytest.mark.needs("postgresql", "libpq5", "python3-venv")

# Each query runs once, at startup.
FILE = r"""
databases:
  shop:
    dsn: !env SHOP
    connection-pool: {size: 2, max-overflow: 1}
    connect-sql: [SET search_path = shop]
    labels: {region: eu, zone: a}
  stock:
    dsn: {dialect: postgresql+psycopg2, user: monitor, password: !file secret.txt, host: 127.0.0.1, port: !env PORT, database: shop,
          options: {application_name: peer}}
    labels: {region: us, zone: "b"}
metrics:
  orders: {type: gauge, description: 'Orders: "by state"', labels: [state, day, price]}
  amount: {type: gauge}
  sold: {type: counter, labels: [state]}
  seen_total: {type: counter, increment: true}
  size: {type: histogram, labels: [state], buckets: [1, 2.5, 10]}
  standard: {type: histogram}
  weight: {type: summary, description: Weight}
  mood: {type: enum, states: [good, bad, "?"], labels: [state], expiration: 1h}
  by_kind: {type: gauge, labels: [kind, least]}
  combined: {type: gauge, labels: [a, b]}
  special: {type: gauge, labels: [name]}
  nothing: {type: gauge}
  literals: {type: gauge, labels: [id, name]}
  differs: {type: gauge, labels: [truth, missing]}
  empty_value: {type: gauge, labels: [name]}
  clock: {type: gauge}
queries:
  orders:
    databases: [shop, stock]
    metrics: [orders]
    sql: SELECT state, day, price, count(*) AS orders FROM shop.orders GROUP BY 1, 2, 3
    interval: 1h
  types:
    databases: [shop]
    metrics: [amount, sold, seen_total]
    sql: SELECT 12.5::numeric AS amount, 7::bigint AS sold, 3::smallint AS seen_total, 'x' AS state
    interval: 3600
  distributions:
    databases: [shop]
    metrics: [size, standard, weight]
    sql: SELECT state, quantity AS size, (quantity / 10.0)::float8 AS standard, quantity::float8 AS weight FROM orders
    interval: 1d
  mood:
    databases: [shop]
    metrics: [mood]
    sql: "SELECT 'bad' AS mood, 'y' AS state UNION ALL SELECT '?', 'n'"
    interval: 60m
  kinds:
    databases: [stock]
    metrics: [by_kind]
    sql: |
      SELECT :kind AS kind, :least AS least, count(*) AS by_kind -- not a :parameter: \:this
      FROM shop.orders WHERE quantity >= :least AND kind = :kind AND state <> 'a\:b'
    parameters: [{kind: retail, least: 1}, {kind: whole, least: 2}, {kind: "it's", least: -3}]
    interval: 1h
  matrix:
    databases: [shop]
    metrics: [combined]
    sql: SELECT :one__a AS a, :two__b AS b, :one__a * 10 + :two__b AS combined
    parameters: {one: [{a: 1}, {a: 2}], two: [{b: 3}, {b: 4}, {b: 5}]}
    interval: 1h
  special:
    databases: [shop]
    metrics: [special]
    sql: |
      SELECT * FROM (VALUES (E'quote" back\\slash', 'NaN'::float8), (E'line\nend', 'Infinity'), ('é 漢字 %', '-Infinity'),
        ('', 1e300), ('big', 9007199254740993), ('text', 12)) v (name, special)
    interval: 1h
    timeout: 30.5
  nothing: &hourly
    databases: [shop]
    metrics: [nothing]
    sql: SELECT 1 AS nothing WHERE false
    interval: 1h
  literals:
    <<: *hourly
    metrics: [literals]
    sql: |
      SELECT :id AS id, :name AS name, sum(quantity) AS literals FROM shop.orders
      WHERE (quantity = :id OR quantity = ANY(:list)) AND day > date :day AND day < date :day + interval :span AND kind <> :name
    parameters: [{id: 1, list: [3, 12], name: 'it''s a \ "name"', day: '2026-01-01', span: 400 days}]
  differs:
    databases: [shop]
    metrics: [differs]
    sql: SELECT true AS truth, NULL::text AS missing, 1 AS differs
    interval: 1h
  empty_value:
    databases: [shop]
    metrics: [empty_value]
    sql: SELECT NULL::int AS empty_value, 'null' AS name
    interval: 1h
  clock:
    databases: [shop]
    metrics: [clock]
    sql: SELECT timestamptz 'epoch' + interval '1 minute' AS clock
    interval: 1h
  broken:
    databases: [shop]
    metrics: [nothing]
    sql: SELECT nothing FROM no_such_table
    interval: 1h
"""
SCHEMA = """
CREATE SCHEMA shop;
CREATE TABLE shop.orders (state text, day date, price numeric(8, 2), quantity int, kind text);
INSERT INTO shop.orders VALUES ('open', '2026-01-02', 1.50, 1, 'retail'), ('open', '2026-01-02', 1.50, 3, 'retail'),
  ('closed', '2026-12-31', 20, 12, 'whole'), ('closed', '2026-12-31', 20.10, 2, 'it''s');
GRANT USAGE ON SCHEMA shop TO monitor;
GRANT SELECT ON ALL TABLES IN SCHEMA shop TO monitor;
"""
# Series that only one program exposes, as docs/sql.md documents: (program, pattern of the series, reason).
EXPECTED = [
    ("theirs", r'_created\{', "creation times are not exposed as series of their own"),
    ("theirs", r'^(query_latency|query_timestamp|query_interval)[_{]', "other names"),
    ("ours", r"^(query_duration_seconds|query_wait_seconds|query_last_success_timestamp_seconds|query_rows|query_duplicate_rows)[_{]", "other names"),
    ("ours", r"^(database_up|database_connections)\{", "additional families"),
    ("ours", r"^(process_|winpower_sql_)", "the exporter itself"),
    ("theirs", r'^differs\{.*missing="None".*truth="True"', "labels of booleans and NULL"),
    ("ours", r'^differs\{.*missing="".*truth="true"', "labels of booleans and NULL"),
    ("theirs", r'^empty_value\{', "a NULL is 0 there"),
    ("both", r'^clock\{', "a timestamp is an error there, and its series is 0"),
    ("ours", r'^queries_total\{.*query="clock",.*status="success"', "a timestamp is an error there"),
]


def series(text):
    """The samples by name and sorted labels, and the families' types and help."""
    found, meta = {}, {}
    for line in text.splitlines():
        if line.startswith("#"):
            _, kind, name, rest = (line + " ").split(" ", 3)
            meta[(kind, name)] = rest.strip()
            continue
        match = re.fullmatch(r'([\w:]+)(?:\{(.*)\})? (\S+)', line)
        labels = sorted(re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', match[2] or ""))
        labels = [(key, f"{float(value):g}" if key == "le" else value) for key, value in labels]
        shown = ",".join(f'{key}="{value}"' for key, value in labels)
        found[f"{match[1]}{{{shown}}}"] = float(match[3])
    return found, meta


def is_expected(side, name):
    return any(one in (side, "both") and re.search(pattern, name) for one, pattern, _ in EXPECTED)


@pytest.fixture(scope="module")
def both(shared_programs, virtualenv):
    """The series of each program, with types and help, after every query has run on all its databases."""
    database, directory = shared_programs.postgres(), shared_programs.directory
    database.sql(SCHEMA, "shop")
    config = directory / "queries.yaml"
    config.write_text(FILE)
    (directory / "secret.txt").write_text(PASSWORD + "\n")
    environment = {"SHOP": database.dsn(scheme="postgresql+psycopg2"), "PORT": str(database.port)}
    port = shared_programs.port()
    theirs = shared_programs.start("query-exporter", [
        virtualenv(*PEER).with_name("query-exporter"), "--config", config, "--host", "127.0.0.1", "--port", port], environment)
    theirs.url = f"http://127.0.0.1:{port}"
    ours = shared_programs.serve("sql", "sql", "--config", config, "--host", "127.0.0.1", "--port", "0", environment=environment)

    def read(program, runs):
        def is_done():
            found = series(get(program.url + "/metrics").text)
            return found if sum(value for name, value in found[0].items() if name.startswith("queries_total{")) >= runs else None

        return program.wait_for("all queries have run on all databases", is_done)

    # query-exporter does not count a run whose value it cannot convert.
    return {"theirs": read(theirs, 20), "ours": read(ours, 21)}


def test_both_have_the_same_series(both):
    (theirs, _), (ours, _) = both["theirs"], both["ours"]
    differences = [f"only theirs: {name}" for name in theirs if name not in ours and not is_expected("theirs", name)]
    differences += [f"only ours: {name}" for name in ours if name not in theirs and not is_expected("ours", name)]
    for name in theirs.keys() & ours.keys():
        one, other = theirs[name], ours[name]
        if one != other and not (math.isnan(one) and math.isnan(other)) and not is_expected("theirs", name):
            differences.append(f"{name}: theirs {one}, ours {other}")
    assert differences == []
    assert len({re.match(r"[\w:]+", name)[0] for name in ours if not is_expected("ours", name)}) >= 12


def test_both_have_the_same_types_and_help(both):
    (_, theirs), (_, ours) = both["theirs"], both["ours"]
    same = {key for key in theirs.keys() & ours.keys() if not re.match("process_|python_|queries_total|database_errors", key[1])}
    assert {key: ours[key] for key in same} == {key: theirs[key] for key in same} != {}


@pytest.mark.parametrize("side, pattern", [
    (one, pattern) for side, pattern, _ in EXPECTED for one in (("theirs", "ours") if side == "both" else (side,))])
def test_each_documented_difference_exists(both, side, pattern):
    assert any(re.search(pattern, name) for name in both[side][0])
