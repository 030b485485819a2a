# Thin wrappers: the scripts do the work and need no make. `make` alone lists the targets.
.PHONY: help demo build build-linux build-all clean fmt lint deps update-deps test test-coverage test-integration test-all \
	docs bench docker-build docker-build-gateway docker-run install package

system := $(shell uname -s)
machine := $(shell uname -m)
PREFIX ?= /usr/local

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /|/' | column -t -s '|'

demo: ## build and run the exporter against its simulator
	scripts/demo

build: ## build the release binary: bin/wpexporter, with completions and manual page in bin/share
	mkdir -p bin
	binary=$$(scripts/build-release) && cp -f "$$binary" bin/wpexporter && \
		rm -rf bin/share && cp -R "$$(dirname "$$binary")/share" bin/share

build-linux: ## build bin/wpexporter-linux-MACHINE; needs Linux
ifeq ($(system),Linux)
	mkdir -p bin
	binary=$$(scripts/build-release) && cp -f "$$binary" bin/wpexporter-linux-$(machine)
else
	@echo "A Linux binary links against that system's OpenSSL and libcrypt: run this on Linux, or download a release." >&2
	@exit 1
endif

build-all: build ## build for this machine, and name the platforms that it cannot build for
	cp -f bin/wpexporter bin/wpexporter-$$(echo $(system) | tr A-Z a-z)-$(machine)
	@for platform in Linux-x86_64 Linux-aarch64 Darwin-arm64; do \
		[ $$platform = $(system)-$(machine) ] || \
			echo "Not built here: $$platform. It links against that platform's OpenSSL, so build it there, as the release workflow does."; \
	done

clean: ## remove all build products
	rm -rf bin dist .build .build-* Benchmarks/.build Examples/.build Examples/*/.build

fmt: ## format the Swift sources
	scripts/lint --fix

lint: ## check formatting and shell scripts, as the gate does
	scripts/lint

deps: ## install the build dependencies
	scripts/setup

update-deps: ## install and upgrade the build dependencies
	scripts/setup --upgrade

test: ## run the tests
	scripts/test

test-coverage: ## run the tests and print the line coverage; fails below 85 %
	scripts/coverage

test-integration: ## run the integration tests (Linux)
	scripts/integration

test-all: test test-coverage test-integration ## run all three

# Base images from another registry: make docker-build SWIFT_IMAGE=registry.example.com/swift:6.3-bookworm RUNTIME_IMAGE=…
base_images = $(foreach name,SWIFT_IMAGE RUNTIME_IMAGE,$(if $($(name)),--build-arg $(name)=$($(name))))

docker-build: ## build the image winpower-g2-exporter:latest
	docker build $(base_images) --build-arg WP_REVISION=$$(git rev-parse --short=12 HEAD) -t winpower-g2-exporter:latest .

docker-build-gateway: ## build the image winpower-gateway-simulator:latest, for the monitoring stack's profile gateway
	docker build $(base_images) --target gateway-simulator -t winpower-gateway-simulator:latest .

docker-run: ## run the image with ./data, ./config.yaml if it exists, and the environment variables WINPOWER_EXPORTER_…
	mkdir -p data
	docker run --rm -it --read-only --user $$(id -u):$$(id -g) -p 9090:9090 -v "$$(pwd)/data:/app/data" \
		$(if $(wildcard config.yaml),-v "$$(pwd)/config.yaml:/app/config.yaml:ro") \
		$$(env | sed -n 's/^\(WINPOWER_EXPORTER_[A-Z_]*\)=.*/-e \1/p') winpower-g2-exporter:latest

install: build ## install under DESTDIR and PREFIX (/usr/local): binary, manual page, completions, disabled units
	install -D -m 755 bin/wpexporter "$(DESTDIR)$(PREFIX)/bin/wpexporter"
	ln -sfn wpexporter "$(DESTDIR)$(PREFIX)/bin/winpower-g2-exporter"
	mkdir -p "$(DESTDIR)$(PREFIX)/share" && cp -R bin/share/. "$(DESTDIR)$(PREFIX)/share/"
ifeq ($(system),Linux)
	for unit in deploy/winpower-exporter*.service deploy/winpower-exporter*.socket deploy/winpower-exporter*.timer; do \
		install -d "$(DESTDIR)/etc/systemd/system" && \
		sed "s#/usr/local/bin/wpexporter#$(PREFIX)/bin/wpexporter#" "$$unit" \
			>"$(DESTDIR)/etc/systemd/system/$${unit##*/}" || exit 1; done
endif

package: ## pack this machine's release archive, its checksum and, on Debian, a .deb into dist/
	scripts/package
ifneq ($(shell command -v dpkg-deb),)
	deploy/debian/build
endif

docs: ## build the reference of the libraries
	swift build
	scripts/docs

bench: ## run the benchmarks; several of them need Linux
	for name in metrics logging storage client scrape footprint server sql; do Benchmarks/$$name || exit 1; done
