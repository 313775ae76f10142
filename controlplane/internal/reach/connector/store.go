package connector

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector/connection"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector/connectorstate"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector/deletion"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector/health"
	"github.com/grantwright/grantwright/controlplane/internal/reach/dispatch"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// row is a connector as it is stored.
type row struct {
	Connector
	Sealed   []byte     `db:"credentials"`
	Keys     []string   `db:"credential_keys"`
	SealedAt *time.Time `db:"credentials_updated_at"`
	Tested   *tested    `db:"last_test"`
	Since    time.Time  `db:"status_since"`
	Parts    struct {
		Reading health.ConnectorHealthPart `json:"reading"`
		Writing health.ConnectorHealthPart `json:"writing"`
		Overall string                     `json:"overall"`
	} `db:"parts"`
}

// tested is a test's verdict with the digest of the settings it was about.
type tested struct {
	LastTest
	Digest string `json:"digest"`
	// changes that the target was seen to offer; empty: it did not show them
	Operations []v1.ProvisionOp `json:"operations,omitempty"`
}

const columns = `c.id, c.business_id, c.name, c.description, c.type, c.vendor_key, c.mode, c.agent_id, c.agent_group,
	c.environment, c.purpose, c.authority_rank, c.connection, c.status, c.status_reason, c.funnel_state, c.last_run_id,
	c.last_success_at, c.labels, c.created_at, c.updated_at, c.version, c.deleted_at, c.credentials, c.credential_keys,
	    c.credentials_updated_at, c.last_test,
	` + watched

// Find reads a connector. It returns a fault of kind NotFound when there is none, or no longer.
func Find(ctx context.Context, tx *pg.Tx, id string) (Connector, error) {
	r, err := read(ctx, tx, id, "")
	return r.shown(), err
}

// lock reads a connector and keeps others from changing it until the transaction ends.
func lock(ctx context.Context, tx *pg.Tx, id string) (row, error) {
	return read(ctx, tx, id, "for update")
}

func read(ctx context.Context, tx *pg.Tx, id, locking string) (row, error) {
	if !listing.IsID(id) {
		return row{}, notFound(id)
	}
	r, err := pg.One[row](
		ctx,
		tx,
		"find connector",
		`select `+columns+` from connector c where c.id = $1 and c.deleted_at is null `+locking,
		id,
	)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return row{}, notFound(id)
	case err != nil:
		return row{}, err
	}
	return r, nil
}

func notFound(id string) error { return fault.New(fault.NotFound, "Connector %s was not found.", id) }

// shown is the connector without what must not leave.
func (r row) shown() Connector {
	c := r.Connector
	c.Credentials = map[string]Credential{}
	for _, key := range r.Keys {
		at := r.UpdatedAt
		if r.SealedAt != nil {
			at = *r.SealedAt
		}
		c.Credentials[key] = Credential{Set: true, UpdatedAt: at}
	}
	if r.Tested != nil {
		t := r.Tested.LastTest
		t.Current = r.Tested.Digest == r.digest()
		c.LastTest = &t
	}
	if c.DeletedAt != nil {
		until := c.DeletedAt.Add(deletion.Restorable)
		c.RestorableUntil = &until
	}
	c.Health = health.ConnectorHealth{State: health.HealthOf(c.Status), Since: r.Since, Cause: c.StatusReason,
		Reading: r.Parts.Reading, Writing: r.Parts.Writing, Overall: r.Parts.Overall}
	return c
}

// digest identifies settings. Of the secrets it covers only when they were written: a digest of a weak password would
// give it away.
func (r row) digest() string {
	var sealed int64
	if r.SealedAt != nil {
		sealed = r.SealedAt.UnixMicro()
	}
	// Settings came from JSON, so they encode, and maps do so in the order of their keys.
	b, _ := json.Marshal([]any{r.key(), r.Mode, r.AgentID, r.AgentGroup, r.Connection, r.Keys, sealed})
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

func (r row) args() pgx.NamedArgs {
	return pgx.NamedArgs{
		"id":                     r.ID,
		"business_id":            r.BusinessID,
		"name":                   r.Name,
		"description":            r.Description,
		"type":                   r.Type,
		"vendor_key":             r.VendorKey,
		"mode":                   r.Mode,
		"agent_id":               r.AgentID,
		"agent_group":            r.AgentGroup,
		"environment":            r.Environment,
		"purpose":                r.Purpose,
		"authority_rank":         r.AuthorityRank,
		"connection":             r.Connection,
		"credentials":            r.Sealed,
		"credential_keys":        r.Keys,
		"credentials_updated_at": r.SealedAt,
		"labels":                 r.Labels,
		"status":                 r.Status,
	}
}

func insert(ctx context.Context, tx *pg.Tx, r row) error {
	const sql = `
		insert into connector (tenant_id, id, business_id, name, description, type, vendor_key, mode, agent_id,
		                       agent_group, environment, purpose, authority_rank, connection, credentials,
		                           credential_keys, credentials_updated_at, labels, status)
		values (current_tenant(), @id, @business_id, @name, @description, @type, @vendor_key, @mode, @agent_id,
		        @agent_group, @environment, @purpose, @authority_rank, @connection, @credentials, @credential_keys,
		            @credentials_updated_at, @labels, @status)`
	return pg.Exec(ctx, tx, "insert connector", sql, r.args())
}

func update(ctx context.Context, tx *pg.Tx, r row) error {
	const sql = `
		update connector
		   set name = @name, description = @description, mode = @mode, agent_id = @agent_id, agent_group = @agent_group,
		       environment = @environment, purpose = @purpose, authority_rank = @authority_rank,
		       connection = @connection, credentials = @credentials, credential_keys = @credential_keys,
		       credentials_updated_at = @credentials_updated_at, labels = @labels, status = @status, updated_at = now(),
		           version = version + 1
		 where id = @id`
	return pg.Exec(ctx, tx, "update connector", sql, r.args())
}

func erase(ctx context.Context, tx *pg.Tx, id string) error {
	const sql = `
		update connector
		   set status = $2, deleted_at = now(), had_credentials = credentials is not null, credentials = null,
		       credential_keys = '{}', credentials_updated_at = null,
		       updated_at = now(), version = version + 1
		 where id = $1`
	return pg.Exec(ctx, tx, "delete connector", sql, id, connectorstate.Deleted)
}

// activeRun is the id of the connector's run that has not ended, or empty.
func activeRun(ctx context.Context, tx *pg.Tx, id string) (string, error) {
	const sql = `
		select r.id
		  from sync_run r
		 where r.connector_id = $1
		   and r.status in ('queued', 'waiting_agent', 'running', 'evaluating', 'held', 'applying')`
	var run string
	err := tx.QueryRow(ctx, sql, id).Scan(&run)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return "", fmt.Errorf("find active run: %w", err)
	}
	return run, nil
}

// agentExists notes it as wrong when the agent, or any agent of the group, is not one of the tenant's.
func agentExists(ctx context.Context, tx *pg.Tx, s connection.Settings, wrong *connection.Problems) error {
	const sql = `
		select exists (select from agent a
		                where a.state <> 'revoked'
		                  and (a.id::text = $1 or ($2 <> '' and a.agent_group = $2)))`
	if s.Mode != dispatch.Agent || (s.AgentID == "") == (s.AgentGroup == "") {
		return nil // the rules have said what is wrong already
	}
	var there bool
	if err := tx.QueryRow(ctx, sql, s.AgentID, s.AgentGroup).Scan(&there); err != nil {
		return fmt.Errorf("find agent: %w", err)
	}
	switch {
	case there:
	case s.AgentID != "":
		wrong.Add("#/agent_id", "unknown_agent", "there is no such agent, or it was revoked")
	default:
		wrong.Add("#/agent_group", "unknown_agent_group", "no agent belongs to this group")
	}
	return nil
}

// Filters narrow the list of connectors; each one given must hold.
type Filters struct {
	Type string `query:"type"`
	Mode string `query:"mode" enum:"hosted,agent"`
	// Several values, separated by commas. Deleted ones are shown only when asked for, while they can be restored.
	Status []string `query:"status" enum:"draft,ready,active,paused,degraded,quarantined,disabled,deleted"`
	// Only those that are degraded or quarantined, or ready or active with a last run that failed or an open circuit
	// breaker. Previews and cancelled runs do not count.
	Failing bool `query:"failing"`
	// By health.overall. Several values, separated by commas.
	Health      []string `query:"health" enum:"new,healthy,failing,stopped,degraded,quarantined,paused,disabled"`
	Environment string   `query:"environment" enum:"production,staging,test,dev,other"`
	// Words, each of which is part of the name, business_id or description, without regard to case, accents and order.
	Q string `query:"q" maxLength:"200"`
	// A leading - is descending. By last_success_at, those that never succeeded come as if that were longest ago.
	Sort string `query:"sort" default:"created_at" enum:"created_at,name,last_success_at,-created_at,-name,-last_success_at"`
}

var orders = map[string]listing.Order{
	"created_at":      {Column: "c.created_at", Type: "timestamptz"},
	"name":            {Column: "c.name", Type: "text"},
	"last_success_at": {Column: "coalesce(c.last_success_at, '-infinity')", Type: "timestamptz"},
}

// after is the position of a connector in the list's order.
func (f Filters) after(c Connector) []string {
	switch strings.TrimPrefix(f.Sort, "-") {
	case "name":
		return []string{c.Name, c.ID}
	case "last_success_at":
		if c.LastSuccessAt == nil {
			return []string{"-infinity", c.ID}
		}
		return []string{c.LastSuccessAt.Format(time.RFC3339Nano), c.ID}
	}
	return []string{c.CreatedAt.Format(time.RFC3339Nano), c.ID}
}

func (f Filters) query() (*listing.Query, error) {
	order, err := listing.OrderBy(f.Sort, orders)
	if err != nil {
		return nil, err
	}
	q := &listing.Query{Columns: columns, From: "connector c", ID: "c.id", Order: order}
	if slices.Contains(f.Status, connectorstate.Deleted) {
		q.Where("c.purged_at is null", nil)
	} else {
		q.Where("c.deleted_at is null", nil)
	}
	q.Equal("c.type", "type", f.Type)
	q.Equal("c.mode", "mode", f.Mode)
	if len(f.Status) > 0 {
		q.Where("c.status = any(@status)", pgx.NamedArgs{"status": f.Status})
	}
	if f.Failing {
		q.Where(connectorstate.Failing, nil)
	}
	if len(f.Health) > 0 {
		q.Where("connector_health(c.id) ->> 'overall' = any(@health)", pgx.NamedArgs{"health": f.Health})
	}
	q.Equal("c.environment", "environment", f.Environment)
	q.Search(f.Q, "c.name", "c.business_id", "c.description")
	return q, nil
}
