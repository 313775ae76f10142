package policy_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/accesspolicy"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// filled is a tenant with twenty policies and nobody yet.
func filled(b *testing.B) *house {
	b.Helper()
	h := open(b)
	for i := range 20 {
		subject := about(
			"department",
			"in",
			[]string{fmt.Sprintf("Department %d", i), fmt.Sprintf("Department %d", i+1)},
		)
		switch i {
		case 0:
			subject = everybody
		case 1:
			subject = map[string]any{"expression": "identity['department'].startswith('Department 1')"}
		case 2:
			subject = about("title", "contains", "7")
		}
		f := accesspolicy.Fields{
			Name:       fmt.Sprint("policy ", i),
			Enabled:    true,
			Mode:       accesspolicy.Enforce,
			Birthright: true,
			Subject:    subject,
			Resources:  accesspolicy.Resources{EntitlementIDs: []string{h.groups[i%len(h.groups)]}},
		}
		err := h.DB.As(b.Context(), h.Tenant, func(tx *pg.Tx) error {
			_, err := accesspolicy.Create(b.Context(), tx, accesspolicy.New{Fields: f})
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	h.settle()
	return h
}

func (h *house) arrive(n int) {
	h.Exec(
		`insert into identity (tenant_id, id, external_id, display_name, email, first_name, last_name, department, title, employment_type, attributes)
		select current_tenant(), gen_random_uuid(), 'E' || n, 'Person ' || n, 'p' || n || '@acme.test', 'Person', n::text, 'Department ' || n % 25, 'Title ' || n % 40,
		       'employee', '{"cost": 7, "shift": "night"}'
		  from generate_series(1, $1::int) n`,
		n,
	)
	h.Analyze()
}

// BenchmarkFiftyThousandPeopleArrive is the time from people to reasons, with twenty policies.
func BenchmarkFiftyThousandPeopleArrive(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		h := filled(b)
		h.arrive(50_000)
		b.StartTimer()
		h.settle()
		b.StopTimer()
		b.ReportMetric(float64(h.Count(`select count(*) from access_reason where state = 'active'`)), "reasons")
		b.StartTimer()
	}
}

// BenchmarkOneChange is the time from a turn to its reasons, in a tenant of fifty thousand people with twenty policies.
func BenchmarkOneChange(b *testing.B) {
	h := filled(b)
	h.arrive(50_000)
	h.settle()
	who := h.Strings(`select id::text from identity limit 1`)[0]
	i := 0
	for b.Loop() {
		b.StopTimer()
		i++
		h.Exec(`update identity set department = $2 where id = $1`, who, fmt.Sprint("Department ", i%20))
		b.StartTimer()
		if _, err := h.policies.Part(context.Background(), h.Tenant.Tenant); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSimulate is the time to tell who of fifty thousand people would gain what.
func BenchmarkSimulate(b *testing.B) {
	h := filled(b)
	h.arrive(50_000)
	h.settle()
	f := accesspolicy.Fields{
		Name:      "x",
		Subject:   about("department", "ne", "Department 3"),
		Resources: accesspolicy.Resources{EntitlementIDs: []string{h.groups[4]}},
	}
	for b.Loop() {
		began := time.Now()
		impact, err := h.policies.Simulations().Simulate(b.Context(), h.Tenant, f, nil)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(impact.Matched)/time.Since(began).Seconds(), "people/s")
	}
}
