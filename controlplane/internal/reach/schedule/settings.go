package schedule

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector/health"
	"github.com/grantwright/grantwright/controlplane/internal/reach/schedule/cron"
	"github.com/grantwright/grantwright/controlplane/internal/reach/schedule/duration"
)

// minimum is how far runs of one kind are apart at least.
const minimum = 5 * time.Minute

// ScheduleSettings say when a connector is read by itself. null, or nothing, ends a part of it.
type ScheduleSettings struct {
	// When what has changed is read, such as */15 6-20 * * mon-fri.
	IncrementalCron *string `json:"incremental_cron,omitempty" nullable:"true" maxLength:"500"`
	// When everything is read, such as 0 2 * * *.
	FullCron *string `json:"full_cron,omitempty" nullable:"true" maxLength:"500"`
	// The zone whose clocks count, by its IANA name, such as Europe/Berlin.
	Timezone string `json:"timezone,omitempty" default:"UTC" maxLength:"64"`
	// By how much, at most, a run begins later, so that not all begin at once: an ISO 8601 duration. How much it is
	// depends only on connector and occurrence.
	Jitter string `json:"jitter,omitempty" default:"PT0S" maxLength:"32"`
}

// plan is a schedule that can be reckoned with. A kind that is not scheduled is absent.
type plan struct {
	connector         string
	incremental, full *cron.Expression
	zone              *time.Location
	jitter            time.Duration
}

// normal is the settings with what is blank left out.
func (s ScheduleSettings) normal() ScheduleSettings {
	for _, c := range []**string{&s.IncrementalCron, &s.FullCron} {
		if *c == nil {
			continue
		}
		text := strings.TrimSpace(**c)
		if *c = &text; text == "" {
			*c = nil
		}
	}
	if s.Timezone == "" {
		s.Timezone = "UTC"
	}
	if s.Jitter == "" {
		s.Jitter = "PT0S"
	}
	return s
}

// empty reports whether nothing is scheduled.
func (s ScheduleSettings) empty() bool { return s.IncrementalCron == nil && s.FullCron == nil }

func (s ScheduleSettings) shown() health.ConnectorSchedule {
	return health.ConnectorSchedule{
		IncrementalCron: s.IncrementalCron,
		FullCron:        s.FullCron,
		Timezone:        s.Timezone,
		Jitter:          s.Jitter,
	}
}

// plan checks the settings. Its fault is of kind Invalid and names every field that is wrong.
func (s ScheduleSettings) plan(connector string) (plan, error) {
	p := plan{connector: connector}
	var wrong []fault.Field
	refuse := func(field, code, detail string) {
		wrong = append(wrong, fault.Field{Pointer: "#/" + field, Code: code, Detail: detail})
	}
	var err error
	if p.zone, err = zone(s.Timezone); err != nil {
		refuse("timezone", "unknown_timezone", err.Error())
	}
	if p.jitter, err = duration.Parse(s.Jitter); err != nil {
		refuse("jitter", "invalid", err.Error())
	}
	for _, kind := range []struct {
		field string
		text  *string
		into  **cron.Expression
	}{{"incremental_cron", s.IncrementalCron, &p.incremental}, {"full_cron", s.FullCron, &p.full}} {
		if kind.text == nil {
			continue
		}
		e, err := cron.Parse(*kind.text)
		var problem *cron.Problem
		switch {
		case errors.As(err, &problem):
			refuse(kind.field, problem.Code, problem.Error())
			continue
		case err != nil:
			return p, err
		}
		*kind.into = &e
		switch gap := e.Shortest(); {
		case gap < minimum:
			refuse(
				kind.field,
				"too_often",
				fmt.Sprintf("two occurrences are %s apart; runs are five minutes apart at least", duration.Words(gap)),
			)
		case gap-p.jitter < minimum:
			refuse(
				"jitter",
				"too_long",
				fmt.Sprintf(
					"occurrences of %s may be %s apart: with this jitter, two runs could be less than five minutes "+
						"apart; it may be %s at most",
					kind.field,
					duration.Words(gap),
					duration.Format(gap-minimum),
				),
			)
		}
	}
	if len(wrong) > 0 {
		return p, fault.New(fault.Invalid, "The schedule is invalid. See errors.").With(wrong...)
	}
	return p, nil
}

// zone finds a time zone by its IANA name; without a name it is UTC.
func zone(name string) (*time.Location, error) {
	if name == "" {
		return time.UTC, nil
	}
	return span.FindZone(name)
}
