# Thin wrappers; the scripts do the work and need no make.
.PHONY: demo test build format lint e2e

demo:
	scripts/demo

test:
	scripts/test

build:
	scripts/build-release

format:
	swift format -i -r -p Package.swift Sources Tests

lint:
	swift format lint --strict -r -p Package.swift Sources Tests

e2e:
	scripts/e2e
