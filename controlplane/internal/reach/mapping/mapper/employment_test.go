package mapper

import (
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

func TestEmploymentTypesOfSourcesBecomeTheKindsThatAreCompared(t *testing.T) {
	for said, want := range map[string]string{
		"Employee": "employee", "employee": "employee", "FTE": "employee", "Full-Time": "employee",
		"full time": "employee", "Permanent": "employee",
		"Contractor": "contractor", "CONTRACTOR": "contractor", "Contingent Worker": "contractor",
		"contingent_worker": "contractor",
		"Intern":            "intern", " Student ": "student", "Supplier": "vendor", "": "",
	} {
		p, problems := New().Person(&v1.RemoteIdentity{ExternalID: "1",
			Attributes: map[string]any{"employeeType": said}}, time.Now())
		if got := p.Text[mapping.EmploymentType]; got != want || len(problems) > 0 || p.Custom != nil {
			t.Errorf("%q became %q with %v and %v; want %q", said, got, problems, p.Custom, want)
		}
	}
	said := "Seasonal"
	p, problems := New().Person(&v1.RemoteIdentity{ExternalID: "1", EmploymentType: &said}, time.Now())
	if p.Text[mapping.EmploymentType] != "other" || p.Custom[EmploymentSource] != said || len(problems) != 1 ||
		problems[0].Code != UnknownEmployment {
		t.Errorf("an unknown word became %q with %v and %v", p.Text[mapping.EmploymentType], p.Custom, problems)
	}
}
