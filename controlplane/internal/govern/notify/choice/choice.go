package choice

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/notify/settings"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/mergepatch"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/notice"
)

// Fields are what a person chooses.
type Fields struct {
	// Modes by group: tasks, requests, operations. Absent groups have the tenant's default.
	Modes notice.Choices `json:"modes" nullable:"false"`
	// Hour of the day at which the digest is sent. Null: the tenant's hour.
	DigestHour *int `json:"digest_hour" nullable:"true" minimum:"0" maximum:"23"`
	// Time zone, by its IANA name. Null: that of the identity, or of the tenant.
	TimeZone *string `json:"time_zone" nullable:"true" maxLength:"64" example:"Europe/Zurich"`
}

// OwnNotifications are the caller's choices with what follows from them.
type OwnNotifications struct {
	Fields
	// Address that messages are sent to. Empty if there is none.
	Address string `json:"address"`
	// True if a mail server rejected the address for good. Nothing is sent to it.
	Bounced bool `json:"bounced"`
	// True if the tenant sends notifications.
	Ready bool `json:"ready"`
	// Active mode of each group.
	Groups []GroupChoice `json:"groups" nullable:"false"`
	// Hour at which the digest is sent.
	EffectiveDigestHour int `json:"effective_digest_hour"`
	// Time zone that hours are in.
	EffectiveTimeZone string `json:"effective_time_zone"`
	// Next digest. Null if nothing waits for it.
	NextDigestAt *time.Time `json:"next_digest_at"`
	// Version of the choices.
	Version int `json:"version"`
}

// GroupChoice is what is active for a group.
type GroupChoice struct {
	// Name of the group.
	Group notice.Group `json:"group" enum:"tasks,requests,operations"`
	// Active mode.
	Mode notice.Mode `json:"mode" enum:"smart,immediate,digest,off"`
	// Default of the tenant.
	Default notice.Mode `json:"default" enum:"smart,immediate,digest,off"`
	// True if the default cannot be changed.
	Locked bool `json:"locked"`
}

// Patch is what a merge patch of the choices may hold.
type Patch struct {
	// Modes to change, by group: smart, immediate, digest or off. Null: the tenant's default.
	Modes map[string]*string `json:"modes,omitempty" maxProperties:"10"`
	// Hour of the digest. Null: the tenant's hour.
	DigestHour *int `json:"digest_hour,omitempty" nullable:"true" minimum:"0" maximum:"23"`
	// Time zone. Null: that of the identity, or of the tenant.
	TimeZone *string `json:"time_zone,omitempty" nullable:"true" maxLength:"64"`
}

// Service keeps the choices. It needs all fields.
type Service struct {
	DB *pg.DB
}

const (
	base  = "/settings/notifications/me"
	about = "Whether notifications reach you at once, in a daily digest, or not at all. smart: urgent notifications " +
		"at once, the others in the digest."
)

// Routes are the paths of a person's own choices.
func (s *Service) Routes() []httpapi.Route {
	return []httpapi.Route{
		httpapi.Handle("GET", base, "Retrieve your notification settings", s.read).
			ForPeople().
			Tag("settings").
			Describe(about),
		httpapi.Handle("PATCH", base, "Update your notification settings", s.patch).
			ForPeople().
			Errors(412).
			Tag("settings").
			Describe(about),
	}
}

// find reads the caller's choices.
func find(ctx context.Context, tx *pg.Tx, lock string) (f Fields, version int, err error) {
	const sql = `select modes, digest_hour, time_zone, version from notification_choice
		where tenant_id = current_tenant() and user_id = $1 `
	err = tx.QueryRow(ctx, sql+lock, tx.Viewer.ID).Scan(&f.Modes, &f.DigestHour, &f.TimeZone, &version)
	if errors.Is(err, pgx.ErrNoRows) {
		return Fields{Modes: notice.Choices{}}, 1, nil
	}
	if f.Modes == nil {
		f.Modes = notice.Choices{}
	}
	return f, version, err
}

// complete adds what follows from the choices.
func complete(ctx context.Context, tx *pg.Tx) (out OwnNotifications, err error) {
	if out.Fields, out.Version, err = find(ctx, tx, ""); err != nil {
		return out, fmt.Errorf("read notification settings of a user: %w", err)
	}
	rules, err := settings.ReadRules(ctx, tx)
	if err != nil {
		return out, err
	}
	for _, g := range notice.Groups {
		out.Groups = append(out.Groups, GroupChoice{
			Group:   g,
			Mode:    rules.Mode(g, out.Modes),
			Default: rules.Mode(g, nil),
			Locked:  slices.Contains(rules.Locked, g),
		})
	}
	out.EffectiveDigestHour = rules.DigestHour
	if out.DigestHour != nil {
		out.EffectiveDigestHour = *out.DigestHour
	}
	const sql = `
		select p.address, p.bounced, p.time_zone, notifications_enabled(), d.due_at
		  from app_user u
		 cross join lateral notification_people(array[coalesce(u.identity_id, u.id)]) p
		  left join notification_digest d
		    on d.tenant_id = u.tenant_id
		   and d.person_id = p.person_id
		 where u.tenant_id = current_tenant()
		   and u.id = $1`
	err = tx.QueryRow(ctx, sql, tx.Viewer.ID).
		Scan(&out.Address, &out.Bounced, &out.EffectiveTimeZone, &out.Ready, &out.NextDigestAt)
	if err != nil {
		return out, fmt.Errorf("find where notifications of a user go: %w", err)
	}
	return out, nil
}

func shown(out OwnNotifications, err error) (*httpapi.One[OwnNotifications], error) {
	if err != nil {
		return nil, err
	}
	return &httpapi.One[OwnNotifications]{ETag: httpapi.ETag(out.Version), Body: out}, nil
}

// read is GET of the caller's choices.
func (s *Service) read(ctx context.Context, v viewer.Viewer, _ *struct{}) (*httpapi.One[OwnNotifications], error) {
	var out OwnNotifications
	err := s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		out, err = complete(ctx, tx)
		return err
	})
	return shown(out, err)
}

// patchIn is the input of patch.
type patchIn struct {
	httpapi.IfMatch
	Body    Patch
	RawBody []byte
}

// patch is PATCH of the caller's choices. The time of a scheduled digest is set again.
func (s *Service) patch(ctx context.Context, v viewer.Viewer, in *patchIn) (*httpapi.One[OwnNotifications], error) {
	var out OwnNotifications
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
		before, version, err := find(ctx, tx, "for update")
		if err != nil {
			return err
		}
		if err := in.Check(version); err != nil {
			return err
		}
		after, err := mergepatch.Apply(before, in.RawBody)
		if err != nil {
			return err
		}
		if after.Modes == nil {
			after.Modes = notice.Choices{}
		}
		if err := after.check(); err != nil {
			return err
		}
		changes, err := audit.Diff(before, after)
		if err != nil {
			return err
		}
		if len(changes) > 0 {
			if err := save(ctx, tx, after); err != nil {
				return err
			}
			if err := audit.Record(ctx, tx, audit.Entry{
				Action:  "user.notifications_updated",
				Subject: audit.Subject{Type: "user", ID: v.ID, Display: v.Display},
				Changes: changes,
			}); err != nil {
				return err
			}
		}
		out, err = complete(ctx, tx)
		return err
	})
	return shown(out, err)
}

// check says what is wrong with choices.
func (f Fields) check() error {
	var wrong []fault.Field
	for g, m := range f.Modes {
		if !slices.Contains(notice.Groups, g) || !m.Known() {
			wrong = append(wrong, fault.Field{Pointer: "#/modes", Code: "invalid",
				Detail: "must name groups (tasks, requests, operations) with a mode (smart, immediate, digest, off)"})
			break
		}
	}
	if f.TimeZone != nil {
		if _, err := time.LoadLocation(*f.TimeZone); err != nil || *f.TimeZone == "Local" || *f.TimeZone == "" {
			wrong = append(wrong, fault.Field{Pointer: "#/time_zone", Code: "invalid",
				Detail: "a name of the IANA time zone database, such as Europe/Zurich"})
		}
	}
	if f.DigestHour != nil && (*f.DigestHour < 0 || *f.DigestHour > 23) {
		wrong = append(
			wrong,
			fault.Field{Pointer: "#/digest_hour", Code: "invalid", Detail: "must be between 0 and 23"},
		)
	}
	if len(wrong) > 0 {
		return fault.New(fault.Invalid, "The notification settings are invalid.").With(wrong...)
	}
	return nil
}

// save stores the caller's choices, and sets the time of their scheduled digest again.
func save(ctx context.Context, tx *pg.Tx, f Fields) error {
	const sql = `
		insert into notification_choice as c (tenant_id, user_id, modes, digest_hour, time_zone, version)
		values (current_tenant(), @user, @modes, @hour, @zone, 2)
		    on conflict (tenant_id, user_id) do update
		   set modes = excluded.modes, digest_hour = excluded.digest_hour, time_zone = excluded.time_zone,
		       updated_at = now(), version = c.version + 1`
	if err := pg.Exec(ctx, tx, "store notification settings of a user", sql, pgx.NamedArgs{
		"user": tx.Viewer.ID, "modes": f.Modes, "hour": f.DigestHour, "zone": f.TimeZone,
	}); err != nil {
		return err
	}
	const reschedule = `
		with moved as (
			update notification_digest d
			   set due_at = null
			  from app_user u
			 where u.tenant_id = current_tenant()
			   and u.id = $1
			   and d.tenant_id = u.tenant_id
			   and d.person_id = coalesce(u.identity_id, u.id)
			   and d.due_at is not null
			returning d.person_id)
		select enqueue_work('notifications', array(select person_id from moved))`
	return pg.Exec(ctx, tx, "schedule the digest again", reschedule, tx.Viewer.ID)
}
