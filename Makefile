# Thin wrappers: the scripts do the work and need no make. `make` alone lists the targets.
.PHONY: help demo build build-linux build-all clean fmt lint deps update-deps test test-coverage test-integration test-all \
	docs bench

system := $(shell uname -s)
machine := $(shell uname -m)

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /|/' | column -t -s '|'

demo: ## build and run the exporter against its simulator
	scripts/demo

build: ## build the release binary: bin/wpexporter, with completions and manual page in bin/share
	mkdir -p bin
	binary=$$(scripts/build-release) && cp -f "$$binary" bin/wpexporter && \
		rm -rf bin/share && cp -R "$$(dirname "$$binary")/share" bin/share

build-linux: ## build bin/wpexporter-linux-MACHINE; needs Linux of that machine
ifeq ($(system),Linux)
	mkdir -p bin
	binary=$$(scripts/build-release) && cp -f "$$binary" bin/wpexporter-linux-$(machine)
else
	@echo "A Linux binary links that system's OpenSSL and libcrypt: run this on Linux, or take one from the releases." >&2
	@exit 1
endif

build-all: build ## build what this machine can build, and say what the other platforms need
	cp -f bin/wpexporter bin/wpexporter-$$(echo $(system) | tr A-Z a-z)-$(machine)
	@for platform in Linux-x86_64 Linux-aarch64 Darwin-arm64; do \
		[ $$platform = $(system)-$(machine) ] || \
			echo "Not built here: $$platform. It links that platform's OpenSSL, so build it there; the release workflow does."; \
	done

clean: ## remove everything that was built
	rm -rf bin dist .build .build-* Benchmarks/.build Examples/.build Examples/*/.build

fmt: ## lay out the Swift sources
	scripts/lint --fix

lint: ## check layout and shell scripts, as the gate does
	scripts/lint

deps: ## install what a build needs
	scripts/setup

update-deps: ## bring what a build needs up to date
	scripts/setup --upgrade

test: ## run the tests
	scripts/test

test-coverage: ## run the tests and print the coverage of lines; fails below 85 %
	scripts/coverage

test-integration: ## run the end-to-end scripts (Linux)
	scripts/integration

test-all: test test-coverage test-integration ## all three

docs: ## build the reference of the libraries
	swift build
	scripts/docs

bench: ## run the benchmarks; several of them need Linux
	for name in metrics logging storage client scrape footprint server sql; do Benchmarks/$$name || exit 1; done
