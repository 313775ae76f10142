package mapping_test

import (
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping"
	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping/mapper"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

func TestLeaveAndLastWorkingTimeComeFromSources(t *testing.T) {
	at := func(s string) time.Time {
		moment, err := time.Parse(time.RFC3339, s)
		if err != nil {
			t.Fatal(err)
		}
		return moment
	}
	for name, tt := range map[string]struct {
		attributes   map[string]any
		last         string // last_working_at
		leave        string // the days of leave
		status, code string
	}{
		"a time": {attributes: map[string]any{"last_working_at": "2027-01-31T17:00:00+01:00"},
			last: "2027-01-31T16:00:00Z"},
		"a day, to its end": {attributes: map[string]any{"lastWorkingDay": "2027-01-31"},
			last: "2027-02-01T00:00:00Z"},
		"over": {attributes: map[string]any{"lastWorkingDay": "2026-10-31"},
			last: "2026-11-01T00:00:00Z", status: "deactivated"},
		"a leave": {attributes: map[string]any{"leaveFrom": "2026-11-01", "leave_to": "2026-12-01"},
			leave: "2026-11-01 2026-12-01", status: "on_leave"},
		"a leave to come": {attributes: map[string]any{"leaveStartDate": "2027-11-01",
			"leaveEndDate": "2027-12-01"}, leave: "2027-11-01 2027-12-01"},
		"ends before it began": {attributes: map[string]any{"leave_from": "2026-12-01", "leave_to": "2026-11-01"},
			code: "invalid_leave"},
		"no time": {attributes: map[string]any{"last_working_at": "soon"}, code: "not_a_date"},
	} {
		p, problems := mapper.New().Person(&v1.RemoteIdentity{ExternalID: "1", Attributes: tt.attributes}, today)
		if len(problems) == 1 && problems[0].Code != tt.code || len(problems) > 1 ||
			len(problems) == 0 && tt.code != "" {
			t.Errorf("%s: problems %v; want %q", name, problems, tt.code)
		}
		if (p.LastWorkingAt != nil) != (tt.last != "") || tt.last != "" && !p.LastWorkingAt.Equal(at(tt.last)) {
			t.Errorf("%s: last_working_at is %v; want %s", name, p.LastWorkingAt, tt.last)
		}
		leave := ""
		if p.LeaveFrom != nil && p.LeaveTo != nil {
			leave = p.LeaveFrom.Format(time.DateOnly) + " " + p.LeaveTo.Format(time.DateOnly)
		}
		if leave != tt.leave || p.Status != tt.status {
			t.Errorf("%s: leave %q, status %q; want %q, %q", name, leave, p.Status, tt.leave, tt.status)
		}
	}
}

func TestOneSourceFieldFillsSeveralFields(t *testing.T) {
	rules := []mapping.Mapping{
		{Object: "identity", Source: "mail", Action: "map", Target: mapping.Email},
		{Object: "identity", Source: "mail", Action: "map", Target: mapping.Username},
		{Object: "account", Source: "mail", Action: "map", Target: mapping.Email},
	}
	if wrong := mapping.Check(rules, nil); len(wrong) != 0 {
		t.Fatalf("wrong: %+v", wrong)
	}
	m, err := mapper.With(rules, nil)
	if err != nil {
		t.Fatal(err)
	}
	p, _ := m.Person(&v1.RemoteIdentity{ExternalID: "1", Attributes: map[string]any{"mail": "ann@x.test"}}, today)
	if p.Text[mapping.Email] != "ann@x.test" || p.Text[mapping.Username] != "ann@x.test" {
		t.Errorf("filled: %v", p.Text)
	}
	for name, wrong := range map[string][]mapping.Mapping{
		"the same twice": {rules[0], rules[0]},
		"also ignored":   {rules[0], {Object: "identity", Source: "mail", Action: "ignore"}},
		"ignored twice": {{Object: "identity", Source: "mail", Action: "ignore"},
			{Object: "identity", Source: "mail", Action: "ignore"}},
	} {
		if found := mapping.Check(wrong, nil); len(found) == 0 || found[0].Index != 1 {
			t.Errorf("%s: %+v; want the second refused", name, found)
		}
	}
}
