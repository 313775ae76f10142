package transform_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping"
	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping/mapper"
	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping/transform"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// BenchmarkPeopleWithFiveTransforms maps people of twenty fields by ten rules, five of them with an expression.
func BenchmarkPeopleWithFiveTransforms(b *testing.B) {
	rules := []mapping.Mapping{
		{Source: "mail", Target: "email", Transform: "value.strip().lower()"},
		{Source: "cn", Target: "display_name", Transform: "f\"{record['givenName']} {record['sn'].upper()}\""},
		{Source: "dept", Target: "department", Transform: "value.split('/')[-1] if value else None"},
		{Source: "hired", Target: "hire_date", Transform: "value[:10]"},
		{Source: "active", Target: "is_disabled", Transform: "not value"},
		{
			Source: "givenName",
			Target: "first_name",
		},
		{Source: "sn", Target: "last_name"},
		{Source: "no", Target: "employee_number"},
		{Source: "uid", Target: "username"},
		{Source: "badge", Target: "attributes.badge"},
	}
	for i := range rules {
		rules[i].Object = mapping.ObjectIdentity
	}
	m, err := mapper.With(mapping.Normalise(rules), transform.Compile)
	if err != nil {
		b.Fatal(err)
	}
	record := map[string]any{
		"mail":      " Ada.Lovelace@Example.TEST ",
		"cn":        "Ada Lovelace",
		"givenName": "Ada",
		"sn":        "Lovelace",
		"dept":      "Europe/Research/Engines",
		"hired":     "2020-01-31T00:00:00Z",
		"active":    true,
		"no":        "1007",
		"uid":       "ada",
		"badge":     "B-7",
	}
	for i := range 10 {
		record[fmt.Sprintf("other%d", i)] = "something that nobody maps"
	}
	r := &v1.RemoteIdentity{ExternalID: "1", Attributes: record}
	today := time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if p, problems := m.Person(
				r,
				today,
			); len(problems) > 0 ||
				p.Text[mapping.Email] != "ada.lovelace@example.test" {
				b.Errorf("%v, %v", p.Text, problems)
				return
			}
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "people/s")
}
