package directory

import (
	"context"
	"strings"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// LifecycleSettings are a tenant's lifecycle as the API writes it: durations in ISO 8601, null where something never happens.
type LifecycleSettings struct {
	Timezone        string  `json:"timezone" required:"false" maxLength:"64" example:"Europe/Zurich" doc:"The time zone in which days begin, of the IANA database. The default is the time zone of the tenant's settings."`
	PreHireLead     string  `json:"pre_hire_lead" required:"false" maxLength:"64" default:"PT0S" doc:"How long before the start date a pre-hire's access is made."`
	MoverGrace      string  `json:"mover_grace" required:"false" maxLength:"64" default:"PT0S" doc:"How long access stays after a person no longer matches, unless its policy has a value of its own."`
	NoticeLead      *string `json:"notice_lead" required:"false" maxLength:"64" doc:"How long before their last day people are on notice; null: as soon as it is known."`
	LeaveAccess     string  `json:"leave_access" required:"false" enum:"keep,disable" default:"disable" doc:"What happens to accounts during leave."`
	DeleteAfter     *string `json:"delete_after" required:"false" maxLength:"64" doc:"How long after it was disabled a leaver's account is deleted; null: never."`
	ArchiveAfter    *string `json:"archive_after" required:"false" maxLength:"64" doc:"How long after they were deactivated people are archived, and their personal data minimised; null: never."`
	RehireAttribute *string `json:"rehire_attribute" required:"false" maxLength:"128" doc:"The custom attribute, such as a national number, by which a new record is recognised as a rehire besides the employee number; null: none."`
}

func (l Lifecycle) view() LifecycleSettings {
	s := LifecycleSettings{Timezone: l.Timezone, PreHireLead: span.Format(l.PreHireLead), MoverGrace: span.Format(l.MoverGrace), LeaveAccess: l.LeaveAccess}
	for into, d := range map[**string]*time.Duration{&s.NoticeLead: l.NoticeLead, &s.DeleteAfter: l.DeleteAfter, &s.ArchiveAfter: l.ArchiveAfter} {
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

// lifecycle reads what was sent. Whatever is left out is the default.
func (s LifecycleSettings) lifecycle(usual Lifecycle) (Lifecycle, error) {
	l := Lifecycle{Timezone: s.Timezone, LeaveAccess: s.LeaveAccess, RehireAttribute: strings.TrimSpace(text(s.RehireAttribute))}
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
	l.NoticeLead, l.DeleteAfter, l.ArchiveAfter = read("notice_lead", text(s.NoticeLead)), read("delete_after", text(s.DeleteAfter)), read("archive_after", text(s.ArchiveAfter))
	if len(wrong) > 0 {
		return l, fault.New(fault.Invalid, "this lifecycle cannot be kept; see errors").With(wrong...)
	}
	return l, nil
}

func (s *Service) lifecycleRoutes() []httpapi.Route {
	return []httpapi.Route{
		httpapi.Handle("GET", "/settings/lifecycle", "Get lifecycle settings", s.readLifecycle).For(viewer.Admin, viewer.Auditor),
		httpapi.Handle("PUT", "/settings/lifecycle", "Replace lifecycle settings", s.putLifecycle).For(viewer.Admin).Errors(412).
			Describe("Durations are ISO 8601 of weeks, or of days, hours, minutes and seconds. Omitted members get their defaults."),
	}
}

func (s *Service) readLifecycle(ctx context.Context, v viewer.Viewer, _ *struct{}) (out *httpapi.One[LifecycleSettings], err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		l, err := FindLifecycle(ctx, tx)
		out = &httpapi.One[LifecycleSettings]{ETag: httpapi.ETag(l.Version), Body: l.view()}
		return err
	})
	return out, err
}

type putLifecycleIn struct {
	httpapi.IfMatch
	Body LifecycleSettings
}

func (s *Service) putLifecycle(ctx context.Context, v viewer.Viewer, in *putLifecycleIn) (out *httpapi.One[LifecycleSettings], err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		before, err := findLifecycle(ctx, tx, "for update")
		if err != nil {
			return err
		}
		if err := in.Check(before.Version); err != nil {
			return err
		}
		after, err := in.Body.lifecycle(before)
		if err != nil {
			return err
		}
		after, err = PutLifecycle(ctx, tx, after)
		out = &httpapi.One[LifecycleSettings]{ETag: httpapi.ETag(after.Version), Body: after.view()}
		return err
	})
	return out, err
}
