#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Starts and stops the monitoring stack:
#   ./start-monitoring.sh [--native] start|stop|restart|status
#   ./start-monitoring.sh [--native] logs [SERVICE]
#   ./start-monitoring.sh runbooks URL
# Docker runs docker-compose.monitoring.yml. --native runs the same configuration with Debian's packages, without Docker,
# Grafana and cAdvisor: prometheus, prometheus-alertmanager and prometheus-node-exporter, and if installed,
# prometheus-redis-exporter and prometheus-pushgateway. Settings come from .env; those of --native are listed below.
# `runbooks` writes the base URL of your runbooks, such as https://wiki.example.com/runbooks, into all rules and their tests.
set -euo pipefail
cd "$(dirname "$0")"

setting() { # NAME DEFAULT: the value from the environment, or else from .env
    local value=${!1-}
    [ -n "$value" ] || { [ ! -f .env ] || value=$(sed -n "s/^$1=//p" .env | tail -n 1); }
    printf '%s' "${value:-$2}"
}
PROMETHEUS_PORT=$(setting PROMETHEUS_PORT 9090)
ALERTMANAGER_PORT=$(setting ALERTMANAGER_PORT 9093)
NODE_EXPORTER_PORT=$(setting NODE_EXPORTER_PORT 9100)
REDIS_EXPORTER_PORT=$(setting REDIS_EXPORTER_PORT 9121)
WINPOWER_EXPORTER_PORT=$(setting WINPOWER_EXPORTER_PORT 9877)
GRAFANA_PORT=$(setting GRAFANA_PORT 3000)
CADVISOR_PORT=$(setting CADVISOR_PORT 8080)
KAFKA_EXPORTER_PORT=$(setting KAFKA_EXPORTER_PORT 9308)
GATEWAY_PORT=$(setting GATEWAY_PORT 9464)
COMPOSE_PROFILES=$(setting COMPOSE_PROFILES '')
MONITORING_BIND=$(setting MONITORING_BIND 127.0.0.1)
# For --native: the directory of data, logs and PID files; the Pushgateway's port; the address of Redis; targets of more
# exporters as JOB=HOST:PORT,HOST:PORT; and for tests, another scrape interval and other addresses for notifications.
MONITORING_HOME=$(setting MONITORING_HOME "$PWD/.native")
PUSHGATEWAY_PORT=$(setting PUSHGATEWAY_PORT 9091)
REDIS_ADDR=$(setting REDIS_ADDR redis://127.0.0.1:6379)
NATIVE_TARGETS=$(setting NATIVE_TARGETS '')
NATIVE_INTERVAL=$(setting NATIVE_INTERVAL '')
NATIVE_WEBHOOK=$(setting NATIVE_WEBHOOK '')
NATIVE_SMTP=$(setting NATIVE_SMTP '')
WAIT=120 # seconds until everything must be healthy

fail() {
    echo "$*" >&2
    exit 1
}

usage() {
    sed -n '3,6s/^# \{0,1\}//p' "$0" >&2
    exit 2
}

port_is_free() {
    ! (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null
}

check_ports() { # NAME=PORT ...
    local pair taken=()
    for pair in "$@"; do
        port_is_free "${pair#*=}" || taken+=("${pair#*=} (${pair%%=*})")
    done
    [ ${#taken[@]} -eq 0 ] ||
        fail "In use on this machine: ${taken[*]}. Stop the programs that listen there, or set other ports in monitoring/.env." \
            "Debian's packages start their own services: systemctl disable --now prometheus prometheus-node-exporter" \
            "prometheus-alertmanager prometheus-redis-exporter prometheus-pushgateway"
}

table() { # NAME|ADDRESS|NOTE ...
    local row
    printf '\n%-18s %-32s %s\n' Service Address Note
    for row in "$@"; do
        IFS='|' read -r name address note <<<"$row"
        printf '%-18s %-32s %s\n' "$name" "$address" "$note"
    done
}

# Docker

compose() {
    if docker compose version >/dev/null 2>&1; then
        docker compose -f docker-compose.monitoring.yml "$@"
    else
        docker-compose -f docker-compose.monitoring.yml "$@"
    fi
}

docker_check() {
    command -v docker >/dev/null || fail "Docker is not installed: https://docs.docker.com/engine/install, or use --native."
    docker info >/dev/null 2>&1 || fail "Docker does not respond: start its service, or add your account to the docker group."
    [ -f .env ] || fail "monitoring/.env is missing: cp .env.example .env, and choose the components to run (COMPOSE_PROFILES)."
    export COMPOSE_PROFILES
}

docker_settings() {
    case ",$COMPOSE_PROFILES," in
    *,winpower,*)
        if [ -z "$(setting WINPOWER_BASE_URL '')" ] || [ -z "$(setting WINPOWER_PASSWORD '')" ]; then
            fail "The winpower profile needs WINPOWER_BASE_URL and WINPOWER_PASSWORD in monitoring/.env."
        fi
        ;;
    esac
    case "$MONITORING_BIND" in
    127.* | '[::1]' | localhost) ;;
    *)
        [ "$(setting GRAFANA_PASSWORD admin123)" != admin123 ] ||
            fail "MONITORING_BIND=$MONITORING_BIND publishes Grafana with its default password: set GRAFANA_PASSWORD in monitoring/.env."
        ;;
    esac
}

docker_start() {
    docker_check
    docker_settings
    if [ -z "$(compose ps -q 2>/dev/null)" ]; then
        local ports=(prometheus="$PROMETHEUS_PORT" grafana="$GRAFANA_PORT" alertmanager="$ALERTMANAGER_PORT"
            node-exporter="$NODE_EXPORTER_PORT" cadvisor="$CADVISOR_PORT")
        case ",$COMPOSE_PROFILES," in *,winpower,*) ports+=(winpower-exporter="$WINPOWER_EXPORTER_PORT") ;; esac
        case ",$COMPOSE_PROFILES," in *,redis,*) ports+=(redis-exporter="$REDIS_EXPORTER_PORT") ;; esac
        case ",$COMPOSE_PROFILES," in *,kafka,*) ports+=(kafka-exporter="$KAFKA_EXPORTER_PORT") ;; esac
        case ",$COMPOSE_PROFILES," in *,gateway,*) ports+=(gateway="$GATEWAY_PORT") ;; esac
        check_ports "${ports[@]}"
    fi
    compose up -d
    docker_wait
    docker_table
}

docker_wait() {
    local deadline=$((SECONDS + WAIT)) waiting id
    echo "Waiting until every service is healthy; a first start takes 1 to 2 minutes."
    while :; do
        waiting=
        for id in $(compose ps -q); do
            # A service without a health check is healthy when it runs.
            case "$(docker inspect -f '{{if .State.Health}}{{.State.Health.Status}}{{else}}{{.State.Status}}{{end}}' "$id")" in
            healthy | running) ;;
            *) waiting="$waiting $(docker inspect -f '{{.Name}}' "$id")" ;;
            esac
        done
        [ -n "$waiting" ] || break
        [ $SECONDS -lt $deadline ] || fail "Not healthy after $WAIT s:$waiting. See: $0 logs"
        sleep 2
    done
}

docker_table() {
    table "Grafana|http://localhost:$GRAFANA_PORT|user and password: .env (admin/admin123 until you change it)" \
        "Prometheus|http://localhost:$PROMETHEUS_PORT|" "Alertmanager|http://localhost:$ALERTMANAGER_PORT|" \
        "Node exporter|http://$(setting NODE_EXPORTER_ADDRESS 172.17.0.1):$NODE_EXPORTER_PORT|" \
        "cAdvisor|http://localhost:$CADVISOR_PORT|"
    case ",$COMPOSE_PROFILES," in
    *,winpower,*) printf '%-18s %s\n' "WinPower exporter" "http://localhost:$WINPOWER_EXPORTER_PORT/metrics" ;;
    esac
}

# Native

# Redis exporter and Pushgateway run where their packages are installed.
NATIVE_SERVICES=(alertmanager prometheus node-exporter)
for optional in redis-exporter pushgateway; do
    ! command -v "prometheus-$optional" >/dev/null || NATIVE_SERVICES+=("$optional")
done
native_has() {
    case " ${NATIVE_SERVICES[*]} " in *" $1 "*) ;; *) return 1 ;; esac
}

native_port() {
    case $1 in
    prometheus) echo "$PROMETHEUS_PORT" ;;
    alertmanager) echo "$ALERTMANAGER_PORT" ;;
    node-exporter) echo "$NODE_EXPORTER_PORT" ;;
    redis-exporter) echo "$REDIS_EXPORTER_PORT" ;;
    pushgateway) echo "$PUSHGATEWAY_PORT" ;;
    esac
}

native_pid() { # the process of a service, if it is still ours
    local pid
    pid=$(cat "$MONITORING_HOME/$1.pid" 2>/dev/null) || return 1
    case "$(tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null)" in
    *"127.0.0.1:$(native_port "$1")"*) echo "$pid" ;;
    *) return 1 ;;
    esac
}

native_targets() { # FILE ADDRESS,ADDRESS
    printf -- '- targets: [%s]\n  labels: {site: main}\n' "$2" >"$MONITORING_HOME/etc/targets/$1.yml"
}

native_configure() {
    local pair etc=$MONITORING_HOME/etc
    rm -rf "$etc"
    mkdir -p "$etc/targets" "$MONITORING_HOME/log"
    cp -R prometheus/prometheus.yml prometheus/rules alertmanager/alertmanager.yml "$etc/"
    native_targets prometheus "127.0.0.1:$PROMETHEUS_PORT"
    native_targets alertmanager "127.0.0.1:$ALERTMANAGER_PORT"
    native_targets node "127.0.0.1:$NODE_EXPORTER_PORT"
    ! native_has pushgateway || native_targets pushgateway "127.0.0.1:$PUSHGATEWAY_PORT"
    ! native_has redis-exporter || native_targets redis "127.0.0.1:$REDIS_EXPORTER_PORT"
    native_targets winpower "127.0.0.1:$WINPOWER_EXPORTER_PORT"
    for pair in $NATIVE_TARGETS; do native_targets "${pair%%=*}" "${pair#*=}"; done
    if [ -n "$NATIVE_INTERVAL" ]; then
        sed -i -E "s/^( *(scrape_interval|evaluation_interval|scrape_timeout|interval): ).*/\1$NATIVE_INTERVAL/" \
            "$etc/prometheus.yml" "$etc"/rules/*.yml
        sed -i -E "s/^( *(group_wait|group_interval): ).*/\1$NATIVE_INTERVAL/" "$etc/alertmanager.yml"
    fi
    [ -z "$NATIVE_WEBHOOK" ] || sed -i "s|url: http://alerts.example.com/notify|url: $NATIVE_WEBHOOK|" "$etc/alertmanager.yml"
    [ -z "$NATIVE_SMTP" ] || sed -i "s|smtp_smarthost: .*|smtp_smarthost: $NATIVE_SMTP\n  smtp_require_tls: false|" "$etc/alertmanager.yml"
}

native_run() { # SERVICE COMMAND ...
    local name=$1
    shift
    nohup "$@" </dev/null >>"$MONITORING_HOME/log/$name.log" 2>&1 &
    echo $! >"$MONITORING_HOME/$name.pid"
}

native_start() {
    local name program ports=() deadline pid
    for program in prometheus prometheus-alertmanager prometheus-node-exporter; do
        command -v "$program" >/dev/null || fail "$program is not installed: apt install $program"
    done
    for name in "${NATIVE_SERVICES[@]}"; do
        if native_pid "$name" >/dev/null; then fail "$name is already running; stop it first: $0 --native stop"; fi
        ports+=("$name=$(native_port "$name")")
    done
    check_ports "${ports[@]}"
    native_configure
    native_run alertmanager prometheus-alertmanager --config.file="$MONITORING_HOME/etc/alertmanager.yml" \
        --storage.path="$MONITORING_HOME/alertmanager" --web.listen-address="127.0.0.1:$ALERTMANAGER_PORT" \
        --cluster.listen-address=
    native_run prometheus prometheus --config.file="$MONITORING_HOME/etc/prometheus.yml" \
        --storage.tsdb.path="$MONITORING_HOME/prometheus" --storage.tsdb.retention.time="$(setting PROMETHEUS_RETENTION 90d)" \
        --web.listen-address="127.0.0.1:$PROMETHEUS_PORT"
    native_run node-exporter prometheus-node-exporter --web.listen-address="127.0.0.1:$NODE_EXPORTER_PORT"
    ! native_has redis-exporter || native_run redis-exporter prometheus-redis-exporter -redis.addr="$REDIS_ADDR" \
        -web.listen-address="127.0.0.1:$REDIS_EXPORTER_PORT"
    ! native_has pushgateway ||
        native_run pushgateway prometheus-pushgateway --web.listen-address="127.0.0.1:$PUSHGATEWAY_PORT"
    deadline=$((SECONDS + WAIT))
    for name in "${NATIVE_SERVICES[@]}"; do
        until native_healthy "$name"; do
            pid=$(cat "$MONITORING_HOME/$name.pid")
            kill -0 "$pid" 2>/dev/null || { tail -n 5 "$MONITORING_HOME/log/$name.log" >&2; native_stop; fail "$name ended."; }
            [ $SECONDS -lt $deadline ] || fail "$name is not healthy after $WAIT s. See: $0 --native logs $name"
            sleep 0.2
        done
    done
    table "Prometheus|http://localhost:$PROMETHEUS_PORT|" "Alertmanager|http://localhost:$ALERTMANAGER_PORT|" \
        "Node exporter|http://localhost:$NODE_EXPORTER_PORT|" \
        "WinPower exporter|http://localhost:$WINPOWER_EXPORTER_PORT/metrics|runs on its own; this is where it is scraped"
}

native_healthy() {
    local path=/-/ready status
    case $1 in node-exporter | redis-exporter) path=/ ;; esac
    # A service is healthy when it answers 200; this needs no curl.
    status=$( (exec 3<>"/dev/tcp/127.0.0.1/$(native_port "$1")" && printf 'GET %s HTTP/1.0\r\n\r\n' "$path" >&3 &&
        head -n 1 <&3) 2>/dev/null) || return 1
    case $status in *" 200 "*) ;; *) return 1 ;; esac
}

native_stop() {
    local name pid deadline=$((SECONDS + 30))
    for name in "${NATIVE_SERVICES[@]}"; do
        if pid=$(native_pid "$name"); then kill "$pid"; fi
    done
    for name in "${NATIVE_SERVICES[@]}"; do
        while pid=$(native_pid "$name"); do
            [ $SECONDS -lt $deadline ] || kill -KILL "$pid"
            sleep 0.1
        done
        rm -f "$MONITORING_HOME/$name.pid"
    done
}

native_status() {
    local name all=0
    for name in "${NATIVE_SERVICES[@]}"; do
        if ! native_pid "$name" >/dev/null; then
            printf '%-18s stopped\n' "$name"
            all=1
        elif native_healthy "$name"; then
            printf '%-18s healthy on port %s\n' "$name" "$(native_port "$name")"
        else
            printf '%-18s not healthy\n' "$name"
            all=1
        fi
    done
    return $all
}

native_logs() {
    local files=("$MONITORING_HOME"/log/*.log)
    [ -z "${1-}" ] || files=("$MONITORING_HOME/log/$1.log")
    [ -f "${files[0]}" ] || fail "There is no log for ${1-the stack}; the services are: ${NATIVE_SERVICES[*]}"
    tail -n 100 -- "${files[@]}"
}

# Runbooks

runbooks() { # URL: all rules have the same base URL, so that one expression matches it
    local base=${1%/}
    case "$base" in
    http://* | https://*) ;;
    *) fail "The base URL of the runbooks must begin with https:// or http://, for example https://wiki.example.com/runbooks" ;;
    esac
    case "$base" in *[\|\&\\\"\'[:space:]]*) fail "The URL contains a character that is not allowed: $base" ;; esac
    sed -i -E "s|(runbook_url: \"?)https?://[^\"]*/(\w+\.md#\w+)|\1$base/\2|" prometheus/rules/*.yml prometheus/tests/*.yml
    echo "The alerts point to $base. Prometheus reads the rules again on SIGHUP, or when it is restarted."
}

native=
if [ "${1-}" = --native ]; then
    native=1
    shift
fi
case "${1-}" in
start) if [ -n "$native" ]; then native_start; else docker_start; fi ;;
stop) if [ -n "$native" ]; then native_stop; else docker_check && compose down; fi ;;
restart) if [ -n "$native" ]; then native_stop && native_start; else docker_check && compose down && docker_start; fi ;;
status) if [ -n "$native" ]; then native_status; else docker_check && compose ps; fi ;;
logs)
    shift
    if [ -n "$native" ]; then native_logs "$@"; else docker_check && compose logs --tail 100 "$@"; fi
    ;;
runbooks) runbooks "${2-}" ;;
*) usage ;;
esac
