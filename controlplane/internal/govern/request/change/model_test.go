package change

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/chain"
	"github.com/grantwright/grantwright/controlplane/internal/govern/fulfil"
	"github.com/grantwright/grantwright/controlplane/internal/govern/request/accessrequest"
	"github.com/grantwright/grantwright/controlplane/internal/ground/event"
)

// script is a request to which chains and fulfilments ring in any order, with what has been told and ordered.
type script struct {
	r                *accessrequest.AccessRequest
	at               time.Time
	ordered, ended   map[string]int
	approved, denied int // events
	reopened         int
}

func (s *script) step(do func(b *Set)) {
	b := &Set{
		Now:      s.at,
		Requests: []*accessrequest.AccessRequest{s.r},
		byItem:   map[string]*accessrequest.AccessRequest{},
		endings:  map[string][]string{},
	}
	for _, i := range s.r.Items {
		b.byItem[i.ID] = s.r
	}
	do(b)
	b.settle(s.r)
	for _, o := range b.orders {
		s.ordered[o.ItemID]++
	}
	for _, items := range b.endings {
		for _, id := range items {
			s.ended[id]++
		}
	}
	for _, n := range b.news {
		switch n.Kind {
		case event.RequestApproved:
			s.approved++
		case event.RequestRejected:
			s.denied++
		}
	}
	s.at = s.at.Add(time.Minute)
}

// TestRequestsFollowAnyScript lets outcomes and progress come in any order, also those that come too late or twice, and
// looks after each that nothing was told, given or taken that should not have been.
func TestRequestsFollowAnyScript(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := &script{
			at:      time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC),
			ordered: map[string]int{},
			ended:   map[string]int{},
		}
		s.r = &accessrequest.AccessRequest{
			ID:      "r",
			Status:  accessrequest.Submitted,
			Kind:    accessrequest.Grant,
			Urgency: accessrequest.Normal,
		}
		for n := range rapid.IntRange(1, 3).Draw(rt, "items") {
			s.r.Items = append(
				s.r.Items,
				accessrequest.AccessRequestItem{
					ID:     fmt.Sprint(n),
					Kind:   accessrequest.Grant,
					Status: accessrequest.Pending,
					Plan:   approval.Plan{Outcome: approval.Chain},
				},
			)
		}
		s.step(func(*Set) {})
		for range rapid.IntRange(1, 30).Draw(rt, "steps") {
			s.random(rt)
			s.check(rt)
		}
	})
}

func (s *script) random(rt *rapid.T) {
	i := &s.r.Items[rapid.IntRange(0, len(s.r.Items)-1).Draw(rt, "item")]
	before := *i
	told := s.approved + s.denied
	switch rapid.SampledFrom([]string{"decided", "decided", "moved", "withdrawn"}).Draw(rt, "what") {
	case "decided":
		result := rapid.SampledFrom([]string{chain.Approved, chain.Rejected, chain.Expired, chain.Blocked,
			chain.Unblocked, chain.Reopened}).
			Draw(rt, "result")
		var err error
		s.step(func(b *Set) { err = b.Take(s.r, i, chain.Outcome{ItemID: i.ID, Result: result}) })
		switch {
		case err != nil && (result != chain.Reopened || before.Status != i.Status):
			rt.Fatalf("%s of what is %s: %v, and it is %s", result, before.Status, err, i.Status)
		case result == chain.Reopened && err == nil:
			s.reopened++
			if i.Status != accessrequest.Pending || i.Given {
				rt.Fatalf("reopened, and it is %s, given %v", i.Status, i.Given)
			}
		case !before.IsOpen() && result != chain.Reopened && i.Status != before.Status:
			rt.Fatalf("%s was %s, and a late %s made it %s", i.ID, before.Status, result, i.Status)
		}
	case "moved":
		state := rapid.SampledFrom([]string{fulfil.Scheduled, fulfil.Provisioning, fulfil.Fulfilled, fulfil.Failed,
			fulfil.Ending, fulfil.Closed}).
			Draw(rt, "state")
		if i.Status == accessrequest.Closed {
			return // fulfilments tell nothing after that
		}
		p := fulfil.Progress{ItemID: i.ID, State: state}
		if state == fulfil.Fulfilled || i.IsVerified() {
			p.VerifiedAt = &s.at
		}
		s.step(func(b *Set) {
			if i.Given {
				b.Progress(s.r, i, p)
			}
		})
		if !before.Given && i.Status != before.Status {
			rt.Fatalf("nothing was given, and it became %s", i.Status)
		}
	case "withdrawn":
		if i.IsOpen() {
			s.step(func(b *Set) { b.Decide(s.r, i, accessrequest.Cancelled, "withdrawn", "", nil) })
		}
	}
	if now := s.approved + s.denied; now > told+1 {
		rt.Fatalf("%d outcomes were told at once", now-told)
	}
}

func (s *script) check(rt *rapid.T) {
	statuses := []string{}
	waiting := false
	for _, i := range s.r.Items {
		statuses = append(statuses, i.Status)
		waiting = waiting || i.IsOpen()
		if i.Given != i.IsGranted() {
			rt.Fatalf("%s is %s, and given is %v", i.ID, i.Status, i.Given)
		}
		if s.ordered[i.ID]-s.ended[i.ID] != map[bool]int{true: 1}[i.Given] {
			rt.Fatalf("%s is %s: ordered %d times, ended %d times", i.ID, i.Status, s.ordered[i.ID], s.ended[i.ID])
		}
		if (i.Decision == nil) != i.IsOpen() || (i.DecidedAt == nil) != i.IsOpen() {
			rt.Fatalf("%s is %s, and its decision is %v", i.ID, i.Status, i.Decision)
		}
	}
	if s.r.Status != accessrequest.StatusOf(statuses) {
		rt.Fatalf("the request is %s with %v", s.r.Status, statuses)
	}
	if s.approved+s.denied > 1+s.reopened {
		rt.Fatalf("%d approved and %d rejected were told with %d reopenings", s.approved, s.denied, s.reopened)
	}
	decided := !waiting && s.r.Status != accessrequest.Cancelled
	if decided && s.r.Told == "" || waiting && s.r.Told != "" && s.reopened == 0 {
		rt.Fatalf("the request is %s with %v, and told is %q", s.r.Status, statuses, s.r.Told)
	}
	if s.r.Told == "approved" && s.r.ApprovedAt == nil || s.r.Told == "rejected" && s.r.RejectedAt == nil {
		rt.Fatalf("told %s without a time", s.r.Told)
	}
}
