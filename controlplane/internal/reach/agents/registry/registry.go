package registry

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/agents"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/protocol/wire"
)

// Registry knows the agents of all tenants and gives them their tokens.
type Registry struct {
	DB        *pg.DB
	Tokens    Tokens
	Cursors   *httpapi.Cursors
	PublicURL string // where agents reach the control plane, for the install hint
	Log       *slog.Logger
	Now       func() time.Time

	OfflineAfter time.Duration // 0: wire.OfflineAfter
	setLimits    sync.Once
	enrolments   agents.Limiter // by address: 20 a minute
	badTokens    agents.Limiter // by address: 60 a minute
}

// offline is how long an agent may be silent before it counts as offline.
func (r *Registry) offline() time.Duration { return cmp.Or(r.OfflineAfter, wire.OfflineAfter) }

// limits sets the limits of requests from one address, once.
func (r *Registry) limits() {
	r.setLimits.Do(func() {
		r.enrolments.Every, r.enrolments.Burst = 3*time.Second, 20
		r.badTokens.Every, r.badTokens.Burst = time.Second, 60
	})
}

// Invited is an agent with its invitation, which is shown this once.
type Invited struct {
	agents.Agent
	// Shown once. Give it to grantwright-agent enroll on the host.
	EnrollmentToken string `json:"enrollment_token"`
	// Time the enrollment token expires.
	EnrollmentExpiresAt time.Time `json:"enrollment_expires_at"`
	// Commands to run on the agent's host.
	Install Install `json:"install"`
}

// Install returns the commands that install an agent on a host.
type Install struct {
	// Command that enrolls the agent; it reads the enrollment token from standard input.
	Enroll string `json:"enroll"`
	// Command that starts the enrolled agent.
	Run string `json:"run"`
}

// Authenticate is the httpapi.Authenticate of the agent's paths: the viewer is the agent that the token was given to,
// as long as it may work.
func (r *Registry) Authenticate(ctx context.Context, bearer string, _ *http.Request) (viewer.Viewer, error) {
	c, err := r.Tokens.VerifyAgentToken(ctx, bearer, false)
	if err != nil {
		return viewer.Viewer{}, err
	}
	v := viewer.Viewer{Tenant: c.Tenant, Kind: viewer.Agent, ID: c.AgentID, Session: c.ID}
	err = r.DB.As(ctx, viewer.System(c.Tenant), func(tx *pg.Tx) error {
		var who agents.Identity
		const sql = `select name, state, token_epoch, identity_key from agent where id = $1`
		if err := tx.QueryRow(ctx, sql, c.AgentID).Scan(&who.Name, &who.State, &who.Epoch, &who.Key); err != nil {
			return agents.UnknownAgent(err, c.AgentID)
		}
		v.Display = who.Name
		return who.Matches(c)
	})
	return v, err
}

// create stores an agent and its invitation in one transaction. A name that is taken is a conflict.
// Membership in a group gives access to the credentials of the group's connectors, which entrust
// asks for and records.
func (r *Registry) create(ctx context.Context, v viewer.Viewer, in newAgent) (Invited, error) {
	id := uuid.Must(uuid.NewV7()).String()
	var out Invited
	err := r.DB.As(ctx, v, func(tx *pg.Tx) error {
		const sql = `
			insert into agent (tenant_id, id, name, description, agent_group)
			values (current_tenant(), $1, $2, $3, $4)`
		if _, err := tx.Exec(ctx, sql, id, in.Name, in.Description, in.Group); err != nil {
			return nameTaken(err, in.Name)
		}
		subject := audit.Subject{Type: "agent", ID: id, Display: in.Name}
		if err := entrust(ctx, tx, subject, "", in.Group, in.ReleaseCredentials); err != nil {
			return err
		}
		if err := audit.Record(ctx, tx, audit.Entry{Action: "agent.created", Subject: subject}); err != nil {
			return err
		}
		return r.invite(ctx, tx, id, &out)
	})
	return out, err
}

// nameTaken makes a fault of a violated unique index, and wraps every other error.
func nameTaken(err error, name string) error {
	if pg.Violates(err, "agent_name_unique") {
		return fault.Coded(fault.Conflict, "duplicate_name", "there is an agent named %q already", name).
			With(fault.Field{Pointer: "#/name", Code: "duplicate_name", Detail: "choose another name"})
	}
	return fmt.Errorf("store agent: %w", err)
}

// invite makes the one invitation that is valid for an agent from now on.
func (r *Registry) invite(ctx context.Context, tx *pg.Tx, id string, out *Invited) error {
	if err := pg.Exec(
		ctx,
		tx,
		"withdraw invitations",
		`delete from agent_enrollment where agent_id = $1`,
		id,
	); err != nil {
		return err
	}
	token, c, err := r.Tokens.IssueEnrollToken(ctx, tx, id)
	if err != nil {
		return fmt.Errorf("issue enrolment token: %w", err)
	}
	const sql = `
		insert into agent_enrollment (tenant_id, jti_hash, agent_id, expires_at)
		values (current_tenant(), $1, $2, $3)`
	if err := pg.Exec(ctx, tx, "keep invitation", sql, agents.TokenHash(c.ID), id, c.ExpiresAt); err != nil {
		return err
	}
	a, err := agents.Find(ctx, tx, id, r.offline())
	if err != nil {
		return err
	}
	*out = Invited{Agent: a, EnrollmentToken: token, EnrollmentExpiresAt: c.ExpiresAt, Install: r.install()}
	return nil
}

// install are the commands for the new host, with the public address of this deployment.
func (r *Registry) install() Install {
	url := cmp.Or(strings.TrimSuffix(r.PublicURL, "/"), "https://grantwright.example.com")
	const data = "/var/lib/grantwright-agent"
	return Install{
		Enroll: "grantwright-agent enroll --url " + url + " --data " + data + " --token-stdin",
		Run:    "grantwright-agent run --data " + data,
	}
}

// list reads a page of agents and their number.
func (r *Registry) list(
	ctx context.Context,
	v viewer.Viewer,
	f agents.Filters,
	p pg.Page,
) (items []agents.Agent, total int64, err error) {
	err = r.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		items, total, err = agents.List(ctx, tx, f, p, r.offline())
		return err
	})
	return items, total, err
}

// find reads one agent.
func (r *Registry) find(ctx context.Context, v viewer.Viewer, id string) (a agents.Agent, err error) {
	err = r.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		a, err = agents.Find(ctx, tx, id, r.offline())
		return err
	})
	return a, err
}

// change updates the members that are given, under a lock and after If-Match. A new group has to be
// entrusted like that of a new agent.
func (r *Registry) change(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	match httpapi.IfMatch,
	in agentPatch,
) (a agents.Agent, err error) {
	err = r.DB.As(ctx, v, func(tx *pg.Tx) error {
		before, err := lockShown(ctx, tx, id, r.offline())
		if err != nil {
			return err
		}
		if err := match.Check(before.Revision); err != nil {
			return err
		}
		if group := agents.Deref(in.Group); group != agents.Deref(before.Group) {
			if err := entrust(ctx, tx, subjectOf(before), "", group, in.ReleaseCredentials); err != nil {
				return err
			}
		}
		const sql = `
			update agent
			   set name = coalesce($2, name), agent_group = coalesce($3, agent_group),
			       description = coalesce($4, description),
			       updated_at = now(), version = version + 1
			 where id = $1`
		if _, err := tx.Exec(ctx, sql, id, in.Name, in.Group, in.Description); err != nil {
			return nameTaken(err, agents.Deref(in.Name))
		}
		if a, err = agents.Find(ctx, tx, id, r.offline()); err != nil {
			return err
		}
		entry := audit.Entry{Action: "agent.updated", Subject: subjectOf(a), Changes: differences(before, a)}
		if err := audit.Record(ctx, tx, entry); err != nil {
			return err
		}
		return agents.Changed(ctx, tx, id)
	})
	return a, err
}

// lockShown reads an agent as it is shown and keeps others from changing it.
func lockShown(ctx context.Context, tx *pg.Tx, id string, offline time.Duration) (agents.Agent, error) {
	if _, err := agents.Lock(ctx, tx, id); err != nil {
		return agents.Agent{}, err
	}
	return agents.Find(ctx, tx, id, offline)
}

// subjectOf names the agent in audit entries.
func subjectOf(a agents.Agent) audit.Subject {
	return audit.Subject{Type: "agent", ID: a.ID, Display: a.Name}
}

// differences are the changed members, for the audit entry. The password-like parts of an agent are
// not among them.
func differences(before, after agents.Agent) []audit.Change {
	var out []audit.Change
	add := func(field, from, to string) {
		if from != to {
			out = append(out, audit.Change{Field: field, From: from, To: to})
		}
	}
	add("name", before.Name, after.Name)
	add("group", agents.Deref(before.Group), agents.Deref(after.Group))
	add("description", before.Description, after.Description)
	return out
}

// reenroll invites an agent anew and forgets the keys of the host that had its name before.
func (r *Registry) reenroll(ctx context.Context, v viewer.Viewer, id string, release bool) (Invited, error) {
	var out Invited
	err := r.DB.As(ctx, v, func(tx *pg.Tx) error {
		before, err := lockShown(ctx, tx, id, r.offline())
		if err != nil {
			return err
		}
		if before.State == agents.Revoked {
			return fault.New(fault.Conflict, "The agent has been revoked, which cannot be undone. Create a new one.")
		}
		if err := entrust(ctx, tx, subjectOf(before), id, agents.Deref(before.Group), release); err != nil {
			return err
		}
		const sql = `
			update agent
			   set state = 'pending', identity_key = null, sealing_key = null, instance_id = null, join_seq = 0,
			       last_nonce = null, last_boot_id = null, token_epoch = token_epoch + 1, quarantine_reason = null,
			       token_issued_at = null, token_expires_at = null, updated_at = now(), version = version + 1
			 where id = $1`
		if err := pg.Exec(ctx, tx, "forget keys", sql, id); err != nil {
			return err
		}
		entry := audit.Entry{
			Action:  "agent.enrollment_issued",
			Subject: subjectOf(before),
			Context: map[string]any{"state_before": before.State},
		}
		if err := audit.Record(ctx, tx, entry); err != nil {
			return err
		}
		if err := agents.Changed(ctx, tx, id); err != nil {
			return err
		}
		return r.invite(ctx, tx, id, &out)
	})
	return out, err
}

// revoke shuts an agent out for good. Its socket is closed within seconds, whichever process holds it.
func (r *Registry) revoke(ctx context.Context, v viewer.Viewer, id, reason string) (a agents.Agent, err error) {
	err = r.DB.As(ctx, v, func(tx *pg.Tx) error {
		if a, err = lockShown(ctx, tx, id, r.offline()); err != nil || a.State == agents.Revoked {
			return err
		}
		const sql = `
			update agent
			   set state = 'revoked', revoked_at = now(), revoked_reason = $2, token_epoch = token_epoch + 1,
			       updated_at = now(), version = version + 1
			 where id = $1`
		if err := pg.Exec(ctx, tx, "revoke agent", sql, id, reason); err != nil {
			return err
		}
		if err := pg.Exec(
			ctx,
			tx,
			"withdraw invitations",
			`delete from agent_enrollment where agent_id = $1`,
			id,
		); err != nil {
			return err
		}
		entry := audit.Entry{Action: "agent.revoked", Subject: subjectOf(a), Context: map[string]any{"reason": reason}}
		if err := audit.Record(ctx, tx, entry); err != nil {
			return err
		}
		if err := agents.Changed(ctx, tx, id); err != nil {
			return err
		}
		a, err = agents.Find(ctx, tx, id, r.offline())
		return err
	})
	return a, err
}

// remove deletes an agent that no connector needs.
func (r *Registry) remove(ctx context.Context, v viewer.Viewer, id string) error {
	return r.DB.As(ctx, v, func(tx *pg.Tx) error {
		a, err := lockShown(ctx, tx, id, r.offline())
		if err != nil {
			return err
		}
		var users []string
		const sql = `
			select coalesce(array_agg(business_id order by business_id), '{}')
			  from connector
			 where agent_id = $1 and deleted_at is null`
		if err := tx.QueryRow(ctx, sql, id).Scan(&users); err != nil {
			return fmt.Errorf("find the agent's connectors: %w", err)
		}
		if len(users) > 0 {
			return fault.Coded(
				fault.Conflict,
				"agent_in_use",
				"connectors run on this agent: %s; move them first",
				strings.Join(users, ", "),
			)
		}
		if err := pg.Exec(ctx, tx, "delete agent", `delete from agent where id = $1`, id); err != nil {
			return err
		}
		if err := audit.Record(ctx, tx, audit.Entry{Action: "agent.deleted", Subject: subjectOf(a)}); err != nil {
			return err
		}
		return agents.Changed(ctx, tx, id)
	})
}
