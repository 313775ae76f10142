package approval_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/resolution"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// BenchmarkTwoHundredRequests resolves a bulk of requests by people of 200 teams, over two stages.
func BenchmarkTwoHundredRequests(b *testing.B) {
	h := open(b)
	h.make(
		rule(
			"all",
			object{"default": true},
			stage(group("all", by("manager"), by("resource_owner"))),
			stage(group("any", object{"kind": "manager", "level": 2})),
		),
	)
	var subjects []approval.Subject
	for i := range 200 {
		who := h.Person(fmt.Sprintf("member-%d", i), h.Person(fmt.Sprintf("lead-%d", i), h.boss))
		subjects = append(subjects, h.subject(func(s *approval.Subject) { s.BeneficiaryID, s.RequesterID = who, who }))
	}
	h.Analyze()
	ctx := context.Background()
	for b.Loop() {
		err := h.DB.As(ctx, h.Tenant, func(tx *pg.Tx) error {
			_, err := resolution.Plans(ctx, tx, subjects, h.at)
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}
