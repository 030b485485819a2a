# SPDX-License-Identifier: MIT
"""Compares the families of WPHost with those of Debian's prometheus-node-exporter, on this machine and on the trees of
Tests/Fixtures/Host: both read the same files, and every common family must have the same type, labels and values.
EXPECTED lists the permitted differences with their reasons."""

import re

import pytest

from support.programs import execute
from support.web import get

pytestmark = pytest.mark.needs("prometheus-node-exporter")

COLLECTORS = [
    "cpu", "cpufreq", "stat", "loadavg", "meminfo", "filesystem", "diskstats", "netdev", "netclass", "hwmon",
    "thermal_zone", "pressure", "vmstat", "filefd", "uname", "os", "time", "conntrack", "entropy", "timex", "mdadm",
    "bonding", "netstat", "sockstat", "softnet", "udp_queues", "arp", "schedstat", "edac", "dmi", "nvme",
    "powersupplyclass", "rapl", "selinux", "textfile", "bcache", "btrfs", "fibrechannel", "infiniband", "ipvs",
    "nfs", "nfsd", "tapestats", "xfs", "zfs",
]

# Both programs get the same expressions, so that their defaults do not matter.
FILTERS = {
    "--collector.filesystem.mount-points-exclude":
        "^/(dev|proc|run/credentials/.+|sys|var/lib/docker/.+|var/lib/containers/storage/.+)($|/)",
    "--collector.filesystem.fs-types-exclude":
        "^(autofs|binfmt_misc|bpf|cgroup2?|configfs|debugfs|devpts|devtmpfs|fusectl|hugetlbfs|iso9660|mqueue|nsfs|"
        "overlay|proc|procfs|pstore|rpc_pipefs|securityfs|selinuxfs|squashfs|erofs|sysfs|tracefs)$",
    "--collector.netstat.fields":
        "^(.*_(InErrors|InErrs)|Ip_Forwarding|Ip(6|Ext)_(InOctets|OutOctets)|Icmp6?_(InMsgs|OutMsgs)|"
        "TcpExt_(Listen.*|Syncookies.*|TCPSynRetrans|TCPTimeouts|TCPOFOQueue|TCPRcvQDrop)|"
        "Tcp_(ActiveOpens|InSegs|OutSegs|OutRsts|PassiveOpens|RetransSegs|CurrEstab)|"
        "Udp6?_(InDatagrams|OutDatagrams|NoPorts|RcvbufErrors|SndbufErrors))$",
    "--collector.diskstats.device-exclude": r"^(z?ram|loop|fd|(h|s|v|xv)d[a-z]|nvme\d+n\d+p)\d+$",
}

# (reason, location, pattern of the difference): expected differences. "Newer" means that node_exporter itself changed
# after the version in Debian 12.
EXPECTED = [
    ("each program reports its own collectors", "server old live",
     r'collector_success\{collector="(addresses|cgroup|cpu_state|cpu_vulnerabilities|cpuinfo|dmmultipath|kernel_hung|processes|watchdog)"\}'),
    ("newer: chips with conflicting names get the driver's name; before, all but one were lost", "server",
     r'node_hwmon_.*chip="pci0000:00_0000:00:1f_3(_|")'),
    ("newer: the serial number printed on a disk's label", "server", r'node_disk_info\{device="sda"'),
    ("newer: clock rates of hwmon", "server", r'^family only ours: node_hwmon_freq_freq_mhz$|^only ours: node_hwmon_sensor_label\{.*sensor="freq1"'),
    ("newer: the state of processors, and hung tasks", "server old live",
     r"^family only ours: node_(cpu_scaling_governor|cpu_vulnerabilities_info|kernel_hung_tasks_total|network_receive_nohandler_total)$"),
    ("newer: whether a disk rotates", "server live", r"node_disk_info\{"),
    ("newer: watchdog timers", "server", r"^family only ours: node_watchdog_"),
    ("newer: columns of softnet_stat", "server old live",
     r"^family only ours: node_softnet_(cpu_collision|received_rps|flow_limit|backlog)"),
    ("newer: disks of an array by sysfs", "server", r"^family only ours: node_md_(raid_disks|degraded)$"),
    ("a backslash in a mount point is unescaped, so the file system is found", "server",
     r'node_filesystem_.*mountpoint="/srv/back'),
    ("newer: the read-only flag of a file system that does not answer", "server",
     r'^only ours: node_filesystem_readonly\{device="/dev/sdz"'),
    ("counters missing in an old kernel are absent, not 0", "old",
     r"node_cpu_guest_seconds_total|mode=\"(iowait|irq|softirq|steal)\"|node_procs_(blocked|running)"),
]

# Families that only node_exporter has: WPHost does not expose them.
THEIRS_ONLY = re.compile(r"^(node_exporter_build_info|node_cpu_scaling_governor|node_disk_device_mapper_info"
                         r"|node_disk_filesystem_info|node_network_receive_nohandler_total|node_filesystem_mount_info|promhttp_.*)$")
# Statistics of the collecting program itself.
SKIPPED = re.compile(r"^node_scrape_collector_duration_seconds$")

SAMPLE = re.compile(r'^([a-zA-Z_:][\w:]*)(\{(.*)\})? (\S+)$')
LABEL = re.compile(r'([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)",?')


def parse(text):
    """{family: type}, {(family, labels): value}"""
    types, samples = {}, {}
    for line in text.splitlines():
        if line.startswith("# TYPE "):
            _, _, name, kind = line.split(" ")
            types[name] = kind
        elif line and not line.startswith("#"):
            name, _, labels, value = SAMPLE.match(line).groups()
            # Prometheus treats an empty label like an absent one.
            pairs = tuple(sorted(pair for pair in LABEL.findall(labels or "") if pair[1] != ""))
            samples[(name, pairs)] = float(value)
    return types, samples


def without_label(samples, family, label):
    return {
        (name, tuple(pair for pair in labels if name != family or pair[0] != label)): value
        for (name, labels), value in samples.items()
    }


def arguments(options):
    return [word for option in {**FILTERS, **options}.items() for word in option]


@pytest.fixture
def theirs(programs):
    """The output of node_exporter with some options."""

    def read(options):
        port = programs.port()
        exporter = programs.start("node_exporter", [
            "prometheus-node-exporter", f"--web.listen-address=127.0.0.1:{port}", "--collector.disable-defaults",
            "--web.disable-exporter-metrics", "--collector.netclass.ignore-invalid-speed", "--no-collector.netdev.netlink",
            "--collector.netdev.device-exclude=", "--log.level=error", *(f"--collector.{name}" for name in COLLECTORS),
            *(f"{flag}={value}" for flag, value in {**FILTERS, **options}.items())])
        return exporter.wait_for("node_exporter answers", lambda: get(f"http://127.0.0.1:{port}/metrics").text)

    return read


@pytest.fixture(scope="session")
def probe(swift_product):
    return swift_product("wp-host-probe")


def close(one, other):
    return one == other or abs(one - other) <= 1e-9 * max(abs(one), abs(other))


def series(key):
    name, labels = key
    return name + ("{" + ",".join(f'{label}="{value}"' for label, value in labels) + "}" if labels else "")


def expected(where, text):
    for reason, places, pattern in EXPECTED:
        if where in places.split() and re.search(pattern, text):
            return reason
    return None


def between(before, value, after, kind):
    """Whether a value of the live machine lies between two measurements."""
    if before is None or after is None:
        return True
    if kind == "counter" or kind == "untyped":
        return min(before, after) - 1e-6 <= value <= max(before, after) + 1e-6
    return None


def near(name, one, other):
    """Gauges of a live machine that change even between two of our measurements."""
    if re.match(r"node_(sockstat|udp_queues|netstat_Tcp_CurrEstab)", name):
        return abs(one - other) <= max(0.5 * max(abs(one), abs(other)), 64)
    if re.match(r"node_(memory|filesystem|load|procs|filefd|time|disk_io_now|entropy|nf_conntrack|cpu_scaling)", name):
        return abs(one - other) <= max(0.1 * max(abs(one), abs(other)), 128 << 20)
    return False


def differences(where, our_text, their_text, later_text):
    """Unexpected differences, and the number of compared series. With a second exposition of ours, counters may lie
    between the two, and gauges of a live machine may have changed."""
    (our_types, our_samples), (their_types, their_samples), (_, later) = map(parse, (our_text, their_text, later_text))
    if "adminstate=" not in their_text:
        # The label adminstate is newer.
        our_samples = without_label(our_samples, "node_network_info", "adminstate")
    found, compared = [], 0
    found += [f"family only theirs: {name}" for name in set(their_types) - set(our_types) if not THEIRS_ONLY.match(name)]
    found += [f"family only ours: {name}" for name in set(our_types) - set(their_types)]
    for name in set(our_types) & set(their_types):
        if SKIPPED.match(name):
            continue
        kind = our_types[name]
        if kind != their_types[name]:
            found.append(f"type of {name}: ours {kind}, theirs {their_types[name]}")
        our_keys, their_keys = ({key for key in samples if key[0] == name} for samples in (our_samples, their_samples))
        found += [f"only theirs: {series(key)} {their_samples[key]}" for key in their_keys - our_keys]
        found += [f"only ours: {series(key)} {our_samples[key]}" for key in our_keys - their_keys]
        for key in our_keys & their_keys:
            one, other, last = our_samples[key], their_samples[key], later.get(key)
            compared += 1
            if not (
                close(one, other) or between(one, other, last, kind)
                or (kind == "gauge" and last is not None and not close(one, last))
                or (kind != "counter" and near(name, one, other))
            ):
                found.append(f"value of {series(key)}: ours {one!r}, theirs {other!r}")
    return sorted(text for text in found if not expected(where, text)), compared


@pytest.mark.parametrize("fixture", ["server", "old"])
def test_a_synthetic_machine_matches_node_exporter(probe, theirs, tmp_path, fixture):
    tree = tmp_path / "tree"
    execute(probe, "--write", fixture, tree, check=True)
    options = {"--path.procfs": f"{tree}/proc", "--path.sysfs": f"{tree}/sys", "--path.rootfs": f"{tree}/root",
               "--collector.textfile.directory": f"{tree}/root/var/lib/texts"}
    their_text = theirs({**options, "--path.udev.data": f"{tree}/root/run/udev/data"})
    text = execute(probe, *arguments(options), check=True).stdout
    found, compared = differences(fixture, text, their_text, text)
    assert found == [] and compared > 100


def test_this_machine_matches_node_exporter(probe, theirs, tmp_path):
    execute(probe, "--write", "server", tmp_path / "tree", check=True)
    options = {"--collector.textfile.directory": f"{tmp_path}/tree/root/var/lib/texts"}

    def ours():
        return execute(probe, *arguments(options), check=True).stdout

    before = ours()
    found, compared = differences("live", before, theirs(options), ours())
    assert found == [] and compared > 100
