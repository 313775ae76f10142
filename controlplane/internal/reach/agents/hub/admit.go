package hub

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

// admission is the right to be connected.
type admission struct {
	id     string
	epoch  int64
	tokens int64
	name   string
	group  string
}

// errClone is how a connection is refused whose identity is in use by another process of the agent's.
var errClone = &wire.CloseError{Code: wire.CloseClone, Reason: "this identity is in use elsewhere: quarantined"}

// admit decides about a connection whose agent has proven key. It returns a *wire.CloseError when the agent must go.
//
// A newer connection of the same start of the agent on the same machine replaces the older one at once. Any other does
// so only when the older connection no longer answers: when it does, two hosts share an identity, and nobody can say
// which one is right.
func (h *Hub) admit(ctx context.Context, v viewer.Viewer, hello wire.Hello, key []byte) (admission, error) {
	cleared := int64(-1)
	for {
		a, rival, err := h.tryAdmit(ctx, v, hello, key, cleared)
		if err != nil || rival == nil {
			return a, err
		}
		if h.answers(ctx, v, *rival) {
			return a, h.expose(ctx, v, hello, *rival)
		}
		cleared = rival.Epoch
	}
}

// tryAdmit writes the connection down, unless there is a rival whose epoch was not cleared before.
func (h *Hub) tryAdmit(
	ctx context.Context, v viewer.Viewer, hello wire.Hello, key []byte, cleared int64,
) (a admission, rival *earlier, err error) {
	err = h.DB.As(ctx, v, func(tx *pg.Tx) error {
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
		before, err := findSession(ctx, tx, v.ID, h.pace.offline)
		if err != nil {
			return err
		}
		if before.Alive && before.other(hello) && before.Process != uuid.Nil.String() && before.Epoch != cleared {
			rival = &before
			return nil
		}
		a = admission{id: uuid.Must(uuid.NewV7()).String(), tokens: who.Epoch, name: who.Name, group: who.Group}
		a.epoch, err = h.writeSession(ctx, tx, a.id, hello)
		return err
	})
	return a, rival, err
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
func (h *Hub) writeSession(ctx context.Context, tx *pg.Tx, id string, hello wire.Hello) (epoch int64, err error) {
	const session = `
		insert into agent_session (tenant_id, agent_id, id, process_id, epoch, boot_id, hostname, machine, ip)
		values (current_tenant(), $1, $2, $3, 1, $4, $5, $6, $7)
		    on conflict (tenant_id, agent_id) do update
		   set id = excluded.id, process_id = excluded.process_id, epoch = agent_session.epoch + 1,
		       boot_id = excluded.boot_id, hostname = excluded.hostname, machine = excluded.machine, ip = excluded.ip,
		       draining = false, proved_at = null, connected_at = now(), last_seen_at = now()
		returning epoch`
	row := tx.QueryRow(
		ctx,
		session,
		tx.Viewer.ID,
		id,
		h.process,
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
		skew(hello.Clock).Milliseconds(),
		h.reasons(hello, skew(hello.Clock), nil),
	)
	if err != nil {
		return 0, fmt.Errorf("note the agent's facts: %w", err)
	}
	// Should another process hold an older connection, it lets go of it now.
	return epoch, agents.Changed(ctx, tx, tx.Viewer.ID)
}

// skew is how far an agent's clock is ahead of ours; an agent that does not tell has none.
func skew(clock time.Time) time.Duration {
	if clock.IsZero() {
		return 0
	}
	return time.Until(clock)
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
func (h *Hub) expose(ctx context.Context, v viewer.Viewer, hello wire.Hello, rival earlier) error {
	err := h.DB.As(ctx, v, func(tx *pg.Tx) error {
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

// answers reports whether an earlier connection still lives. It waits as long as that one has time to answer.
func (h *Hub) answers(ctx context.Context, v viewer.Viewer, rival earlier) bool {
	ctx, cancel := context.WithTimeout(ctx, h.pace.probe)
	defer cancel()
	if rival.Process == h.process {
		return h.sessionOf(agentKey{v.Tenant, v.ID}).answers(ctx)
	}
	return h.answersElsewhere(ctx, v, rival)
}

// answers pings and waits for the answer to this very ping. Anything else that comes proves nothing: it may have been
// on its way when its sender died.
func (s *session) answers(ctx context.Context) bool {
	if s == nil {
		return false
	}
	answered, forget := s.socket.ask()
	defer forget()
	select {
	case <-answered:
		return true
	case <-s.done:
	case <-ctx.Done():
	}
	return false
}

// answersElsewhere asks the process that holds the earlier connection to ping it. That process writes down when it
// answered.
func (h *Hub) answersElsewhere(ctx context.Context, v viewer.Viewer, rival earlier) bool {
	asked, err := h.askToProbe(ctx, v)
	if err != nil {
		h.Log.WarnContext(ctx, "cannot ask after an agent's other connection", "agent", v.ID, "err", err)
		return false
	}
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return false
		}
		var heard, same bool
		const sql = `
			select coalesce(proved_at > $2, false), epoch = $3 and process_id = $4
			  from agent_session
			 where agent_id = $1`
		err := h.DB.As(ctx, v, func(tx *pg.Tx) error {
			return tx.QueryRow(ctx, sql, v.ID, asked, rival.Epoch, rival.Process).Scan(&heard, &same)
		})
		switch {
		case err != nil || !same:
			return false
		case heard:
			return true
		}
	}
}

func (h *Hub) askToProbe(ctx context.Context, v viewer.Viewer) (asked time.Time, err error) {
	err = h.DB.As(ctx, v, func(tx *pg.Tx) error {
		if err := tx.QueryRow(ctx, `select clock_timestamp()`).Scan(&asked); err != nil {
			return err
		}
		return agents.Notify(ctx, tx, agents.PresenceChannel, "probe", v.ID)
	})
	return asked, err
}
