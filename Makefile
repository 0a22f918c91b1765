# Every target works alone on a fresh Debian 12 machine that has the Swift toolchain.

SWIFT ?= swift
PREFIX ?= /usr/local
SWIFT_FILES = Package.swift Sources Tests Fuzz
SECONDS ?= 60

.PHONY: help setup build demo test lint bench bench-archive bench-api big-raw three-years check-zip check-long test-extra crash-matrix power-loss simulate full-disk disconnects soak archive-crash archive-decade install deb clean bench-import check-exports fuzz

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: ## install the Debian packages that are missing
	@Tools/setup.sh

build: setup ## the release binary, .build/release/healthmd
	$(SWIFT) build -c release --product healthmd

demo: build ## receiver and phone side on loopback: pair, export 30 days, extract, check
	@Tools/demo.sh

test: setup ## all tests
	@SWIFT="$(SWIFT)" Tools/test.sh

lint: ## format lint, layering check, service units
	$(SWIFT) format lint --strict --recursive $(SWIFT_FILES)
	@Tools/check-layers.py
	@Tools/check-units.sh

bench: build ## our program beside its peers, on the same data in one run
	@Tools/bench.py
	@Tools/bench-api.py
	@Tools/bench-archive.py

bench-archive: build ## signed reads of the archive's service beside libmicrohttpd
	@Tools/bench-archive.py

bench-api: build ## GET /v1/status beside 1,000 bad connections
	@Tools/bench-api.py

big-raw: build ## a raw job of SIZE_GIB=4 with less than 96 MiB of memory on every side
	@Tools/big-raw.py --gibibytes $(or $(SIZE_GIB),4)

bench-import: build ## reading an export beside other readers, same file (LARGE=1: memory at 5 GB too)
	@Tools/bench-import.py $(if $(LARGE),--large)

check-exports: build ## every locale, document type, hazard and trap of the generator through the program
	@Tools/check-exports.py

fuzz: setup ## all fuzz targets, SECONDS=60 together; TARGET=name for one, MINUTES=n for each
	@Tools/fuzz.py $(if $(MINUTES),--minutes-each $(MINUTES),--seconds $(SECONDS)) $(if $(TARGET),--target $(TARGET))

test-extra: build ## checks against other people's programs (skipped when they cannot be had)
	@Tools/test-extra.sh

crash-matrix: build ## SIGKILL at every durable system call of both sides (POINTS=n draws some)
	@Tools/rigs/crash_matrix.py

power-loss: build ## images of the disk at acknowledgements and random moments, recovered from (COPIES=n)
	@Tools/rigs/power_loss.py

archive-crash: build ## SIGKILL before every durable step of the archive's service, writer and reader
	@Tools/archive-crash.py

archive-decade: build ## ten years of days through the archive, requests counted
	@Tools/archive-decade.py

full-disk: build ## disks that fill up, system calls that fail, once and for ever (POINTS=n FILLS=n)
	@Tools/rigs/full_disk.py

disconnects: build ## one transfer of SIZE=2GiB over a connection that is cut CUTS=1000 times
	@Tools/rigs/disconnects.py

soak: build ## SESSIONS=1000 through one pair of processes: descriptors and memory stay flat
	@Tools/rigs/soak.py

three-years: build ## three years of records through the main job, checked against the export, under 128 MiB
	@Tools/three-years.py

check-zip: setup ## archives over 65,535 entries and over 4 GiB, opened by unzip, Python and 7z
	@HEALTHMD_LONG_TESTS=1 SWIFT="$(SWIFT)" HEALTHMD_TESTS=HealthDataTests Tools/test.sh --filter ZipScaleTests

simulate: setup ## both sides on false disks, clocks and networks, SEEDS=10000 runs of one seed each
	@# Optimised: a debug build runs a third of the seeds in the same time.
	@HEALTHMD_SEEDS=$(or $(SEEDS),10000) HEALTHMD_TESTS=SimulatorTests SWIFT_DETERMINISTIC_HASHING=1 SWIFT="$(SWIFT)" \
		Tools/test.sh -c release -Xswiftc -enable-testing --build-path .build/simulator --filter SimulatorTests

check-long: build ## the long checks, one after the other: hours
	@Tools/check-long.sh

install: build ## program, manual page, completions, service units (PREFIX=/usr/local)
	@Tools/install.sh .build/release/healthmd "$(DESTDIR)" "$(PREFIX)"

deb: setup ## a Debian package that needs no Swift toolchain where it is installed
	@Tools/make-deb.sh

clean: ## remove what was built
	rm -rf .build
