package shape

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector/callable"
	"github.com/grantwright/grantwright/controlplane/internal/reach/dispatch"
	"github.com/grantwright/grantwright/controlplane/internal/reach/shape/template"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Connectors opens connectors with their secrets.
type Connectors interface {
	Open(ctx context.Context, tx *pg.Tx, id string) (callable.Connector, error)
}

// Service keeps how connectors write, and shows what they would.
type Service struct {
	DB         *pg.DB
	Connectors Connectors
	Dispatch   *dispatch.Dispatcher
	Log        *slog.Logger
	// Limit is how long a target may take over a dry run; 30 s when it is zero.
	Limit time.Duration
}

const (
	aboutRead = "Returns all members. defaults names the members that are not set and have the values of the " +
		"connector's type and vendor. " +
		"can lists the changes that the connector can make with its settings."
	aboutPut = "Omitted members, also within account, return to the defaults of the connector's type and vendor. " +
		"Expressions are Python over identity, which has the fields of " +
		"GET /identities/{id}, and manager with id, external_id, email, username and display_name. In expressions of " +
		"attributes and of the container, username is the " +
		"username of the account. Unknown values of a person are None. Usernames are ASCII, contain only the allowed " +
		"characters, and are unique among the connector's accounts, " +
		"including deleted and planned ones. A new template changes no accounts: existing accounts that differ from " +
		"it are reported as drift."
	aboutPreview = "Previews the account that a person would get: each attribute with its expression and its value, " +
		"or why it has none. With exact, the connector plans the creation against its target, and exact contains the " +
		"request that would be sent. Nothing is written. ProvisioningSettings under provisioning are used instead of " +
		"the saved settings."
)

// Routes are the paths of how a connector writes.
func (s *Service) Routes() []httpapi.Route {
	return []httpapi.Route{
		httpapi.Handle("GET", "/connectors/{id}/provisioning", "Get the provisioning settings of a connector", s.read).
			For(viewer.Admin, viewer.Auditor).
			Describe(aboutRead),
		httpapi.Handle("PUT", "/connectors/{id}/provisioning", "Set the provisioning settings of a connector", s.put).
			For(viewer.Admin).
			Errors(412).
			Describe(aboutPut),
		httpapi.Handle("POST", "/connectors/{id}/provisioning/preview", "Preview the account of an identity",
			s.preview).
			For(viewer.Admin).
			Status(200).
			LongRunning().
			Errors(409).
			Describe(aboutPreview),
	}
}

// ProvisioningView is how a connector writes, whole.
type ProvisioningView struct {
	Config
	// Members without a setting of their own.
	Defaults []string `json:"defaults" nullable:"false"`
	// Changes that the connector can make.
	Can WriteAbility `json:"can"`
	// State of the connector's circuit breaker.
	State BreakerState `json:"breaker_state"`
}

// WriteAbility is what the connector can change.
type WriteAbility struct {
	// Changes that the settings allow, without those that the last connection test did not find in the target's schema
	// or manifest.
	Operations []v1.ProvisionOp `json:"operations" nullable:"false"`
	// What is missing, where something is.
	Why *string `json:"why"`
}

// BreakerState reports whether too much has failed or changed.
type BreakerState struct {
	// True if the circuit breaker is open, so that nothing is sent until a person resumes writes.
	Open bool `json:"open"`
	// Time the circuit breaker opened; null if it is closed.
	Since *time.Time `json:"since"`
	// Why the circuit breaker opened; null if it is closed.
	Reason *string `json:"reason"`
}

// find reads how a connector writes.
func find(ctx context.Context, tx *pg.Tx, id, locking string) (Config, error) {
	missing := fault.New(fault.NotFound, "Connector %s was not found.", id)
	if !listing.IsID(id) {
		return Config{}, missing
	}
	if locking != "" {
		const sql = `select version from connector where tenant_id = current_tenant() and id = $1
			and deleted_at is null for update`
		var version int
		switch err := tx.QueryRow(ctx, sql, id).Scan(&version); {
		case errors.Is(err, pgx.ErrNoRows):
			return Config{}, missing
		case err != nil:
			return Config{}, fmt.Errorf("lock connector: %w", err)
		}
	}
	all, err := Load(ctx, tx, []string{id})
	if err != nil {
		return Config{}, err
	}
	c, found := all[id]
	if !found {
		return Config{}, missing
	}
	return c, nil
}

type oneIn struct {
	ID string `path:"id"`
}

func (s *Service) read(
	ctx context.Context,
	v viewer.Viewer,
	in *oneIn,
) (out *httpapi.One[ProvisioningView], err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		c, err := find(ctx, tx, in.ID, "")
		if err != nil {
			return err
		}
		out, err = s.view(ctx, tx, c)
		return err
	})
	return out, err
}

func (s *Service) view(ctx context.Context, tx *pg.Tx, c Config) (*httpapi.One[ProvisioningView], error) {
	can, err := s.ability(ctx, tx, c)
	if err != nil {
		return nil, err
	}
	if c.Template.Attributes == nil {
		c.Template.Attributes = []template.AttributeRule{}
	}
	out := ProvisioningView{
		Config:   c,
		Defaults: c.stored.defaulted(),
		Can:      can,
		State:    BreakerState{Open: c.BreakerOpenSince != nil, Since: c.BreakerOpenSince},
	}
	if c.BreakerReason != "" {
		out.State.Reason = &c.BreakerReason
	}
	return &httpapi.One[ProvisioningView]{ETag: httpapi.ETag(c.version), Body: out}, nil
}

// ability asks the connector itself. One that lacks settings says so.
func (s *Service) ability(ctx context.Context, tx *pg.Tx, c Config) (WriteAbility, error) {
	out := WriteAbility{Operations: []v1.ProvisionOp{}}
	o, err := s.Connectors.Open(ctx, tx, c.ConnectorID)
	var f *fault.Fault
	if errors.As(err, &f) {
		out.Why = &f.Message
		return out, nil
	}
	if err != nil {
		return out, err
	}
	writes := o.Able(s.Dispatch.Writes(o.Target.Type, o.Auth))
	out.Operations = append(out.Operations, writes.Ops...)
	if writes.Why != "" {
		out.Why = &writes.Why
	}
	return out, nil
}

type putIn struct {
	ID string `path:"id"`
	httpapi.IfMatch
	Body ProvisioningSettings
}

func (s *Service) put(ctx context.Context, v viewer.Viewer, in *putIn) (out *httpapi.One[ProvisioningView], err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		before, err := find(ctx, tx, in.ID, "for update")
		if err != nil {
			return err
		}
		if err := in.Check(before.version); err != nil {
			return err
		}
		after := before.as(in.Body)
		if err := after.check(); err != nil {
			return err
		}
		if after.version, err = save(ctx, tx, before, after); err != nil {
			return err
		}
		out, err = s.view(ctx, tx, after)
		return err
	})
	return out, err
}

func audited(c Config) audit.Subject {
	return audit.Subject{Type: "connector", ID: c.ConnectorID, Display: c.BusinessID}
}
