// Package stream sends a tenant's audit log, as it grows, to where security events are gathered: over HTTPS or as
// syslog.
//
// Positions in the log are numbers of entries alone, and nothing is missed by that: a number is given under the lock
// of the tenant's row in audit_head, which is held until the commit, so a reader of entry n sees every entry before
// it.
package stream

import (
	"log/slog"
	"sync"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/outbound"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/seal"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// Kinds of sinks.
const (
	HTTPS  = "https"
	Syslog = "syslog"
)

// Formats of what is sent.
const (
	NDJSON = "ndjson"
	OCSF   = "ocsf"
)

// Service keeps streams and sends what is due.
type Service struct {
	DB      *pg.DB
	Seal    *seal.Keyring
	Guard   *outbound.Guard
	Cursors *httpapi.Cursors
	Log     *slog.Logger

	pace  pace
	calls sync.WaitGroup
}

// pace is how fast the service works; tests are less patient.
type pace struct {
	look    time.Duration // between two looks for what is due
	lease   time.Duration // how long a batch may take before another process takes the stream
	timeout time.Duration // of one call
	first   time.Duration // pause after the first failure; it doubles
	longest time.Duration // pause at most
}

// New makes a service that looks every second.
func New(db *pg.DB, ring *seal.Keyring, guard *outbound.Guard, cursors *httpapi.Cursors, log *slog.Logger) *Service {
	return &Service{
		DB:      db,
		Seal:    ring,
		Guard:   guard,
		Cursors: cursors,
		Log:     log,
		pace: pace{
			look:    time.Second,
			lease:   time.Minute,
			timeout: 20 * time.Second,
			first:   time.Second,
			longest: 5 * time.Minute,
		},
	}
}

// Routes are the operations on streams.
func (s *Service) Routes() []httpapi.Route {
	read := []viewer.Role{viewer.Admin, viewer.Auditor}
	routes := []httpapi.Route{
		httpapi.Handle("POST", "/settings/audit-streams", "Create an audit stream", s.handleCreate).
			For(viewer.Admin).
			ForPeople().
			Status(201).
			Errors(409).
			Describe("Entries are sent in their order, each at least once, in batches of at most 500 or 1 MiB. " +
				"ndjson lines carry seq, prev_hash and hash, and " +
				"signed checkpoints follow the entries that they cover; ocsf lines keep the hashes in unmapped. " +
				"https: a POST whose 2xx answer is taken for " +
				"delivery. syslog: RFC 5424 with octet counting over tls:// or, inside opened ranges, tcp://; a " +
				"batch counts as delivered when the receiver " +
				"has closed the connection after it, or has not broken it within two seconds. header_value and ca " +
				"are never shown again."),
		httpapi.Handle("GET", "/settings/audit-streams", "List audit streams", s.handleList).For(read...),
		httpapi.Handle("GET", "/settings/audit-streams/{id}", "Retrieve an audit stream", s.handleFind).For(read...),
		httpapi.Handle("PATCH", "/settings/audit-streams/{id}", "Update an audit stream", s.handleChange).
			For(viewer.Admin).
			ForPeople().
			Errors(409, 412).
			Describe("Omitted members do not change; null clears header_value and ca. A new host requires " +
				"header_value again, so that the secret is not sent " +
				"to another host."),
		httpapi.Handle("DELETE", "/settings/audit-streams/{id}", "Delete an audit stream", s.handleDelete).
			For(viewer.Admin).
			ForPeople().
			Status(204).
			Errors(412),
		httpapi.Handle("POST", "/settings/audit-streams/{id}/test", "Test an audit stream", s.handleTest).
			For(viewer.Admin).
			ForPeople().
			LongRunning().
			Describe("Sends one line of type ping and returns the result."),
	}
	for i := range routes {
		routes[i] = routes[i].Tag("settings")
	}
	return routes
}
