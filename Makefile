# Grantwright. `make` lists what can be done.
SHELL := /bin/bash
.DEFAULT_GOAL := help

MODULES := protocol connectorkit agent controlplane installers e2e
GO_DIRS := $(addprefix ./,$(addsuffix /...,$(MODULES)))
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
# One set of flags for all: tests, checks and programs share what was compiled.
export GOFLAGS := -trimpath
export CGO_ENABLED := 0

LDFLAGS := -s -w -X main.version=$(VERSION)
GOBUILD := go build -ldflags '$(LDFLAGS)'
DOCS_ASSETS := controlplane/internal/front/apidocs/assets
CONSOLE := controlplane/console
CONSOLE_SOURCES := $(shell find $(CONSOLE)/src $(CONSOLE)/public $(CONSOLE)/docs -type f) $(wildcard docs/*.md) $(CONSOLE)/index.html $(CONSOLE)/vite.config.ts $(CONSOLE)/package-lock.json

##@ Use
.PHONY: help
help: ## Show this list
	@awk 'BEGIN {FS = ":.*##"} /^##@/ {printf "\n%s\n", substr($$0, 5)} /^[a-z0-9-]+:.*##/ {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: run
run: setup-run build ## Start everything: a control plane, an agent and three sample systems with people in them
	@bin/demo --bin bin --data data

.PHONY: build
build: $(DOCS_ASSETS)/redoc.standalone.js.gz console ## Build the programs into bin/
	@mkdir -p bin
	$(GOBUILD) -o bin/grantwright ./controlplane/cmd/grantwright
	$(GOBUILD) -o bin/grantwright-agent ./agent/cmd/grantwright-agent
	$(GOBUILD) -o bin/targets ./e2e/targets/cmd/targets
	$(GOBUILD) -o bin/demo ./e2e/cmd/demo

.PHONY: console
console: $(CONSOLE)/dist/index.html ## Build the web console, which the control plane takes in

.PHONY: package
package: build bin/nfpm ## Build the agent's packages into dist/: deb, rpm and a zip for Windows
	$(GOBUILD) -o bin/pack ./installers/cmd/pack
	bin/pack --version '$(VERSION)' --out dist --nfpm bin/nfpm

##@ Work on it
# The browser's journeys take longest: they begin first, and the other packages are tested beside them.
.PHONY: test
test: setup build bin/oasdiff ## Run every test: units, real services, quick end-to-end, browser
	GRANTWRIGHT_BIN=$(CURDIR)/bin go test -count=1 -timeout 80m ./e2e/scenarios ./e2e/crash $(GO_DIRS)

# Packages that test-quick leaves to test: they start other servers than PostgreSQL, build programs, or take longer.
NOT_QUICK := /connectorkit/(ldap|scim|rest|remote|connectortest|catalog|target|serve)|/installers/|/e2e/|/internal/app$$|/cmd/grantwright|/ground/embedded|/record/(auth|directory|ledger|history|tenant|audit/trail)|/reach/(syncrun|provision|reconcile)|/front/webhook|/govern/separation

.PHONY: test-quick
test-quick: $(DOCS_ASSETS)/redoc.standalone.js.gz console ## Run the tests that need only Go and PostgreSQL, in three minutes or less
	go test -count=1 -timeout 10m $$(go list $(GO_DIRS) | grep -vE '$(NOT_QUICK)')

.PHONY: check
check: bin/golangci-lint ## Look for mistakes: formatting, vet, lint, layers, texts, generated files
	@unformatted=$$(gofmt -l $(MODULES)); if [ -n "$$unformatted" ]; then echo "not formatted:"; echo "$$unformatted"; exit 1; fi
	go vet $(GO_DIRS)
	GOOS=windows go vet ./agent/... ./connectorkit/... ./protocol/...
	bin/golangci-lint run $(GO_DIRS)
	go test -count=1 -run 'TestFloors' ./controlplane/internal/app
	go run ./e2e/cmd/prose
	@for m in $(MODULES); do (cd $$m && GOWORK=off go mod verify >/dev/null && GOWORK=off go build ./...) || exit 1; done

.PHONY: e2e
e2e: setup build ## Run the end-to-end stories at length
	GRANTWRIGHT_E2E=long go test -count=1 -timeout 60m ./e2e/...
	PROVISION_STATES=50000 PROVISION_WALKS=400 go test -count=1 -timeout 60m -run 'NoWayThroughTheStates|HoweverTheWayThere' ./controlplane/internal/reach/provision/...
	SEPARATION_WORLDS=20000 go test -count=1 -timeout 60m -run TestTheOracleAgrees ./controlplane/internal/govern/separation/conflict

.PHONY: faults
faults: setup ## Kill the programs in a hundred seeded ways while they read and while they write, and look at what is there in the end
	GRANTWRIGHT_SEEDS=100 GRANTWRIGHT_CHANGE_SEEDS=100 go test -count=1 -timeout 120m ./e2e/crash
	GRANTWRIGHT_MAILS=50000 go test -count=1 -v -timeout 120m -run TestNoMessageIsLost ./e2e/mail

.PHONY: bench
bench: setup build ## Measure, and print the figures
	go run ./e2e/cmd/bench --bin bin
	GRANTWRIGHT_BIN=$(CURDIR)/bin GRANTWRIGHT_MEASURE=1 go test -count=1 -v -run 'TestTheConsoleInABrowser$$' ./e2e/scenarios
	go test ./controlplane/internal/record/access -run '^$$' -bench ListsOfWhoSeesMany -benchtime 100x
	go test ./controlplane/internal/record/history -run '^$$' -bench . -benchtime 5x
	go test ./controlplane/internal/record/access -run '^$$' -bench EffectiveAccess -benchtime 1x
	go test ./controlplane/internal/govern/requestcatalog -run '^$$' -bench . -benchtime 300x
	go test ./controlplane/internal/govern/policy -run '^$$' -bench . -benchtime 1x
	go test ./controlplane/internal/govern/decision -run '^$$' -bench . -benchtime 100x
	go test ./controlplane/internal/reach/provision -run '^$$' -bench Changes -benchtime 1x
	go test ./controlplane/internal/govern/approval -run '^$$' -bench . -benchtime 20x
	go test ./controlplane/internal/govern/chain -run '^$$' -bench . -benchtime 20x
	go test ./controlplane/internal/record/audit/... -run '^$$' -bench 'Chain|Verif'
	go test ./controlplane/internal/govern/separation/conflict -run '^$$' -bench . -benchtime 3x
	go test ./controlplane/internal/govern/separation/scan -run '^$$' -bench OneCheck -benchtime 2000x
	GRANTWRIGHT_BENCH_PEOPLE=100000 go test ./controlplane/internal/govern/separation/scan -run '^$$' -bench FullScan -benchtime 1x -timeout 60m
	go test ./controlplane/internal/front/webhook -run '^$$' -bench Deliveries -benchtime 2000x
	go test ./controlplane/internal/reach/mapping/transform ./controlplane/internal/ground/pyexpr -run '^$$' -bench 'FiveTransforms|Eval'

.PHONY: schema
schema: ## Generate docs/schema.md from a fresh database
	GRANTWRIGHT_RENEW_SCHEMA=1 go test -count=1 -run TestTheDocumentDescribesAFreshDatabase ./controlplane/internal/ground/schema

.PHONY: descriptions
descriptions: ## Take the descriptions of the API's fields from their comments
	GRANTWRIGHT_RENEW_DESCRIPTIONS=1 go test -count=1 -run TestDescriptionsOfFieldsAreTheirComments ./e2e/prose

.PHONY: measure
measure: ## Measure the source tree: size, density, packages, cycles, texts
	@go run ./e2e/cmd/measure

.PHONY: setup
setup: ## Install what the tests and the sample systems need, where it is missing
	@.ci/setup test

.PHONY: setup-run
setup-run:
	@.ci/setup run

##@ Pieces
$(DOCS_ASSETS)/redoc.standalone.js.gz: $(DOCS_ASSETS)/package-lock.json
	@$(DOCS_ASSETS)/fetch.sh || echo "The viewers of /docs and /redoc were not fetched; the pages say how to add them."

$(CONSOLE)/dist/index.html: $(CONSOLE_SOURCES)
	@$(CONSOLE)/build.sh || echo "The web console was not built; the service says so at its address, and the API is whole."

bin/golangci-lint bin/nfpm bin/oasdiff: .ci/tools/go.mod
	@mkdir -p bin
	cd .ci/tools && GOWORK=off go build -o ../../bin/ github.com/golangci/golangci-lint/v2/cmd/golangci-lint github.com/goreleaser/nfpm/v2/cmd/nfpm github.com/oasdiff/oasdiff
	@touch bin/golangci-lint bin/nfpm bin/oasdiff

.PHONY: clean
clean: ## Remove what was built (not the data)
	rm -rf bin dist
