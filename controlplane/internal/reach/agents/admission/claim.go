package admission

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/agents"
	"github.com/grantwright/grantwright/controlplane/internal/reach/agents/session"
	"github.com/grantwright/grantwright/protocol/wire"
)

// earlier is an agent's connection as the database knows it.
type earlier struct {
	Process  string `db:"process_id"`
	Boot     string `db:"boot_id"`
	Epoch    int64  `db:"epoch"`
	Alive    bool   `db:"alive"`
	Hostname string `db:"hostname"`
	Machine  string `db:"machine"`
	IP       string `db:"ip"`
}

// other reports whether a newcomer may be another process than the one that holds the earlier connection. A process
// that was copied with its memory has the same boot id, so what is known of the machine counts as well.
func (e earlier) other(hello wire.Hello) bool {
	return e.Boot != hello.BootID || e.Hostname != agents.Short(hello.Hostname) ||
		e.Machine != agents.Short(hello.Machine)
}

// claim is the row of agent_session that a connection has got, and what the agent's row said at that time.
type claim struct {
	id     string
	epoch  int64
	tokens int64 // epoch of the agent's tokens
	name   string
	group  string
}

// errClone is how a connection is refused whose identity is in use by another process of the agent's.
var errClone = &wire.CloseError{Code: wire.CloseClone, Reason: "this identity is in use elsewhere: quarantined"}

// claim enters the connection of an agent that has proven key. It returns a *wire.CloseError when the agent must go.
//
// A newer connection of the same start of the agent on the same machine replaces the older one at once. Any other does
// so only when the older connection no longer answers: when it does, two hosts share an identity, and nobody can say
// which one is right.
func (a *Service) claim(ctx context.Context, v viewer.Viewer, hello wire.Hello, key []byte) (claim, error) {
	cleared := int64(-1)
	for {
		got, rival, err := a.tryClaim(ctx, v, hello, key, cleared)
		if err != nil || rival == nil {
			return got, err
		}
		if a.answers(ctx, v, *rival) {
			return got, a.expose(ctx, v, hello, *rival)
		}
		cleared = rival.Epoch
	}
}

// tryClaim writes the connection down, unless there is a rival whose epoch was not cleared before.
func (a *Service) tryClaim(
	ctx context.Context, v viewer.Viewer, hello wire.Hello, key []byte, cleared int64,
) (got claim, rival *earlier, err error) {
	err = a.DB.As(ctx, v, func(tx *pg.Tx) error {
		rival = nil
		who, err := agents.Lock(ctx, tx, v.ID)
		if err != nil {
			return turnedAway(agents.UnknownAgent(err, v.ID))
		}
		if err := who.MayWork(); err != nil {
			return turnedAway(err)
		}
		if !bytes.Equal(key, who.Key) { // enrolled anew since the key was proven
			return errUnproven
		}
		before, err := findSession(ctx, tx, v.ID, a.Timing.Offline)
		if err != nil {
			return err
		}
		if before.Alive && before.other(hello) && before.Process != uuid.Nil.String() && before.Epoch != cleared {
			rival = &before
			return nil
		}
		got = claim{id: uuid.Must(uuid.NewV7()).String(), tokens: who.Epoch, name: who.Name, group: who.Group}
		got.epoch, err = a.writeSession(ctx, tx, got.id, hello)
		return err
	})
	return got, rival, err
}

// turnedAway is the close code for an agent that may not work.
func turnedAway(err error) error {
	var f *fault.Fault
	switch {
	case !errors.As(err, &f):
		return err
	case f.Code == "agent_quarantined":
		return &wire.CloseError{Code: wire.CloseClone, Reason: "quarantined"}
	case f.Code == "agent_revoked":
		return &wire.CloseError{Code: wire.CloseRevoked, Reason: "revoked"}
	case f.Code == "agent_disabled":
		return &wire.CloseError{Code: wire.CloseRevoked, Reason: "disabled"}
	case f.Code == "token_revoked":
		return &wire.CloseError{Code: wire.CloseToken, Reason: "enrol again"}
	}
	return err
}

func findSession(ctx context.Context, tx *pg.Tx, agent string, offline time.Duration) (earlier, error) {
	const sql = `
		select process_id::text, boot_id, epoch, last_seen_at > now() - make_interval(secs => $2) as alive,
		       coalesce(hostname, '') as hostname, coalesce(machine, '') as machine, coalesce(ip, '') as ip
		  from agent_session
		 where agent_id = $1`
	rows, err := tx.Query(ctx, sql, agent, offline.Seconds())
	if err != nil {
		return earlier{}, fmt.Errorf("find session: %w", err)
	}
	s, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[earlier])
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return s, fmt.Errorf("find session: %w", err)
	}
	return s, nil
}

// writeSession makes this process the holder of the agent's socket and notes what the agent says of itself.
func (a *Service) writeSession(ctx context.Context, tx *pg.Tx, id string, hello wire.Hello) (epoch int64, err error) {
	const entry = `
		insert into agent_session (tenant_id, agent_id, id, process_id, epoch, boot_id, hostname, machine, ip)
		values (current_tenant(), $1, $2, $3, 1, $4, $5, $6, $7)
		    on conflict (tenant_id, agent_id) do update
		   set id = excluded.id, process_id = excluded.process_id, epoch = agent_session.epoch + 1,
		       boot_id = excluded.boot_id, hostname = excluded.hostname, machine = excluded.machine, ip = excluded.ip,
		       draining = false, proved_at = null, connected_at = now(), last_seen_at = now()
		returning epoch`
	row := tx.QueryRow(
		ctx,
		entry,
		tx.Viewer.ID,
		id,
		a.Process,
		agents.Short(hello.BootID),
		agents.Short(hello.Hostname),
		agents.Short(hello.Machine),
		tx.Viewer.IP,
	)
	if err := row.Scan(&epoch); err != nil {
		return 0, fmt.Errorf("write session: %w", err)
	}
	const facts = `
		update agent
		   set boot_id = $2, version_name = $3, os = $4, arch = $5, hostname = $6, ip_last = $7, connector_types = $8,
		       clock_skew_ms = $9, degraded = $10, back_by = null, connected_since = now(), last_seen_at = now()
		 where id = $1`
	_, err = tx.Exec(
		ctx,
		facts,
		tx.Viewer.ID,
		agents.Short(hello.BootID),
		agents.Short(hello.Version),
		agents.Short(hello.OS),
		agents.Short(hello.Arch),
		agents.Short(hello.Hostname),
		tx.Viewer.IP,
		types(hello.ConnectorTypes),
		session.Skew(hello.Clock).Milliseconds(),
		session.DegradedReasons(hello, session.Skew(hello.Clock), nil, a.MinVersion),
	)
	if err != nil {
		return 0, fmt.Errorf("note the agent's facts: %w", err)
	}
	// Should another process hold an older connection, it lets go of it now.
	return epoch, agents.Changed(ctx, tx, tx.Viewer.ID)
}

// types keeps what an agent says it can run to a sensible number.
func types(list []string) []string {
	out := []string{}
	for _, t := range list[:min(len(list), 50)] {
		out = append(out, agents.Short(t))
	}
	return out
}

// expose quarantines an agent whose identity is used by two processes at once.
func (a *Service) expose(ctx context.Context, v viewer.Viewer, hello wire.Hello, rival earlier) error {
	err := a.DB.As(ctx, v, func(tx *pg.Tx) error {
		seen := map[string]any{
			"boot_id": agents.Short(hello.BootID), "hostname": agents.Short(hello.Hostname), "ip": v.IP,
			"other_boot_id": rival.Boot, "other_hostname": rival.Hostname, "other_ip": rival.IP,
		}
		reason := fmt.Sprintf(
			"the identity connected from two places at once: %s and %s",
			agents.Place(rival.Hostname, rival.IP),
			agents.Place(agents.Short(hello.Hostname), v.IP),
		)
		return agents.Quarantine(ctx, tx, v.ID, reason, seen)
	})
	if err != nil {
		return err
	}
	return errClone
}
