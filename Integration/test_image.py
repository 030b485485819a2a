# SPDX-License-Identifier: MIT
"""The images of the Dockerfile, built by buildah on a Debian system that debootstrap creates, and run as their user
with a read-only root. Uses neither a Docker engine nor a registry.

The binary is that of WP_BINARY, and the build stage must copy a complete package. With WP_WHOLE_IMAGE=1 every stage is
built, as by `docker build`, but the Swift image is a Debian system with the toolchain of this machine."""

import contextlib
import json
import os
import pathlib
import shutil

import pytest

from support.packages import machine_lock
from support.programs import ROOT, execute
from support.waiting import wait_for
from support.web import get

USER = "65532"
BASE = "docker.io/library/debian:bookworm-slim"
STORAGE = ROOT / ".build-debian" / "storage"
DOCKERFILE = (ROOT / "Dockerfile").read_text()
# Mounts the image read-only with a data directory, and runs a command in it as its user.
INSIDE = """
root=$1 data=$2; shift 2
mount --bind "$root" "$root" && mount -o remount,bind,ro "$root" && mount --bind "$data" "$root/app/data" &&
mount -t proc proc "$root/proc" && mount --rbind /dev "$root/dev" &&
exec chroot --userspec=65532:65532 "$root" /bin/sh -c 'cd /app && exec "$@"' sh "$@"
"""

pytestmark = [
    pytest.mark.xdist_group("debian"),
    pytest.mark.needs("buildah", "debootstrap", "util-linux"),
    pytest.mark.skipif(os.geteuid() != 0, reason="needs root"),
]


def buildah(*arguments, timeout=300):
    done = execute("buildah", "--root", STORAGE, "--runroot", STORAGE / "run", "--storage-driver", "vfs", *arguments,
                   timeout=timeout, cwd=ROOT, environment={"BUILDAH_ISOLATION": "chroot"}, check=True)
    return done.stdout.strip()


@contextlib.contextmanager
def container(image):
    """The root of a container of an image."""
    name = buildah("from", "--pull=never", image)
    try:
        yield pathlib.Path(buildah("mount", name))
    finally:
        buildah("rm", name)


@pytest.fixture(scope="session")
def base():
    """The base image of the runtime stages, cached for the next run."""
    with machine_lock("debian-root"):
        root = execute(ROOT / "Integration/support/debian-root", timeout=900, check=True).stdout.strip()
        if BASE not in buildah("images", "--format", "{{.Name}}:{{.Tag}}").split():
            made = buildah("from", "scratch")
            buildah("add", "-q", made, root, "/")
            buildah("commit", "-q", "--disable-compression", made, BASE)
            buildah("rm", made)
    return BASE


@pytest.fixture(scope="session")
def built(base, binary, tmp_path_factory):
    """Builds the runtime stage of a target with the binary; returns the image name."""
    context, images = tmp_path_factory.mktemp("built"), {}
    (context / "out/usr/local/bin").mkdir(parents=True)
    shutil.copy(binary, context / "out/usr/local/bin/wpexporter")

    def build(target):
        if target not in images:
            images[target] = f"localhost/wpexporter-{target}:latest"
            buildah("build", "--pull=never", "--format", "docker", "--disable-compression", "--build-context", f"build={context}",
                    "--build-arg", "WP_REVISION=0123456789ab", "--target", target, "-t", images[target], ".")
        return images[target]

    return build


def configuration(image):
    return json.loads(buildah("inspect", "--type", "image", image))["Docker"]["config"]


def own(directory):
    """A directory owned by the image's user."""
    directory.mkdir()
    os.chown(directory, int(USER), int(USER))
    return directory


@pytest.fixture
def in_image(built, tmp_path):
    """Yields the command prefix that runs a program in an image of a target, with a data directory."""
    tmp_path.chmod(0o755)
    with contextlib.ExitStack() as stack:

        def enter(target, data):
            root = stack.enter_context(container(built(target)))
            (root / "app/data").mkdir(exist_ok=True)
            return ["unshare", "--mount", "sh", "-c", INSIDE, "sh", root, data]

        yield enter


def test_the_build_stage_contains_everything_in_the_manifest(tmp_path):
    allowed = (ROOT / ".dockerignore").read_text().splitlines()
    for line in DOCKERFILE.splitlines():
        if line.startswith("COPY ") and "--from" not in line:
            *sources, target = line.split()[1:]
            for source in sources:
                assert f"!{source}" in allowed, f".dockerignore excludes {source}"
                into = tmp_path / "copied" / target / (pathlib.Path(source).name if target.endswith("/") else "")
                into.parent.mkdir(parents=True, exist_ok=True)
                if (ROOT / source).is_dir():
                    shutil.copytree(ROOT / source, into, ignore=shutil.ignore_patterns(".build*"))
                else:
                    shutil.copy(ROOT / source, into)
    execute("swift", "package", "--package-path", tmp_path / "copied", "--scratch-path", tmp_path / "scratch", "describe", "--type",
            "json", timeout=300, check=True)


def assert_exporter_configuration(image):
    found = configuration(image)
    assert found["User"] == f"{USER}:{USER}"
    assert found["WorkingDir"] == "/app" and list(found["Volumes"]) == ["/app/data"]
    assert list(found["ExposedPorts"]) == ["9090/tcp"]
    assert found["Healthcheck"]["Test"] == ["CMD", "wpexporter", "healthcheck"]
    assert found["Entrypoint"] == ["wpexporter"] and found["Cmd"] == ["server"]
    assert found["Labels"]["org.opencontainers.image.revision"] == "0123456789ab"


def test_the_image_of_the_exporter_has_its_configuration(built):
    assert_exporter_configuration(built("exporter"))


@pytest.mark.parametrize("target, port", [("sql", 8000), ("node", 9100), ("hub", 8082)])
def test_the_image_of_another_program_has_its_configuration(built, target, port):
    found = configuration(built(target))
    assert found["User"] == f"{USER}:{USER}" and list(found["ExposedPorts"]) == [f"{port}/tcp"] and found["Cmd"][0] == target
    assert found["Healthcheck"]["Test"] == ["CMD", "wpexporter", "healthcheck", "--url", f"http://127.0.0.1:{port}/health"]


def test_the_exporter_runs_as_the_image_user_in_a_read_only_root(in_image, simulator, programs, tmp_path):
    data, port = own(tmp_path / "data"), programs.port()
    command = in_image("exporter", data)
    environment = {
        "WINPOWER_EXPORTER_WINPOWER_BASE_URL": simulator("--devices", 3).url, "WINPOWER_EXPORTER_WINPOWER_USERNAME": "admin",
        "WINPOWER_EXPORTER_WINPOWER_PASSWORD": "simulator", "WINPOWER_EXPORTER_PORT": str(port), "HOME": "/app",
    }

    def inside(*arguments):
        return execute(*command, *arguments, environment=environment)

    assert inside("id", "-u").stdout.strip() == USER
    assert "Read-only file system" in inside("touch", "/app/x").stderr
    assert inside("wpexporter", "version").stdout.startswith("wpexporter ")
    assert inside("wpexporter", "healthcheck").returncode == 1, "no exporter runs yet"
    server = programs.start("image", [*command, "wpexporter", "server"], environment)
    server.wait_for("it serves the devices",
                    lambda: "winpower_device_connected{" in get(f"http://127.0.0.1:{port}/metrics").text)
    assert inside("wpexporter", "healthcheck").returncode == 0
    wait_for("energy is saved", lambda: any(data.iterdir()))
    assert {entry.stat().st_uid for entry in data.iterdir()} == {int(USER)}
    assert server.stop() == 0


@pytest.mark.parametrize("target, arguments", [
    ("exporter", ["server"]), ("hub", ["hub", "--port", "0", "--data-dir", "/app/data"])])
def test_a_data_directory_owned_by_root_is_an_error_with_advice(in_image, tmp_path, target, arguments):
    (tmp_path / "foreign").mkdir()
    done = execute(*in_image(target, tmp_path / "foreign"), "wpexporter", *arguments, environment={
        "WINPOWER_EXPORTER_WINPOWER_BASE_URL": "http://127.0.0.1:1", "WINPOWER_EXPORTER_WINPOWER_USERNAME": "admin",
        "WINPOWER_EXPORTER_WINPOWER_PASSWORD": "simulator", "HOME": "/app"})
    assert done.returncode == 1 and f"chown -R {USER}" in done.stderr


@pytest.mark.parametrize("target, arguments, expected", [
    # The command loads libpq; nothing listens on port 1.
    ("sql", ["sql", "--config", "data/queries.yaml", "--check"], "skip  q on db: "),
    ("node", ["node", "--once"], ""),
    ("hub", ["hub", "--data-dir", "/app/data", "--config.print"], "The settings are valid"),
], ids=["sql", "node", "hub"])
def test_another_program_runs_in_its_image(in_image, tmp_path, target, arguments, expected):
    data = own(tmp_path / "data")
    (data / "queries.yaml").write_text(
        "databases: {db: {dsn: 'postgresql://monitor@127.0.0.1:1/shop'}}\nmetrics: {v: {type: gauge}}\n"
        "queries: {q: {databases: [db], metrics: [v], sql: SELECT 1 AS v, interval: 60}}\n")
    done = execute(*in_image(target, data), "wpexporter", *arguments, environment={"HOME": "/app"})
    assert done.returncode == 0 and expected in done.stdout, done.stderr


@pytest.fixture(scope="session")
def toolchain(base):
    """Creates an image with the name of the Dockerfile's Swift image; returns the mount of the toolchain that it
    lacks."""
    name = next(line.split("=")[1] for line in DOCKERFILE.splitlines() if line.startswith("ARG SWIFT_IMAGE="))
    path = pathlib.Path(shutil.which("swift")).resolve().parents[2]
    assert path != pathlib.Path("/"), "this needs a toolchain in its own directory, such as /opt/swift"
    if f"docker.io/library/{name}" not in buildah("images", "--format", "{{.Name}}:{{.Tag}}").split():
        made = buildah("from", "--pull=never", base)
        buildah("run", made, "sh", "-c", "apt-get update && apt-get install -y --no-install-recommends binutils libc6-dev libcurl4 "
                "libedit2 libgcc-12-dev libncurses6 libpython3.11 libstdc++-12-dev libxml2 libz3-4 tzdata", timeout=900)
        buildah("config", "--env", f"PATH={path}/usr/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", made)
        buildah("commit", "-q", "--disable-compression", made, f"docker.io/library/{name}")
        buildah("rm", made)
    return f"{path}:{path}:ro"


@pytest.mark.skipif(not os.environ.get("WP_WHOLE_IMAGE"), reason="set WP_WHOLE_IMAGE=1 to compile in the images")
@pytest.mark.parametrize("target", ["exporter", "gateway-simulator"])
def test_every_stage_of_an_image_builds_and_runs(toolchain, programs, tmp_path, target):
    image = f"localhost/wpexporter-whole-{target}:latest"
    buildah("build", "--pull=never", "--format", "docker", "--disable-compression", "--layers", "--volume", toolchain, "--build-arg",
            "WP_REVISION=0123456789ab", "--target", target, "-t", image, ".", timeout=1800)
    data, port, place = own(tmp_path / "data"), programs.port(), "app/data" if target == "exporter" else "mnt"
    with container(image) as root:
        command = ["unshare", "--mount", "sh", "-c", INSIDE.replace("$root/app/data", f"$root/{place}"), "sh", root, data]
        if target == "exporter":
            assert_exporter_configuration(image)
            assert execute(*command, "wpexporter", "version").stdout.startswith("wpexporter ")
        else:
            server = programs.start("gateway", [*command, "gateway-simulator", port], {"HOME": "/app"})
            server.wait_for("it serves its metrics", lambda: "gateway_" in get(f"http://127.0.0.1:{port}/metrics").text)
            assert server.stop() == 0
