package api

import (
	"context"
	"fmt"
	"time"
)

// Counters count the records of a run.
type Counters struct {
	Identities   int64 `json:"identities_read"`
	Accounts     int64 `json:"accounts_discovered"`
	Entitlements int64 `json:"entitlements_mapped"`
	Grants       int64 `json:"grants_recorded"`
	Inherited    int64 `json:"inherited_grants"`
	Created      int64 `json:"created"`
	Updated      int64 `json:"updated"`
	Unchanged    int64 `json:"unchanged"`
	Missing      int64 `json:"missing"`
	Removed      int64 `json:"removed"`
	Reappeared   int64 `json:"reappeared"`
	Linked       int64 `json:"accounts_linked"`
	Unresolved   int64 `json:"unresolved_references"`
	Skipped      int64 `json:"skipped"`
	Errors       int64 `json:"errors"`
}

// Failure is what went wrong, in the service's and in the target's own words.
type Failure struct {
	Class   string `json:"class"`
	Code    string `json:"code"`
	Message string `json:"message"`
	Hint    string `json:"hint"`
	Target  *struct {
		HTTP *struct {
			Status int `json:"status"`
		} `json:"http"`
		LDAP *struct {
			ResultCode int    `json:"result_code"`
			Name       string `json:"name"`
		} `json:"ldap"`
	} `json:"target"`
}

// Counted is what a run did to the records of one kind.
type Counted struct {
	Created   int64 `json:"created"`
	Updated   int64 `json:"updated"`
	Unchanged int64 `json:"unchanged"`
	Missing   int64 `json:"missing"`
	Removed   int64 `json:"removed"`

	Reappeared  int64 `json:"reappeared"`
	Quarantined int64 `json:"quarantined"`
}

// Run is one reading of a target system.
type Run struct {
	ID          string   `json:"id"`
	ConnectorID string   `json:"connector_id"`
	Status      string   `json:"status"`
	Phase       string   `json:"phase"`
	Counters    Counters `json:"counters"`
	Chunks      int      `json:"chunks"`
	Attempt     int      `json:"attempt"`
	Resumes     int      `json:"resumes"`
	Reread      int64    `json:"reread"`
	Strategy    string   `json:"strategy"`

	// Incremental says that changes alone were read; Fallback why they were not, though they were asked for.
	Incremental bool   `json:"effective_incremental"`
	Fallback    string `json:"fallback_reason"`

	ExecutedBy *struct {
		AgentID string `json:"agent_id"`
	} `json:"executed_by"`

	Holds     int             `json:"holds"`
	HeldUntil *time.Time      `json:"held_until"`
	Warnings  []Warning       `json:"warnings"`
	Complete  map[string]bool `json:"complete"`

	// Report counts by kind of object what the merge did.
	Report     map[string]Counted `json:"report"`
	Error      *Failure           `json:"error"`
	DurationMS int64              `json:"duration_ms"`
	Callback   *string            `json:"callback_state"`
	StartedAt  *time.Time         `json:"started_at"`
	FinishedAt *time.Time         `json:"finished_at"`
}

// Warning tells of something that did not stop a run.
type Warning struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Agent is the id of the agent that read last; empty: none has.
func (r Run) Agent() string {
	if r.ExecutedBy == nil {
		return ""
	}
	return r.ExecutedBy.AgentID
}

// Ended reports whether the run is over.
func (r Run) Ended() bool {
	switch r.Status {
	case "succeeded", "partial", "failed", "cancelled", "previewed", "discarded", "expired":
		return true
	}
	return false
}

// Test is the verdict on a connection.
type Test struct {
	Success    bool  `json:"success"`
	DurationMS int64 `json:"duration_ms"`
	ExecutedBy *struct {
		Mode    string `json:"mode"`
		AgentID string `json:"agent_id"`
	} `json:"executed_by"`
	Steps []struct {
		Name   string `json:"name"`
		OK     bool   `json:"ok"`
		Detail string `json:"detail"`
	} `json:"steps"`
	Error *Failure `json:"error"`
}

// Connector is the payload that makes one.
type Connector struct {
	BusinessID  string         `json:"business_id"`
	Name        string         `json:"name"`
	Type        string         `json:"type"`
	VendorKey   string         `json:"vendor_key,omitempty"`
	Mode        string         `json:"mode,omitempty"`
	AgentID     string         `json:"agent_id,omitempty"`
	AgentGroup  string         `json:"agent_group,omitempty"`
	Purpose     string         `json:"purpose,omitempty"`
	Connection  map[string]any `json:"connection"`
	Credentials map[string]any `json:"credentials,omitempty"`
}

// Sync is what a run is asked to do. The zero value reads everything.
type Sync struct {
	Incremental bool   `json:"incremental"`
	Mode        string `json:"mode,omitempty"` // preview tells what would change; without it the changes are made
	MaxRecords  int    `json:"max_records,omitempty"`
	ChunkSize   int    `json:"chunk_size,omitempty"`
	CallbackURL string `json:"callback_url,omitempty"`
}

// Started answers a Sync.
type Started struct {
	RunID          string            `json:"run_id"`
	Status         string            `json:"status"`
	Links          map[string]string `json:"links"`
	CallbackSecret string            `json:"callback_secret"`
}

// Agent is an agent as the service sees it; Token is there when it has just been invited.
type Agent struct {
	ID             string     `json:"id"`
	State          string     `json:"state"`
	ConnectedSince *time.Time `json:"connected_since"`
	Token          string     `json:"enrollment_token"`
}

// Online reports whether the agent has connected since a moment. The state alone is a little behind: short absences are
// none.
func (a Agent) Online(since time.Time) bool {
	return a.State == "online" && a.ConnectedSince != nil && !a.ConnectedSince.Before(since)
}

// CreateConnector makes a connector and answers its id.
func (c *Client) CreateConnector(ctx context.Context, n Connector) (string, error) {
	var out struct {
		ID string `json:"id"`
	}
	err := c.Post(ctx, "/connectors", n, &out)
	return out.ID, err
}

// Test tests a connector's connection.
func (c *Client) Test(ctx context.Context, connector string) (Test, error) {
	var out Test
	err := c.Post(ctx, "/connectors/"+connector+"/test", nil, &out)
	return out, err
}

// Start starts reading a target system.
func (c *Client) Start(ctx context.Context, connector string, s Sync) (Started, error) {
	var out Started
	err := c.Post(ctx, "/connectors/"+connector+"/sync", s, &out)
	return out, err
}

// Run reads a run.
func (c *Client) Run(ctx context.Context, connector, run string) (Run, error) {
	var out Run
	err := c.Get(ctx, "/connectors/"+connector+"/sync-runs/"+run, &out)
	return out, err
}

// Agent reads an agent's state.
func (c *Client) Agent(ctx context.Context, id string) (Agent, error) {
	var out Agent
	err := c.Get(ctx, "/settings/agents/"+id, &out)
	return out, err
}

// Follow looks at a run until it is over, telling every state it sees. Answers that fail to come are waited out,
// because the service may be starting again; only the end of ctx stops it.
func (c *Client) Follow(ctx context.Context, connector, run string, pause time.Duration, tell func(Run)) (Run, error) {
	for {
		r, err := c.Run(ctx, connector, run)
		if err == nil {
			if tell != nil {
				tell(r)
			}
			if r.Ended() {
				return r, nil
			}
		}
		select {
		case <-ctx.Done():
			return r, fmt.Errorf("run %s is still %s: %w", run, r.Status, context.Cause(ctx))
		case <-time.After(pause):
		}
	}
}
