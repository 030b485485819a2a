# SPDX-License-Identifier: MIT
"""`wpexporter sql` against a real PostgreSQL server that is restarted, locked, filled, stopped and changed at run
time."""

import contextlib
import os
import pathlib
import re
import signal
import socket
import ssl
import subprocess
import time

import pytest

from support.names import silent_name_server
from support.postgres import PASSWORD, URL_PASSWORD, USER
from support.programs import ROOT, SCRAPE, execute
from support.waiting import median_seconds, wait_for
from support.web import send

SHOP = """
CREATE TABLE orders (state text, amount numeric);
INSERT INTO orders VALUES ('open', 3), ('closed', 4.5);
CREATE TABLE secret (v int);
CREATE TABLE busy (v int);
INSERT INTO busy VALUES (1);
GRANT SELECT ON orders, busy TO monitor;
"""
FILE = """
databases:
  shop: {dsn: !env SHOP}
  lock: {dsn: !env SHOP, connection-pool: {size: 2}, lock_timeout: 0.3}
  slow: {dsn: !env SHOP}
metrics:
  orders: {type: gauge, labels: [state]}
  busy: {type: gauge}
  slow: {type: gauge}
  secret: {type: gauge}
  written: {type: gauge}
queries:
  orders: {databases: [shop], metrics: [orders], sql: "SELECT state, sum(amount) AS orders FROM orders GROUP BY 1", interval: 1}
  secret: {databases: [shop], metrics: [secret], sql: SELECT v AS secret FROM secret, interval: 1}
  written: {databases: [shop], metrics: [written], sql: "INSERT INTO orders VALUES ('x', 1) RETURNING 1 AS written", interval: 1}
  busy: {databases: [lock], metrics: [busy], sql: SELECT v AS busy FROM busy, interval: 1, timeout: 2}
  slow: {databases: [slow], metrics: [slow], sql: "SELECT 1 AS slow FROM pg_sleep(:seconds)", interval: 1, timeout: 0.7,
         parameters: [{seconds: 30}]}
"""
ONE = ("databases: {shop: {dsn: !env SHOP}}\nmetrics: {v: {type: gauge}}\n"
       "queries: {q: {databases: [shop], metrics: [v], sql: SELECT 1 AS v, interval: 1}}\n")
OPEN, CLOSED = 'orders{database="shop",state="open"}', 'orders{database="shop",state="closed"}'
ORDERS = {OPEN: 3, CLOSED: 4.5}
SIMPLE = "SELECT 1 AS v, 'a' AS k"
A = 'v{database="shop",k="a"}'
SESSIONS = "SELECT count(*) FROM pg_stat_activity WHERE usename = 'monitor'"
ASLEEP = ("SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%FROM pg_sleep(%' AND state = 'active'"
          " AND pid <> pg_backend_pid()")

pytestmark = pytest.mark.needs("postgresql", "libpq5", "tzdata")


def psql(database):
    """The command that connects to the database `shop` as the superuser."""
    return [database.bin / "psql", "-h", database.home, "-p", database.port, "-U", "admin", "-d", "shop", "-q"]


def start_postgres(programs, *settings):
    database = programs.postgres(*settings)
    database.sql(SHOP, "shop")
    return database


@pytest.fixture(scope="module")
def shared_database(shared_programs):
    """A PostgreSQL server whose database `shop` the tests of this file only read."""
    return start_postgres(shared_programs)


@pytest.fixture
def database(programs):
    """A PostgreSQL server for one test only."""
    return start_postgres(programs)


def series(text, name):
    """The samples of a metric, or of those whose names match an expression."""
    lines = [line.rsplit(" ", 1) for line in text.splitlines() if re.match(rf"(?:{name})[ {{]", line)]
    return {labels: float(value) for labels, value in lines}


@pytest.fixture
def sql(wpexporter, tmp_path):
    """Runs `wpexporter sql` with a single query until it exits; .series(name) has its output."""

    def run(query, dsn, head="", mode="--once", metric="{type: gauge, labels: [k]}", written="!env SHOP", parameters=None, **options):
        path = tmp_path / "once.yaml"
        more = f", parameters: {parameters}" if parameters else ""
        path.write_text(f"{head}\ndatabases: {{shop: {{dsn: {written}}}}}\nmetrics: {{v: {metric}}}\n"
                        f"queries: {{q: {{databases: [shop], metrics: [v], sql: \"{query}\"{more}}}}}\n")
        environment = dsn if isinstance(dsn, dict) else {"SHOP": dsn}
        done = wpexporter("sql", "--config", path, mode, environment=environment, **options)
        done.series = lambda name="v": series(done.stdout, name)
        return done

    return run


@pytest.fixture
def shop(sql, shared_database):
    """The same with the shared database."""
    return lambda query, **options: sql(query, shared_database.dsn(), **options)


@pytest.fixture
def serve(programs, tmp_path):
    """Starts `wpexporter sql` with the text of a file, or with the file written before; .series(name) scrapes it."""

    def start(text=None, dsn="", name="sql", command=None, **more):
        path = tmp_path / "queries.yaml"
        if text is not None:
            path.write_text(text)
        arguments = ["sql", "--config", path, "--host", "127.0.0.1", "--port", "0", *more.get("arguments", ())]
        if command:
            program = programs.start(name, [*command, programs.binary, *arguments], {"SHOP": dsn})
            programs.listening(program)
        else:
            program = programs.serve(name, *arguments, environment={"SHOP": dsn})
        program.config = path
        program.series = lambda name: series(program.get("/metrics").text, name)
        program.has_record = lambda **fields: any(
            all(text in str(record.get(key, "")) for key, text in fields.items()) for record in program.records())
        return program

    return start


@pytest.fixture
def running(serve, database):
    """An exporter of FILE that has queried its database."""
    program = serve(FILE, database.dsn())
    wait_for("the orders are exposed", lambda: program.series("orders") == ORDERS)
    return program


def wait_for_success(program):
    """Waits for a query that succeeds after this moment."""
    at = time.time()
    name = 'query_last_success_timestamp_seconds{database="shop",query="orders"}'
    wait_for("the query succeeds again", lambda: program.series("query_last_success_timestamp_seconds").get(name, 0) > at)


# Values


@pytest.mark.fast
def test_numbers_are_converted_and_null_is_omitted(shop):
    done = shop("SELECT * FROM (VALUES ('nan', 'NaN'::numeric), ('inf', 'Infinity'), ('-inf', '-Infinity'), ('null', NULL), "
                "('big', 9007199254740993), ('dec', 12.50)) x (k, v)")
    found = {re.search('k="(.*)"', labels)[1]: value for labels, value in done.series().items()}
    assert done.returncode == 0 and str(found.pop("nan")) == "nan"
    assert found == {"inf": float("inf"), "-inf": float("-inf"), "big": 2.0**53, "dec": 12.5}


def test_null_can_be_zero(shop):
    assert shop("SELECT NULL::int AS v, 'a' AS k", head="on_null: zero").series() == {A: 0}


def test_rows_are_limited(shop):
    rows = "SELECT i AS v, 'row ' || i AS k FROM generate_series(1, {}) i"
    assert len(shop(rows.format(100_000)).series()) == 100_000
    done = shop(rows.format(200_001))
    assert done.returncode == 1 and "200000 rows allowed" in done.stderr


@pytest.mark.fast
def test_a_non_numeric_type_is_rejected_with_advice(shop):
    done = shop("SELECT 1.5::float8::numeric::money AS v, 'a' AS k")
    assert done.returncode == 1 and "cast it to numeric" in done.stderr


def test_the_last_row_with_equal_labels_wins_and_the_others_are_counted(shop):
    done = shop("SELECT i AS v, 'same' AS k FROM generate_series(1, 5) i")
    assert done.series() == {'v{database="shop",k="same"}': 5}
    assert done.series("query_duplicate_rows") == {'query_duplicate_rows{database="shop",query="q"}': 4}


def test_the_time_zone_of_the_file_applies_to_timestamps_and_sessions(shop):
    zone = "timezone: Europe/Berlin"
    found = shop("SELECT * FROM (VALUES ('before', timestamp '2026-03-29 01:59:59'), ('after', timestamp '2026-03-29 03:00:00'), "
                 "('zoned', timestamptz '2026-03-29 01:00:00+00')) x (k, v)", head=zone).series()
    before, after, zoned = (found[f'v{{database="shop",k="{key}"}}'] for key in ("before", "after", "zoned"))
    assert after - before == 1 and zoned == after
    hour = shop("SELECT extract(hour FROM timestamptz '2026-07-01 00:00:00+00') AS v, 'a' AS k", head=zone)
    assert hour.series() == {A: 2}


@pytest.mark.fast
def test_parameters_work_in_select_comparisons_lists_and_typed_literals(shop):
    done = shop("SELECT :k AS k, count(*) AS v FROM generate_series(1, 3) i WHERE i = :k AND i = ANY(:list) AND now() > date :day "
                "AND now() - interval :span > :day", parameters="[{k: 2, list: [1, 2], day: '2020-01-01', span: 5 min}]")
    assert list(done.series()) == ['v{database="shop",k="2"}'], done.stderr


# Rejected statements and addresses


@pytest.mark.fast
@pytest.mark.parametrize("query, error", [
    ("SELECT set_config('application_name', 'x', false) AS k, 1 AS v; DROP TABLE orders", "42601"),
    ("COPY (SELECT 1) TO STDOUT", "COPY gives no result set"),
], ids=["two statements", "copy"])
def test_a_statement_that_is_not_a_query_is_rejected(shop, query, error):
    done = shop(query)
    assert done.returncode == 1 and error in done.stderr


def test_labels_are_utf_8_regardless_of_the_client_encoding(sql, shared_database):
    done = sql("SELECT 'é' AS k, 1 AS v", shared_database.dsn(options="?client_encoding=latin1"))
    assert list(done.series()) == ['v{database="shop",k="é"}']


def test_text_that_is_not_utf_8_is_an_error(sql, database):
    database.sql("CREATE DATABASE raw ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0")
    done = sql(r"SELECT E'caf\\xe9' AS k, 1 AS v", database.dsn(database="raw"))
    assert done.returncode == 1 and "UTF" in done.stderr


@pytest.mark.parametrize("mode", ["--check", "--once"])
@pytest.mark.parametrize("dsn", [
    "postgresql://u:p@hunter22@127.0.0.1:1/d", "postgresql://u:p@hunter22@127.0.0.1:1,127.0.0.1:2/d",
    "password=my hunter22 host=127.0.0.1", "postgresql//u:hunter22@127.0.0.1:1/d",
    "postgresql://monitorhunter22@127.0.0.1:PORT/shop"])
def test_an_invalid_address_is_not_shown(sql, shared_database, dsn, mode):
    done = sql(SIMPLE, dsn.replace("PORT", str(shared_database.port)), mode=mode)
    assert done.returncode in (1, 2) and "hunter22" not in done.stdout + done.stderr


def test_a_hanging_first_host_is_skipped(sql, shared_database):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        hosts = f"127.0.0.1:{silent.getsockname()[1]},127.0.0.1:{shared_database.port}"
        done = sql(SIMPLE, f"postgresql://{USER}:{URL_PASSWORD}@{hosts}/shop?connect_timeout=4")
    assert done.returncode == 0, done.stderr


def test_a_label_of_300_mb_is_rejected_before_it_is_read(shared_database, binary, tmp_path):
    (tmp_path / "large.yaml").write_text(
        "databases: {shop: {dsn: !env SHOP}}\nmetrics: {v: {type: gauge, labels: [k]}}\n"
        "queries: {q: {databases: [shop], metrics: [v], sql: \"SELECT repeat('x', 300000000) AS k, 1 AS v\"}}\n")
    process = subprocess.Popen([binary, "sql", "--config", tmp_path / "large.yaml", "--once"], stderr=subprocess.PIPE,
                               stdout=subprocess.DEVNULL, text=True, env={**os.environ, "SHOP": shared_database.dsn()})
    with process.stderr:
        error = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 1 and "64 MiB allowed" in error
    assert usage.ru_maxrss < 250 << 10


# Files


@pytest.mark.fast
def test_check_describes_the_columns_without_running_queries(shop):
    done = shop("SELECT state AS k, amount AS v FROM orders WHERE pg_sleep(60) IS NULL", mode="--check", timeout=50)
    assert done.returncode == 0 and "ok    q on shop: k, v" in done.stdout


@pytest.mark.fast
def test_check_reports_mismatched_columns(shop):
    done = shop("SELECT 1 AS other", mode="--check")
    assert done.returncode == 1 and "gives the columns other" in done.stdout


@pytest.mark.fast
def test_all_faults_of_a_file_have_positions(shop):
    done = shop("SELECT 1 AS v", mode="--check", metric="{type: guage, lables: [k]}")
    assert done.returncode == 2 and "did you mean gauge?" in done.stderr and "did you mean labels?" in done.stderr
    assert re.search(r"once\.yaml:3:\d+: metrics\.v\.type", done.stderr)


@pytest.mark.fast
def test_an_unset_variable_is_a_fault(shop):
    done = shop("SELECT 1 AS v", mode="--check", written="!env NO_SUCH_VARIABLE")
    assert done.returncode == 2 and "NO_SUCH_VARIABLE" in done.stderr


def test_an_unresponsive_database_does_not_invalidate_the_file(sql, free_port):
    done = sql(SIMPLE, f"postgresql://{USER}:{URL_PASSWORD}@127.0.0.1:{free_port()}/shop", mode="--check")
    assert done.returncode == 0 and "skip  q on shop: " in done.stdout and "not checked" in done.stderr


@pytest.mark.fast
def test_the_program_does_not_link_libpq(binary):
    assert "libpq" not in execute("ldd", binary, check=True).stdout


# Logins


@pytest.mark.fast
def test_a_wrong_password_is_reported_and_not_shown(sql, shared_database):
    wrong = f"postgresql://{USER}:wr0ng%2Fpassword@127.0.0.1:{shared_database.port}/shop"
    done = sql(SIMPLE, wrong)
    assert done.returncode == 1 and "password authentication failed" in done.stderr
    assert "wr0ng" not in done.stdout + done.stderr
    done = sql(SIMPLE, wrong, mode="--check")
    assert done.returncode == 1 and "FAIL  q on shop: " in done.stdout


@pytest.mark.fast
def test_the_password_may_be_in_a_file(shop, shared_database, tmp_path):
    (tmp_path / "secret.txt").write_text(PASSWORD + "\n")
    done = shop(SIMPLE, written="{dialect: postgresql, host: 127.0.0.1, port: %d, user: monitor, database: shop, "
                                "password: !file secret.txt}" % shared_database.port)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("written, more", [
    ("service=shop", {}),
    ("postgresql:///shop", {"PGUSER": USER, "PGHOST": "127.0.0.1"}),
], ids=["a service file and .pgpass", "PG variables"])
def test_the_files_and_variables_of_libpq_are_read(sql, shared_database, tmp_path, written, more):
    (tmp_path / "pgpass").write_text(f"127.0.0.1:{shared_database.port}:shop:{USER}:{PASSWORD}\n")
    (tmp_path / "pgpass").chmod(0o600)
    (tmp_path / "services").write_text(f"[shop]\nhost=127.0.0.1\nport={shared_database.port}\ndbname=shop\nuser={USER}\n")
    environment = {"PGPASSFILE": str(tmp_path / "pgpass"), "PGSERVICEFILE": str(tmp_path / "services")}
    if more:
        environment |= {**more, "PGPORT": str(shared_database.port)}
    done = sql(SIMPLE, environment, written=written)
    assert done.returncode == 0, done.stderr


@pytest.mark.needs("openssl")
def test_verify_full_accepts_only_the_name_of_the_certificate(sql, database, certificates):
    for path, name in zip(certificates.issue("server", "DNS:localhost"), ("server.crt", "server.key")):
        (database.data / name).write_bytes(path.read_bytes())
        database.own(database.data / name)
    database.sql("ALTER SYSTEM SET ssl = on")
    database.sql("SELECT pg_reload_conf()")
    dsn = database.dsn(options=f"?sslmode=verify-full&sslrootcert={certificates.authority}")
    good = dsn.replace("127.0.0.1", "localhost")
    wait_for("the name is accepted", lambda: sql(SIMPLE, good).returncode == 0)
    done = sql(SIMPLE, dsn)
    assert done.returncode == 1 and "does not match host name" in done.stderr
    done = sql("SELECT ssl::int AS v, version AS k FROM pg_stat_ssl WHERE pid = pg_backend_pid()", good)
    assert list(done.series().values()) == [1]


# The seed file


def test_the_oneclick_file_shows_its_demo(database, wpexporter):
    database.sql("CREATE DATABASE bitbucket")
    demo = (ROOT / "deploy/sql/oneclick-demo.sql").read_text()
    database.sql(demo + "GRANT SELECT ON ALL TABLES IN SCHEMA public TO monitor;", "bitbucket")
    done = wpexporter("sql", "--config", ROOT / "deploy/sql/oneclick.yaml", "--once", check=True,
                      environment={"DATABASE_URL": database.dsn(database="bitbucket")})
    shown = {re.sub(r'database="bitbucket",?', "", labels): value for labels, value in series(done.stdout, r"oneclick_\w+").items()}
    expected = {
        'oneclick_pr_num{pr_state="open",project="SHOP"}': 4, 'oneclick_pr_num{pr_state="open",project="CORE"}': 0,
        'oneclick_pr_num{pr_state="merged",project="SHOP"}': 1, 'oneclick_pr_num{pr_state="declined",project="CORE"}': 1,
        'oneclick_pr_missing_report{pr_state="open",project="SHOP"}': 2,
        'oneclick_pr_missing_report{pr_state="declined",project="CORE"}': 1,
        'oneclick_result_report{project="SHOP",report="ci",status="failure"}': 1,
        'oneclick_result_report{project="SHOP",report="ci",status="success"}': 3,
        'oneclick_result_report{project="SHOP",report="ci",status="total"}': 4,
        'oneclick_result_report{project="SHOP",report="codecoverage",status="notAvailable"}': 2,
        'oneclick_result_report{project="SHOP",report="smoke",status="notAvailable"}': 1,
        'oneclick_result_report{project="CORE",report="snyk",status="total"}': 0,
        'oneclick_open_pr_report{code_coverage="83.46",pr_no="1",present_reports="ci,codecoverage,sast",project="SHOP",'
        'stash_repo="web",valid_appearance="3"}': 1,
        'oneclick_closed_pr_report{code_coverage="70.00",pr_no="2",present_reports="ci,codecoverage",project="SHOP",'
        'stash_repo="basket",valid_appearance="2"}': 1,
        'oneclick_check_summary{enabled_checks="ci,codecoverage",project="SHOP",stash_repo="web",valid_appearance="2"}': 1,
    }
    assert {labels: shown.get(labels) for labels in expected} == expected
    # Every project has all states and results, 0 if there are none.
    counts = {"pr_num": 6, "result_report": 64, "open_pr_report": 4, "closed_pr_report": 2, "check_summary": 3}
    assert {name: sum(labels.startswith(f"oneclick_{name}{{") for labels in shown) for name in counts} == counts
    assert "~alex" not in done.stdout, "personal projects do not count"


# At run time


def test_a_database_down_at_startup_is_used_once_available(serve, database):
    database.stop()
    program = serve(FILE, database.dsn())
    wait_for("no database answers", lambda: program.series("database_up").get('database_up{database="shop"}') == 0)
    database.start()
    wait_for("it recovers by itself", lambda: program.series("orders") == ORDERS)


def test_the_session_of_a_timed_out_query_ends_soon(running, database):
    timeouts = 'queries_total{database="slow",query="slow",status="timeout"}'
    longest = 0.0

    def has_timed_out():
        nonlocal longest
        seconds = "SELECT coalesce(max(extract(epoch FROM now() - query_start)), 0) FROM pg_stat_activity"
        longest = max(longest, float(database.sql(f"{seconds} WHERE query LIKE '%FROM pg_sleep(%' AND pid <> pg_backend_pid()")[0][0]))
        return running.series("queries_total").get(timeouts, 0) >= 4

    wait_for("some queries have timed out", has_timed_out)
    # Normally at most 2 s after the timeout of 0.7 s; the query sleeps for 30 s.
    assert longest < 5


@pytest.mark.fast
def test_a_terminated_session_is_replaced(running, database):
    database.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'monitor' AND query LIKE '%FROM orders%'")
    wait_for_success(running)


@pytest.fixture
def holding(programs):
    """holding(database, statements): a context for a superuser's session, idle after these statements."""

    @contextlib.contextmanager
    def holding(database, statements):
        holder = programs.start("holder", [*psql(database), "-c", statements, "-f", "-"], {"PGAPPNAME": "holder"},
                                stdin=subprocess.PIPE)
        idle = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'holder' AND state LIKE 'idle%'"
        holder.wait_for("the statements have run", lambda: database.sql(idle) == [["1"]])
        yield
        holder.process.stdin.close()
        assert holder.wait() == 0

    return holding


def test_a_locked_table_fails_one_query_and_uses_no_more_sessions(running, database, holding):
    with holding(database, "BEGIN; LOCK TABLE busy"):
        wait_for("the query fails by its lock timeout", lambda: running.has_record(reason="lock-timeout", query="busy"))
        assert int(database.sql(SESSIONS)[0][0]) <= 4
    wait_for("it succeeds again", lambda: running.has_record(msg="A query succeeds again", query="busy"))


def test_privileges_are_those_of_the_role_and_nothing_is_written(running, database):
    wait_for("a table without privileges is reported", lambda: running.has_record(msg="A query failed", query="secret", error="42501"))
    wait_for("a statement that writes is rejected", lambda: running.has_record(msg="A query failed", query="written", error="25006"))
    assert database.sql("SELECT count(*) FROM orders", "shop") == [["2"]]
    assert running.series("secret") == {}


def test_changed_rows_and_columns_are_exposed(running, database):
    database.sql("DELETE FROM orders WHERE state = 'closed'", "shop")
    wait_for("the series of a deleted row is removed", lambda: list(running.series("orders")) == [OPEN])
    database.sql("ALTER TABLE orders RENAME COLUMN amount TO total", "shop")
    wait_for("a renamed column is reported", lambda: running.has_record(error="42703"))
    assert list(running.series("orders")) == [OPEN], "the last result is kept"
    database.sql("ALTER TABLE orders RENAME COLUMN total TO amount; INSERT INTO orders VALUES ('closed', 4.5)", "shop")
    wait_for("its series comes back", lambda: running.series("orders") == ORDERS)


def test_it_recovers_from_a_connection_limit_and_from_a_restart(running, database):
    database.sql("ALTER ROLE monitor CONNECTION LIMIT 0")
    database.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'monitor'")
    wait_for("too many connections are reported", lambda: running.has_record(error="too many connections"))
    database.sql("ALTER ROLE monitor CONNECTION LIMIT -1")
    wait_for_success(running)
    database.stop()
    database.start()
    wait_for_success(running)


@pytest.mark.needs("procps")
def test_a_hanging_database_does_not_delay_scrapes(running, database):
    server = database.process.pid
    children = [int(word) for word in execute("pgrep", "-P", server).stdout.split()]
    try:
        for pid in (server, *children):
            os.kill(pid, signal.SIGSTOP)
        # A scrape that waited for the database would never end.
        wait_for("a query is overdue", lambda: max(running.series("query_last_success_timestamp_seconds").values()) < time.time() - 2)
        assert median_seconds(lambda: running.get("/metrics")) < SCRAPE
    finally:
        for pid in (*children, server):
            os.kill(pid, signal.SIGCONT)
    wait_for_success(running)


@pytest.mark.fast
def test_sighup_applies_the_file_and_rejects_an_invalid_one(running):
    upper = 'orders{database="shop",state="OPEN"}'
    running.config.write_text(FILE.replace("state, sum", "upper(state) AS state, sum"))
    running.send_signal(signal.SIGHUP)
    wait_for("new queries run", lambda: upper in running.series("orders"))
    running.config.write_text(FILE + "wrong: 1\n")
    running.send_signal(signal.SIGHUP)
    wait_for("an invalid file is reported", lambda: running.has_record(error="`wrong`"))
    assert upper in running.series("orders")


def test_no_log_page_or_command_line_shows_the_password_and_no_session_is_left(running, database):
    shown = running.text() + pathlib.Path(f"/proc/{running.pid}/cmdline").read_text()
    shown += "".join(running.get(path).text for path in ("/", "/metrics", "/health"))
    assert PASSWORD not in shown and URL_PASSWORD not in shown
    assert running.stop() == 0
    wait_for("no session is left", lambda: database.sql(SESSIONS) == [["0"]])


def test_sigterm_cancels_queries_on_the_server_first(serve, database):
    for _ in range(4):
        program = serve(
            "databases: {shop: {dsn: !env SHOP, connection-pool: {size: 3}}}\nmetrics: {v: {type: gauge}}\nqueries:\n" + "".join(
                f"  q{i}: {{databases: [shop], metrics: [v], sql: SELECT {i} AS v FROM pg_sleep(60), interval: 100, timeout: 90}}\n"
                for i in range(3)), database.dsn())
        wait_for("three queries run", lambda: database.sql(ASLEEP) == [["3"]])
        assert program.stop() == 0
        assert database.sql(ASLEEP) == [["0"]]


def test_a_reload_keeps_results_and_needs_no_new_connection(serve, database, holding):
    database.sql("ALTER ROLE monitor CONNECTION LIMIT 1")
    # An advisory lock keeps the query `daily` running as long as the test needs.
    with holding(database, "SELECT pg_advisory_lock(7)"):
        program = serve(
            "databases: {shop: {dsn: !env SHOP, lock_timeout: 80}}\n"
            "metrics: {v: {type: gauge}, w: {type: gauge}, c: {type: counter, increment: true}}\n"
            "queries:\n"
            "  daily: {databases: [shop], metrics: [v], sql: SELECT 7 AS v FROM pg_advisory_xact_lock(7), interval: 1d, timeout: 90}\n"
            "  count: {databases: [shop], metrics: [c], sql: SELECT 1 AS c, interval: 1h}\n"
            "  begin: {databases: [shop], metrics: [w], sql: BEGIN, interval: 1h}\n",
            database.dsn(), arguments=("--log-level", "debug"))
        waiting = "SELECT count(*) FROM pg_stat_activity WHERE usename = 'monitor' AND wait_event = 'advisory'"
        wait_for("a slow query runs", lambda: database.sql(waiting) == [["1"]])
        program.send_signal(signal.SIGHUP)
        program.wait_for_record("Settings reloaded")
        assert database.sql(waiting) == [["1"]], "the reload does not end it"
    wait_for("the result is kept after a reload", lambda: program.series("v") == {'v{database="shop"}': 7})
    wait_for("the counter is kept after a reload", lambda: program.series("c_total") == {'c_total{database="shop"}': 1})
    assert [record for record in program.records("A query succeeded") if record.get("query") == "daily"][1:] == [], "the query ran once"
    assert database.sql("SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in transaction%'") == [["0"]]
    program.config.write_text(program.config.read_text().replace("lock_timeout: 80", "lock_timeout: 7"))
    for _ in range(3):
        program.send_signal(signal.SIGHUP)
    wait_for("reloads take place", lambda: len(program.records("Settings reloaded")) >= 2)
    assert program.series("v") == {'v{database="shop"}': 7}, "the result is kept although the database's settings have changed"
    assert not program.has_record(error="too many connections")
    assert program.stop() == 0


@pytest.mark.parametrize("count", [1, 40, 400])
def test_hanging_databases_do_not_affect_others(serve, shared_database, count):
    with socket.create_server(("127.0.0.1", 0), backlog=1024) as silent:
        names = [f"d{index}" for index in range(count)]
        dsn = f"postgresql://u@127.0.0.1:{silent.getsockname()[1]}/d"
        program = serve(
            "databases:\n  shop: {dsn: !env SHOP}\n" + "".join(f"  {name}: {{dsn: '{dsn}'}}\n" for name in names)
            + "metrics: {v: {type: gauge}}\nqueries:\n"
            "  good: {databases: [shop], metrics: [v], sql: SELECT 1 AS v, interval: 1}\n"
            f"  hangs: {{databases: [{', '.join(names)}], metrics: [v], sql: SELECT 1 AS v, interval: 1}}\n", shared_database.dsn())

        def succeeded():
            return program.series("queries_total").get('queries_total{database="shop",query="good",status="success"}', 0)

        wait_for("the databases hang", lambda: sum(program.series("database_connections").values()) >= count)
        before = succeeded()
        wait_for("the other query continues", lambda: succeeded() >= before + 3)
        threads = re.search(r"Threads:\s+(\d+)", pathlib.Path(f"/proc/{program.pid}/status").read_text())[1]
        assert int(threads) < 100
        assert program.stop() == 0


@pytest.mark.needs("openssl")
def test_the_exporter_supports_tls_and_access_control(programs, shared_database, certificates, tmp_path):
    certificate, key = certificates.issue("server")
    known = ssl.create_default_context(cafile=certificates.authority)
    known.load_cert_chain(*certificates.issue("client"))
    trust = ssl.create_default_context(cafile=certificates.authority)
    (tmp_path / "token").write_text("hunter23\n")
    (tmp_path / "token").chmod(0o600)
    config = tmp_path / "access.yaml"

    def write(more=""):
        config.write_text(f"server: {{host: 127.0.0.1, port: 0, tls: {{cert_file: {certificate}, key_file: {key}{more}}}, "
                          "auth: {bearer_token_file: token}}\n" + FILE)

    write()
    program = programs.serve("access", "sql", "--config", config, environment={"SHOP": shared_database.dsn()})

    def status(context=None, token=None, path="/metrics", url=program.url):
        """None without a response."""
        try:
            headers = {"Authorization": f"Bearer {token}"} if token else {}
            return send(url + path, headers=headers, context=context).status
        except OSError:
            return None

    assert status(trust, "hunter23") == 200
    assert status(trust) == status(trust, "wrong") == 401
    assert status(trust, path="/health") == 200, "health needs no token"
    assert status(url=program.url.replace("https", "http")) in (None, 400)
    write(f", client_ca_file: {certificates.authority}")
    program.send_signal(signal.SIGHUP)
    wait_for("after a reload, a client needs a certificate", lambda: status(trust, "hunter23") is None)
    assert status(known, "hunter23") == 200
    assert "hunter23" not in program.text()
    assert program.stop() == 0


@pytest.mark.needs("util-linux")
def test_an_unresponsive_name_server_delays_only_one_database(serve, shared_database, tmp_path):
    with silent_name_server(tmp_path) as found:
        if not found:
            pytest.skip("no name server or namespace can be created here")
        began = time.monotonic()
        program = serve("""
databases: {far: {dsn: "postgresql://monitor:hunter22@db.example/shop"}, shop: {dsn: !env SHOP}}
metrics: {v: {type: gauge}}
queries: {q: {databases: [far, shop], metrics: [v], sql: SELECT 1 AS v, interval: 1, timeout: 1}}
""", shared_database.dsn(), command=found[1])
        wait_for("the other database is queried", lambda: program.series("v").get('v{database="shop"}') == 1)
        wait_for("opening a session ends at its deadline", lambda: program.has_record(error="may not resolve"))
        # 10 s, plus 1 s for libpq's own timeout; the lookup itself continues for minutes.
        assert 10 < time.monotonic() - began < 30
        shown = program.series(r"database_\w+")
        assert shown['database_up{database="far"}'] == 0
        assert shown['database_connections{database="far"}'] == 1, "the running lookup keeps its slot"
        assert program.stop() == 0


def test_a_server_without_a_free_slot_is_reported(serve, programs):
    database = programs.postgres("max_connections=4", "superuser_reserved_connections=0", "max_wal_senders=0")
    holders = []

    def is_full():
        # The probe briefly uses a slot, so one of the holders may have failed to get one.
        holders[:] = [holder for holder in holders if holder.is_running]
        holders.extend(programs.start("holder", [*psql(database), "-c", "SELECT pg_sleep(600)"]) for _ in range(4 - len(holders)))
        return "too many clients" in execute(*psql(database), "-c", "SELECT 1").stderr

    wait_for("all slots are taken", is_full)
    program = serve(ONE, database.dsn())
    wait_for("max_connections is reported", lambda: program.has_record(error="too many clients already", reason="refused"))
    for holder in holders:
        holder.kill()
    database.stop()
    database.start()
    wait_for("it recovers", lambda: program.series("v") == {'v{database="shop"}': 1})
    assert program.stop() == 0
