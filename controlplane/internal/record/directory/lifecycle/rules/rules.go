package rules

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
)

// What becomes of the accounts of a person who is on leave.
const (
	KeepAccess    = "keep"
	DisableAccess = "disable"
)

// Lifecycle is how long before and after things happen to a tenant's people, and in which time zone their days begin.
type Lifecycle struct {
	Timezone     string         // of the IANA database
	PreHireLead  time.Duration  // how long before the start date a pre-hire's access is made
	MoverGrace   time.Duration  // how long access stays that no longer follows from a person's attributes
	NoticeLead   *time.Duration // how long before their last day people are on notice; nil: as soon as it is known
	LeaveAccess  string         // KeepAccess or DisableAccess
	DeleteAfter  *time.Duration // how long after it was disabled a leaver's account is deleted; nil: never
	ArchiveAfter *time.Duration // how long after they were deactivated people are archived; nil: never
	// the custom attribute, such as a national number, by which a rehire is recognised; empty: none
	RehireAttribute string
	Origin          map[string]any // where the settings are from: {"kind": "manual"}, or a pack's
	Version         int            // 0 while the tenant has the defaults
}

// Zone is where the tenant's days begin.
func (l Lifecycle) Zone() *time.Location {
	z, err := span.FindZone(l.Timezone)
	if err != nil {
		return time.UTC
	}
	return z
}

// Today is the tenant's date at an instant, as YYYY-MM-DD.
func (l Lifecycle) Today(now time.Time) string { return now.In(l.Zone()).Format(time.DateOnly) }

// Find reads the tenant's lifecycle settings, or the defaults: no lead, no grace, access disabled during leave,
// nothing deleted or archived, in the time zone of the tenant's settings.
func Find(ctx context.Context, tx *pg.Tx) (Lifecycle, error) {
	return find(ctx, tx, "")
}

// Lock is Find that keeps others from changing the settings until the transaction ends.
func Lock(ctx context.Context, tx *pg.Tx) (Lifecycle, error) {
	return find(ctx, tx, "for update")
}

// find reads the tenant's lifecycle settings. A tenant without a row has the defaults and its own
// time zone; their version is 0. locking is empty or a locking clause.
func find(ctx context.Context, tx *pg.Tx, locking string) (l Lifecycle, err error) {
	const defaults = `select coalesce(nullif(settings ->> 'timezone', ''), 'UTC') from tenant
		where id = current_tenant()`
	sql := `
		select timezone, pre_hire_lead, mover_grace, notice_lead, leave_access, delete_after, archive_after,
		    coalesce(rehire_attribute, ''), origin, version
		  from lifecycle_policy
		 where tenant_id = current_tenant() ` + locking
	err = tx.QueryRow(ctx, sql).
		Scan(&l.Timezone, &l.PreHireLead, &l.MoverGrace, &l.NoticeLead, &l.LeaveAccess, &l.DeleteAfter, &l.ArchiveAfter,
			&l.RehireAttribute, &l.Origin, &l.Version)
	if !errors.Is(err, pgx.ErrNoRows) {
		if err != nil {
			return l, fmt.Errorf("find lifecycle: %w", err)
		}
		return l, nil
	}
	l = Lifecycle{LeaveAccess: DisableAccess, Origin: map[string]any{"kind": "manual"}}
	if err := tx.QueryRow(ctx, defaults).Scan(&l.Timezone); err != nil {
		return l, fmt.Errorf("find the tenant's time zone: %w", err)
	}
	return l, nil
}

// longest is more than anybody waits for.
const longest = 9999 * 24 * time.Hour

// Check refuses what could not be kept.
func (l Lifecycle) Check() error {
	var wrong []fault.Field
	if _, err := span.FindZone(l.Timezone); err != nil {
		wrong = append(wrong, fault.Field{Pointer: "#/timezone", Code: "invalid", Detail: err.Error()})
	}
	if l.LeaveAccess != KeepAccess && l.LeaveAccess != DisableAccess {
		wrong = append(wrong, fault.Field{Pointer: "#/leave_access", Code: "invalid", Detail: "keep or disable"})
	}
	for member, d := range map[string]*time.Duration{
		"pre_hire_lead": &l.PreHireLead, "mover_grace": &l.MoverGrace, "notice_lead": l.NoticeLead,
		"delete_after": l.DeleteAfter, "archive_after": l.ArchiveAfter,
	} {
		if d != nil && (*d < 0 || *d > longest) {
			wrong = append(wrong, fault.Field{Pointer: "#/" + member, Code: "invalid", Detail: "from PT0S to P9999D"})
		}
	}
	if len(wrong) > 0 {
		return fault.New(fault.Invalid, "The lifecycle settings are invalid. See errors.").With(wrong...)
	}
	return nil
}

// LifecycleSettings are a tenant's lifecycle as the API writes it: durations in ISO 8601, null where something never
// happens.
type LifecycleSettings struct {
	// The time zone in which days begin, of the IANA database. The default is the time zone of the tenant's settings.
	Timezone string `json:"timezone" required:"false" maxLength:"64" example:"Europe/Zurich"`
	// How long before the start date a pre-hire's access is made.
	PreHireLead string `json:"pre_hire_lead" required:"false" maxLength:"64" default:"PT0S"`
	// How long access stays after a person no longer matches, unless its policy has a value of its own.
	MoverGrace string `json:"mover_grace" required:"false" maxLength:"64" default:"PT0S"`
	// How long before their last day people are on notice; null: as soon as it is known.
	NoticeLead *string `json:"notice_lead" required:"false" maxLength:"64"`
	// What happens to accounts during leave.
	LeaveAccess string `json:"leave_access" required:"false" enum:"keep,disable" default:"disable"`
	// How long after it was disabled a leaver's account is deleted; null: never.
	DeleteAfter *string `json:"delete_after" required:"false" maxLength:"64"`
	// How long after they were deactivated people are archived, and their personal data minimised; null: never.
	ArchiveAfter *string `json:"archive_after" required:"false" maxLength:"64"`
	// The custom attribute, such as a national number, by which a new record is recognised as a rehire besides the
	// employee number; null: none.
	RehireAttribute *string `json:"rehire_attribute" required:"false" maxLength:"128"`
}

// Settings is the lifecycle as the API writes it.
func (l Lifecycle) Settings() LifecycleSettings {
	s := LifecycleSettings{
		Timezone:    l.Timezone,
		PreHireLead: span.Format(l.PreHireLead),
		MoverGrace:  span.Format(l.MoverGrace),
		LeaveAccess: l.LeaveAccess,
	}
	for into, d := range map[**string]*time.Duration{&s.NoticeLead: l.NoticeLead, &s.DeleteAfter: l.DeleteAfter,
		&s.ArchiveAfter: l.ArchiveAfter} {
		if d != nil {
			written := span.Format(*d)
			*into = &written
		}
	}
	if l.RehireAttribute != "" {
		s.RehireAttribute = &l.RehireAttribute
	}
	return s
}

// Lifecycle reads the settings of the API. Omitted members get their defaults.
func (s LifecycleSettings) Lifecycle(usual Lifecycle) (Lifecycle, error) {
	l := Lifecycle{
		Timezone:        s.Timezone,
		LeaveAccess:     s.LeaveAccess,
		RehireAttribute: strings.TrimSpace(Text(s.RehireAttribute)),
	}
	if l.Timezone == "" {
		l.Timezone = usual.Timezone
	}
	if l.LeaveAccess == "" {
		l.LeaveAccess = DisableAccess
	}
	var wrong []fault.Field
	read := func(member, value string) *time.Duration {
		if value == "" {
			return nil
		}
		d, err := span.Parse(value)
		if err != nil {
			wrong = append(wrong, fault.Field{Pointer: "#/" + member, Code: "invalid", Detail: err.Error()})
		}
		return &d
	}
	for _, m := range []struct {
		name, value string
		into        *time.Duration
	}{{"pre_hire_lead", s.PreHireLead, &l.PreHireLead}, {"mover_grace", s.MoverGrace, &l.MoverGrace}} {
		if d := read(m.name, m.value); d != nil {
			*m.into = *d
		}
	}
	l.NoticeLead = read("notice_lead", Text(s.NoticeLead))
	l.DeleteAfter = read("delete_after", Text(s.DeleteAfter))
	l.ArchiveAfter = read("archive_after", Text(s.ArchiveAfter))
	if len(wrong) > 0 {
		return l, fault.New(fault.Invalid, "The lifecycle settings are invalid. See errors.").With(wrong...)
	}
	return l, nil
}

// Text is the value of an optional text, empty where there is none.
func Text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
