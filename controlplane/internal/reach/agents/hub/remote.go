package hub

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/seal"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/agents"
	"github.com/grantwright/grantwright/controlplane/internal/reach/dispatch"
	v1 "github.com/grantwright/grantwright/protocol/v1"
	"github.com/grantwright/grantwright/protocol/wire"
)

// Connector finds the agent for a target and gives a connector that it runs: over its socket when this process holds
// it, by way of the process that does otherwise. Without one the error is a *v1.ErrorDetail of class agent_unavailable.
func (h *Hub) Connector(ctx context.Context, t dispatch.Target) (connectorkit.Connector, error) {
	h.start()
	if err := h.recall(ctx, t); err != nil {
		return nil, err
	}
	if s := h.pick(t); s != nil {
		return &Proxy{hub: h, session: s, target: t}, nil
	}
	known, err := h.known(ctx, t)
	if err != nil {
		return nil, err
	}
	for _, k := range known {
		if k.Online && k.Supports && !k.Draining && k.Process != uuid.Nil.String() && k.Process != h.process {
			t.AgentID = k.ID
			return &remote{
				hub:    h,
				target: t,
				by:     v1.ExecutedBy{Mode: dispatch.Agent, AgentID: k.ID, Hostname: k.Hostname},
			}, nil
		}
	}
	return nil, unavailable(t, known)
}

// Online reports whether some process holds a socket that can run the target's calls, or held it so lately that the
// agent may be expected back.
func (h *Hub) Online(ctx context.Context, t dispatch.Target) (bool, error) {
	if h.Serves(t) {
		return true, nil
	}
	known, err := h.known(ctx, t)
	for _, k := range known {
		if k.Online && k.Supports && !k.Draining {
			return true, err
		}
	}
	return false, err
}

// candidate is an agent that a target names, by itself or by its group.
type candidate struct {
	ID       string     `db:"id"`
	Name     string     `db:"name"`
	State    string     `db:"state"`
	Hostname string     `db:"hostname"`
	LastSeen *time.Time `db:"last_seen_at"`
	Process  string     `db:"process_id"`
	Online   bool       `db:"online"`
	Supports bool       `db:"supports"`
	Draining bool       `db:"draining"`
}

func (h *Hub) known(ctx context.Context, t dispatch.Target) (out []candidate, err error) {
	if t.AgentID != "" && uuid.Validate(t.AgentID) != nil {
		return nil, nil
	}
	const sql = `
		select a.id::text, a.name, a.state, coalesce(a.hostname, '') as hostname, a.last_seen_at,
		       coalesce(s.process_id, '00000000-0000-0000-0000-000000000000')::text as process_id,
		       a.state = 'registered' and coalesce(s.last_seen_at > now() - make_interval(secs => @offline),
		       false) as online, @type = any(a.connector_types) as supports,
		           a.draining or coalesce(s.draining, false) as draining
		  from agent a
		  left join agent_session s on s.tenant_id = a.tenant_id and s.agent_id = a.id
		 where a.id = @agent::uuid or (@agent::uuid is null and @group <> '' and a.agent_group = @group)
		 order by a.last_seen_at desc nulls last
		 limit 1000`
	args := pgx.NamedArgs{"agent": nil, "group": t.AgentGroup, "type": t.Type, "offline": h.pace.offline.Seconds()}
	if t.AgentID != "" {
		args["agent"] = t.AgentID
	}
	err = h.DB.As(ctx, viewer.System(t.Tenant), func(tx *pg.Tx) error {
		rows, err := tx.Query(ctx, sql, args)
		if err != nil {
			return err
		}
		out, err = pgx.CollectRows(rows, pgx.RowToStructByName[candidate])
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("find agents: %w", err)
	}
	return out, nil
}

// unavailable says why no agent can take a call, and what to do about it.
func unavailable(t dispatch.Target, known []candidate) *v1.ErrorDetail {
	d := &v1.ErrorDetail{Class: v1.ClassAgentUnavailable, Code: "agent_offline", Retryable: true}
	who := "no agent of the group " + t.AgentGroup
	switch {
	case t.AgentID == "" && t.AgentGroup == "":
		return &v1.ErrorDetail{
			Class:   v1.ClassConfig,
			Code:    "agent_missing",
			Message: "the connector runs on an agent, but names neither an agent nor a group",
		}
	case len(known) == 0:
		d.Message = who + " is known"
		if t.AgentID != "" {
			d.Message = "the agent " + t.AgentID + " is not known"
		}
		d.Class, d.Code, d.Retryable, d.Hint = v1.ClassConfig, "agent_unknown", false, "choose another agent for the "+
			"connector, or enrol one"
		return d
	}
	last := known[0] // the one seen last
	if t.AgentID != "" {
		who = "the agent " + last.Name
	}
	for _, k := range known {
		if k.Online && k.Draining {
			d.Code, d.Message = "agent_draining", fmt.Sprintf("the agent %s takes no new tasks at present", k.Name)
			d.Hint = "resume it, or let its operator do so on its host; the call can be repeated then"
			return d
		}
		if k.Online && !k.Supports {
			d.Class, d.Code, d.Retryable = v1.ClassConfig, "agent_type_unsupported", false
			d.Message = fmt.Sprintf("the agent %s is online but does not run connectors of type %s", k.Name, t.Type)
			d.Hint = "update the agent, or choose another one"
			return d
		}
	}
	d.Message = who + " is online"
	if t.AgentID != "" {
		d.Message = who + " is offline"
	}
	d.Message += "; " + lastSeen(t, last)
	d.Hint = "see that the agent runs on its host (grantwright-agent status) and that it reaches the control plane"
	if t.AgentID != "" && last.State != agents.Registered {
		d.Message = who + " is " + last.State
		d.Retryable, d.Hint = false, "enrol the agent, or choose another one for the connector"
		if last.State == agents.Disabled {
			d.Hint = "switch the agent on, or choose another one for the connector"
		}
	}
	return d
}

func lastSeen(t dispatch.Target, c candidate) string {
	if c.LastSeen == nil {
		return "it was never seen"
	}
	when := c.LastSeen.UTC().Format(time.RFC3339)
	if t.AgentID != "" {
		return "it was last seen at " + when
	}
	return "the last one seen was " + c.Name + " at " + when
}

// remote is a connector on an agent whose socket another process holds. Calls travel as rows; what they carry is
// sealed.
type remote struct {
	hub    *Hub
	target dispatch.Target
	by     v1.ExecutedBy
}

// ExecutedBy says which machine speaks to the target.
func (r *remote) ExecutedBy() v1.ExecutedBy { return r.by }

// Test probes the connection. Steps are not reported as they end: they come with the answer.
func (r *remote) Test(ctx context.Context, req v1.TestRequest, _ connectorkit.Report) (v1.TestResponse, error) {
	return askElsewhere[v1.TestResponse](ctx, r, wire.KindTest, req)
}

// Discover reads the target's fields.
func (r *remote) Discover(
	ctx context.Context,
	req v1.DiscoverRequest,
	_ connectorkit.Report,
) (v1.DiscoverResponse, error) {
	return askElsewhere[v1.DiscoverResponse](ctx, r, wire.KindDiscover, req)
}

// Sync is refused: a run is worked on by the process that holds the socket.
func (r *remote) Sync(context.Context, v1.SyncRequest, connectorkit.Emit) error {
	return &v1.ErrorDetail{
		Class: v1.ClassAgentUnavailable, Code: "agent_elsewhere", Retryable: true,
		Message: "the agent is connected to another process of the control plane",
	}
}

// reply is the result of a call as it travels back.
type reply struct {
	Result json.RawMessage `json:"result,omitempty"`
	Error  *v1.ErrorDetail `json:"error,omitempty"`
}

func askElsewhere[T any](ctx context.Context, r *remote, kind wire.TaskKind, req any) (T, error) {
	var answer T
	request, err := encoded(req)
	if err != nil {
		return answer, err
	}
	back, err := r.hub.sendElsewhere(ctx, r.target, kind, request)
	switch {
	case err != nil:
		return answer, err
	case back.Error != nil:
		return answer, back.Error
	}
	if err := json.Unmarshal(back.Result, &answer); err != nil {
		return answer, malformed("the agent's answer", err)
	}
	return answer, nil
}

func requestPlace(task string) seal.Place {
	return seal.Place{Table: "agent_task", Column: "request", Row: task}
}

func resultPlace(task string) seal.Place {
	return seal.Place{Table: "agent_task", Column: "result", Row: task}
}

// sendElsewhere writes the call down and waits for the process that takes it up.
func (h *Hub) sendElsewhere(ctx context.Context, t dispatch.Target, kind wire.TaskKind, request []byte) (reply, error) {
	if _, limited := ctx.Deadline(); !limited {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, h.pace.call)
		defer cancel()
	}
	id := uuid.Must(uuid.NewV7()).String()
	done := h.waitFor(id)
	defer h.forget(id)
	v := viewer.System(t.Tenant)
	if err := h.writeTask(ctx, v, id, t, kind, request); err != nil {
		return reply{}, err
	}
	defer h.dropTask(ctx, v, id)
	return h.await(ctx, v, id, t, done)
}

func (h *Hub) writeTask(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	t dispatch.Target,
	kind wire.TaskKind,
	request []byte,
) error {
	deadline, _ := ctx.Deadline()
	target, err := encoded(t)
	if err != nil {
		return err
	}
	return h.DB.As(ctx, v, func(tx *pg.Tx) error {
		sealed, err := h.Seal.Seal(ctx, tx, requestPlace(id), request)
		if err != nil {
			return fmt.Errorf("seal request: %w", err)
		}
		const sql = `
			insert into agent_task (tenant_id, id, agent_id, agent_group, kind, target, request, deadline)
			values (current_tenant(), $1, $2, nullif($3, ''), $4, $5, $6, now() + make_interval(secs => $7))`
		if err := pg.Exec(
			ctx,
			tx,
			"write call for another process",
			sql,
			id,
			t.AgentID,
			t.AgentGroup,
			string(kind),
			target,
			sealed,
			time.Until(deadline).Seconds(),
		); err != nil {
			return err
		}
		return agents.Notify(ctx, tx, agents.TaskChannel, "offered", id)
	})
}

// dropTask forgets a call. Whoever still works on it is told to stop.
func (h *Hub) dropTask(ctx context.Context, v viewer.Viewer, id string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	err := h.DB.As(ctx, v, func(tx *pg.Tx) error {
		var state string
		if err := tx.QueryRow(ctx, `delete from agent_task where id = $1 returning state`, id).
			Scan(&state); err != nil {
			return err
		}
		if state == "running" {
			return agents.Notify(ctx, tx, agents.TaskChannel, "cancelled", id)
		}
		return nil
	})
	if err != nil {
		h.Log.WarnContext(ctx, "cannot forget a finished call; it is removed later", "task", id, "err", err)
	}
}

// await looks for the result whenever it is told of one, and now and then by itself.
func (h *Hub) await(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	t dispatch.Target,
	done <-chan struct{},
) (reply, error) {
	claimBy := time.Now().Add(h.pace.claim)
	tick := time.NewTicker(h.pace.poll)
	defer tick.Stop()
	for {
		select {
		case <-done:
		case <-tick.C:
		case <-ctx.Done():
			return reply{}, ctx.Err()
		}
		state, back, err := h.readTask(ctx, v, id)
		switch {
		case err != nil:
			return reply{}, err
		case state == "done":
			return back, nil
		case state == "waiting" && time.Now().After(claimBy):
			return reply{}, &v1.ErrorDetail{
				Class:     v1.ClassAgentUnavailable,
				Code:      "agent_offline",
				Retryable: true,
				Message: "the process of the control plane that the agent " + strings.TrimSpace(
					t.AgentID,
				) + " was connected to does not answer",
				Hint: "the agent reconnects automatically within a minute; try again then",
			}
		}
	}
}

func (h *Hub) readTask(ctx context.Context, v viewer.Viewer, id string) (state string, back reply, err error) {
	err = h.DB.As(ctx, v, func(tx *pg.Tx) error {
		var sealed []byte
		if err := tx.QueryRow(ctx, `select state, result from agent_task where id = $1`, id).
			Scan(&state, &sealed); err != nil {
			return fmt.Errorf("read call: %w", err)
		}
		if state != "done" {
			return nil
		}
		plain, err := h.Seal.Open(ctx, tx, resultPlace(id), sealed)
		if err != nil {
			return fmt.Errorf("open result: %w", err)
		}
		return json.Unmarshal(plain, &back)
	})
	return state, back, err
}

func (h *Hub) waitFor(task string) <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	done := make(chan struct{}, 1)
	h.waiting[task] = done
	return done
}

func (h *Hub) forget(task string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.waiting, task)
}

func (h *Hub) wakeWaiting(task string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	select {
	case h.waiting[task] <- struct{}{}:
	default: // somebody else's, or woken already
	}
}
