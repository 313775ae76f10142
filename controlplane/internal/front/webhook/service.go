package webhook

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/front/webhook/subscription"
	"github.com/grantwright/grantwright/controlplane/internal/ground/event/signature"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/outbound"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/seal"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// Service keeps webhooks and delivers to them. All fields are needed.
type Service struct {
	DB      *pg.DB
	Seal    *seal.Keyring
	Guard   *outbound.Guard
	Cursors *httpapi.Cursors
	Log     *slog.Logger
	Now     func() time.Time
	BaseURL func(slug string) string // where a tenant's console is

	worker
}

// Made is a webhook with its secret, which is shown this once.
type Made struct {
	subscription.Webhook
	// Shown once. Receivers verify signatures with it: Standard Webhooks, whsec_ and base64.
	Secret string `json:"secret"`
}

func (s *Service) create(ctx context.Context, v viewer.Viewer, n subscription.NewWebhook) (made Made, err error) {
	c := n.Settings()
	if err := s.judge(ctx, c, ""); err != nil {
		return made, err
	}
	id, key := subscription.NewID(), signature.NewKey()
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		if err := subscription.MayAdd(ctx, tx); err != nil {
			return err
		}
		if err := subscription.CheckOwners(ctx, tx, c.OwnerIDs, nil); err != nil {
			return err
		}
		if err := subscription.Write(ctx, tx, s.Seal, id, c, true); err != nil {
			return err
		}
		if err := subscription.AddSecret(ctx, tx, s.Seal, id, key); err != nil {
			return err
		}
		if n.Enabled != nil && !*n.Enabled {
			if err := subscription.SetState(ctx, tx, id, subscription.Disabled, ""); err != nil {
				return err
			}
		}
		r, err := subscription.Find(ctx, tx, id, "")
		if err != nil {
			return err
		}
		if made.Webhook, err = s.show(ctx, tx, r); err != nil {
			return err
		}
		return audit.Record(
			ctx,
			tx,
			audit.Entry{
				Action:  "webhook.created",
				Subject: subscription.Subject(r),
				Changes: differences(subscription.Settings{}, c),
			},
		)
	})
	made.Secret = signature.Secret(key)
	return made, err
}

// judge checks settings, and the URL if it is another than before.
func (s *Service) judge(ctx context.Context, c subscription.Settings, before string) error {
	if err := c.Check(); err != nil {
		return err
	}
	if c.URL == before {
		return nil
	}
	err := s.Guard.CheckURL(ctx, c.URL, "the webhook's URL")
	if fault.IsCode(err, "destination_not_allowed") {
		return fault.Coded(fault.Invalid, "destination_not_allowed", "%s", err).
			With(fault.Field{Pointer: "#/url", Code: "destination_not_allowed", Detail: err.Error()})
	}
	return err
}

func (s *Service) show(ctx context.Context, tx *pg.Tx, r subscription.Row) (subscription.Webhook, error) {
	secrets, err := subscription.SecretsOf(ctx, tx, []string{r.ID})
	if err != nil {
		return subscription.Webhook{}, err
	}
	return r.Shown(subscription.Some(secrets[r.ID]), s.Now())
}

func (s *Service) patch(ctx context.Context, v viewer.Viewer, in *patchIn) (w subscription.Webhook, err error) {
	before, err := s.read(ctx, v, in.ID)
	if err != nil {
		return w, err
	}
	if in.Body.URL != nil && *in.Body.URL == before.URL {
		in.Body.URL = nil // unchanged, perhaps with hidden parts
	}
	if in.Body.URL != nil {
		// Names are looked up before the row is locked, not while others wait for it.
		if err := s.judgeURL(ctx, *in.Body.URL, before.URL); err != nil {
			return w, err
		}
	}
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		r, err := subscription.Find(ctx, tx, in.ID, "for update of w")
		if err != nil {
			return err
		}
		if err := in.Check(r.Version); err != nil {
			return err
		}
		if err := s.change(ctx, tx, r, in); err != nil {
			return err
		}
		if r, err = subscription.Find(ctx, tx, in.ID, ""); err != nil {
			return err
		}
		w, err = s.show(ctx, tx, r)
		return err
	})
	s.Wake()
	return w, err
}

func (s *Service) judgeURL(ctx context.Context, url, before string) error {
	return s.judge(ctx, subscription.Settings{Name: "-", URL: url}, before)
}

func (s *Service) change(ctx context.Context, tx *pg.Tx, r subscription.Row, in *patchIn) error {
	old, err := s.settingsOf(ctx, tx, r)
	if err != nil {
		return err
	}
	c, err := in.Body.Apply(old, in.RawBody)
	if err != nil {
		return err
	}
	if err := c.Check(); err != nil {
		return err
	}
	if err := subscription.CheckOwners(ctx, tx, c.OwnerIDs, old.OwnerIDs); err != nil {
		return err
	}
	if changes := differences(old, c); len(changes) > 0 {
		if err := subscription.Write(ctx, tx, s.Seal, r.ID, c, false); err != nil {
			return err
		}
		if err := audit.Record(
			ctx,
			tx,
			audit.Entry{Action: "webhook.updated", Subject: subscription.Subject(r), Changes: changes},
		); err != nil {
			return err
		}
	}
	if on := in.Body.Enabled; on != nil {
		return turn(ctx, tx, r, *on)
	}
	return nil
}

func (s *Service) settingsOf(ctx context.Context, tx *pg.Tx, r subscription.Row) (subscription.Settings, error) {
	filter, err := r.ReadFilter()
	if err != nil {
		return subscription.Settings{}, err
	}
	headers, err := subscription.Headers(ctx, tx, s.Seal, r)
	if err != nil {
		return subscription.Settings{}, err
	}
	full, err := subscription.FullURL(ctx, tx, s.Seal, r)
	return subscription.Settings{
		Name:              r.Name,
		URL:               full,
		Events:            r.Events,
		Filter:            filter,
		Headers:           headers,
		MaxRPS:            r.MaxRPS,
		OrderedPerSubject: r.Ordered,
		Format:            r.Format,
		OwnerIDs:          r.Owners,
	}, err
}

// turn enables or disables a webhook; one that is so already stays.
func turn(ctx context.Context, tx *pg.Tx, r subscription.Row, on bool) error {
	switch {
	case on && r.State == subscription.Enabled, !on && r.State == subscription.Disabled:
		return nil
	case !on:
		if err := subscription.SetState(ctx, tx, r.ID, subscription.Disabled, ""); err != nil {
			return err
		}
		return audit.Record(ctx, tx, audit.Entry{Action: "webhook.disabled", Subject: subscription.Subject(r)})
	case r.State == subscription.DisabledAuto && (r.PingedAt == nil || r.PingedAt.Before(r.Since)):
		return fault.Coded(
			fault.Conflict,
			"test_required",
			"it was disabled because %s; test it first: POST /settings/webhooks/%s/test must succeed",
			r.Reason,
			r.ID,
		)
	}
	if err := subscription.SetState(ctx, tx, r.ID, subscription.Enabled, ""); err != nil {
		return err
	}
	return audit.Record(ctx, tx, audit.Entry{Action: "webhook.enabled", Subject: subscription.Subject(r)})
}

func (s *Service) turnByID(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	on bool,
) (w subscription.Webhook, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		r, err := subscription.Find(ctx, tx, id, "for update of w")
		if err != nil {
			return err
		}
		if err := turn(ctx, tx, r, on); err != nil {
			return err
		}
		if r, err = subscription.Find(ctx, tx, id, ""); err != nil {
			return err
		}
		w, err = s.show(ctx, tx, r)
		return err
	})
	s.Wake()
	return w, err
}

func (s *Service) read(ctx context.Context, v viewer.Viewer, id string) (w subscription.Webhook, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		r, err := subscription.Find(ctx, tx, id, "")
		if err != nil {
			return err
		}
		w, err = s.show(ctx, tx, r)
		return err
	})
	return w, err
}

// remove deletes a webhook with its secrets, its deliveries and what it wanted. Deliveries beyond atOnce go with the
// next purge.
func (s *Service) remove(ctx context.Context, v viewer.Viewer, id string, match httpapi.IfMatch) error {
	return s.DB.As(ctx, v, func(tx *pg.Tx) error {
		r, err := subscription.Find(ctx, tx, id, "for update of w")
		if err != nil {
			return err
		}
		if err := match.Check(r.Version); err != nil {
			return err
		}
		const deliveries = `
			delete from webhook_delivery
			 where tenant_id = current_tenant()
			   and id in (select id from webhook_delivery where tenant_id = current_tenant() and webhook_id = $1
			       limit $2)`
		if err := pg.Exec(ctx, tx, "delete deliveries", deliveries, id, subscription.AtOnce); err != nil {
			return err
		}
		if err := pg.Exec(
			ctx,
			tx,
			"delete webhook",
			`delete from webhook where tenant_id = current_tenant() and id = $1`,
			id,
		); err != nil {
			return err
		}
		if err := subscription.RegisterKinds(ctx, tx); err != nil {
			return err
		}
		return audit.Record(ctx, tx, audit.Entry{Action: "webhook.deleted", Subject: subscription.Subject(r)})
	})
}

// rotate makes a new secret. The one before signs beside it for a while, so that receivers can change over.
func (s *Service) rotate(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	overlap time.Duration,
) (made Made, err error) {
	key := signature.NewKey()
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		r, err := subscription.Find(ctx, tx, id, "for update of w")
		if err != nil {
			return err
		}
		if err := subscription.Retire(ctx, tx, id, overlap); err != nil {
			return err
		}
		if err := subscription.AddSecret(ctx, tx, s.Seal, id, key); err != nil {
			return err
		}
		if made.Webhook, err = s.show(ctx, tx, r); err != nil {
			return err
		}
		return audit.Record(
			ctx,
			tx,
			audit.Entry{
				Action:  "webhook.secret_rotated",
				Subject: subscription.Subject(r),
				Context: map[string]any{"overlap_seconds": overlap.Seconds()},
			},
		)
	})
	made.Secret = signature.Secret(key)
	return made, err
}

// differences name what an administrator changed. Of headers only the names are included.
func differences(a, b subscription.Settings) (changes []audit.Change) {
	note := func(field string, from, to any, same bool) {
		if !same {
			changes = append(changes, audit.Change{Field: field, From: from, To: to})
		}
	}
	note("name", a.Name, b.Name, a.Name == b.Name)
	note("url", subscription.ShownURL(a.Format, a.URL), subscription.ShownURL(b.Format, b.URL), a.URL == b.URL)
	note("events", a.Events, b.Events, slices.Equal(a.Events, b.Events))
	note("filter", a.Filter, b.Filter, encoded(a.Filter) == encoded(b.Filter))
	note(
		"headers",
		slices.Sorted(maps.Keys(a.Headers)),
		slices.Sorted(maps.Keys(b.Headers)),
		maps.Equal(a.Headers, b.Headers),
	)
	note("max_rps", a.MaxRPS, b.MaxRPS, encoded(a.MaxRPS) == encoded(b.MaxRPS))
	note("ordered_per_subject", a.OrderedPerSubject, b.OrderedPerSubject, a.OrderedPerSubject == b.OrderedPerSubject)
	note("format", a.Format, b.Format, a.Format == b.Format)
	note("owner_ids", a.OwnerIDs, b.OwnerIDs, slices.Equal(a.OwnerIDs, b.OwnerIDs))
	return changes
}
