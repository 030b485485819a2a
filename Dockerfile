# SPDX-License-Identifier: MIT
# The image of the exporter: docker build -t winpower-g2-exporter:latest --build-arg WP_REVISION=$(git rev-parse --short=12 HEAD) .
# `make docker-build` runs this. For another platform: docker buildx build --platform linux/amd64,linux/arm64 …; the stages
# do not depend on the architecture.
ARG SWIFT_IMAGE=swift:6.3-bookworm
ARG RUNTIME_IMAGE=debian:bookworm-slim

FROM ${SWIFT_IMAGE} AS build
RUN apt-get update \
    && apt-get install -y --no-install-recommends git libcrypt-dev libpq-dev libsqlite3-dev libssl-dev pkg-config zlib1g-dev \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY Package.swift ./
COPY scripts/build-release scripts/setup scripts/
COPY Sources Sources
COPY Tests Tests
COPY Fuzz Fuzz
# What `wpexporter version` and winpower_exporter_build_info report.
ARG WP_REVISION=unknown
ENV WP_REVISION=${WP_REVISION}
RUN scripts/build-release >/tmp/binary \
    && install -D -m 755 "$(cat /tmp/binary)" /out/usr/local/bin/wpexporter \
    # The Go exporter's name.
    && ln -s wpexporter /out/usr/local/bin/winpower-g2-exporter

# The gateway's metrics without a gateway, for the monitoring stack: --target gateway-simulator.
FROM build AS build-gateway-simulator
COPY Examples/GatewaySimulator Examples/GatewaySimulator
RUN swift build -c release --static-swift-stdlib --package-path Examples/GatewaySimulator \
    && install -D -m 755 Examples/GatewaySimulator/.build/release/gateway-simulator /out/usr/local/bin/gateway-simulator

FROM ${RUNTIME_IMAGE} AS base
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates libcrypt1 libsqlite3-0 libssl3 tzdata zlib1g \
    && rm -rf /var/cache/apt/* /var/lib/apt/lists/* /var/log/apt /var/log/dpkg.log \
    && groupadd --gid 65532 winpower \
    && useradd --uid 65532 --gid winpower --no-log-init --no-create-home --home-dir /app --shell /usr/sbin/nologin winpower \
    && install -d -o winpower -g winpower -m 755 /app /app/data

FROM base AS gateway-simulator
COPY --from=build-gateway-simulator /out/ /
USER 65532:65532
EXPOSE 9464
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s --retries=3 \
    CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/9464"]
ENTRYPOINT ["gateway-simulator"]

# `wpexporter node`, `wpexporter hub` and `wpexporter sql`: the same binary with another command. Only the last image contains libpq.
FROM base AS node
COPY --from=build /out/ /
WORKDIR /app
USER 65532:65532
EXPOSE 9100
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s --retries=3 \
    CMD ["wpexporter", "healthcheck", "--url", "http://127.0.0.1:9100/health"]
ENTRYPOINT ["wpexporter"]
CMD ["node"]

# A hub for other machines needs a token: mount one and set WINPOWER_EXPORTER_HUB_TOKEN_FILE.
FROM base AS hub
COPY --from=build /out/ /
WORKDIR /app
USER 65532:65532
VOLUME ["/app/data"]
EXPOSE 8082
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s --retries=3 \
    CMD ["wpexporter", "healthcheck", "--url", "http://127.0.0.1:8082/health"]
ENTRYPOINT ["wpexporter"]
CMD ["hub", "--host", "0.0.0.0"]

FROM base AS sql
RUN apt-get update \
    && apt-get install -y --no-install-recommends libpq5 \
    && rm -rf /var/cache/apt/* /var/lib/apt/lists/* /var/log/apt /var/log/dpkg.log
COPY --from=build /out/ /
# ./queries.yaml is mounted here.
WORKDIR /app
USER 65532:65532
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s --retries=3 \
    CMD ["wpexporter", "healthcheck", "--url", "http://127.0.0.1:8000/health"]
ENTRYPOINT ["wpexporter"]
CMD ["sql", "--config", "queries.yaml"]

# The last stage is what `docker build` builds.
FROM base AS exporter
ARG WP_REVISION=unknown
LABEL org.opencontainers.image.title="winpower-g2-exporter" \
      org.opencontainers.image.description="Prometheus metrics and exact energy totals for the UPSes behind a WinPower G2 server" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="0.1.0" \
      org.opencontainers.image.revision="${WP_REVISION}"
COPY --from=build /out/ /
# ./config.yaml and ./data of this directory are the defaults. Nothing else is written: the root may be read-only.
WORKDIR /app
USER 65532:65532
VOLUME ["/app/data"]
EXPOSE 9090
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s --retries=3 CMD ["wpexporter", "healthcheck"]
ENTRYPOINT ["wpexporter"]
CMD ["server"]
