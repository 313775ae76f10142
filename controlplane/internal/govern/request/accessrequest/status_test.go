package accessrequest

import (
	"slices"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/request/accessrequest/term"
)

// TestStatusOfARequestFollowsFromItsItems goes through all requests of up to four items.
func TestStatusOfARequestFollowsFromItsItems(t *testing.T) {
	all := []string{
		Submitted,
		Pending,
		Blocked,
		Approved,
		Rejected,
		Cancelled,
		Expired,
		Scheduled,
		Provisioning,
		Fulfilled,
		Failed,
		Closed,
	}
	var walk func(items []string)
	n := 0
	walk = func(items []string) {
		if len(items) > 0 {
			n++
			checkStatus(t, items)
		}
		if len(items) == 4 {
			return
		}
		for _, s := range all {
			walk(append(slices.Clone(items), s))
		}
	}
	walk(nil)
	if n != 12+144+1728+20736 {
		t.Errorf("%d combinations looked at", n)
	}
}

func checkStatus(t *testing.T, items []string) {
	t.Helper()
	got := StatusOf(items)
	waiting, granted := false, false
	for _, s := range items {
		waiting = waiting || slices.Contains(undecided, s)
		granted = granted || !slices.Contains(undecided, s) && !slices.Contains(denied, s)
	}
	sorted := slices.Sorted(slices.Values(items))
	if other := StatusOf(sorted); other != got {
		t.Fatalf("statusOf(%v) = %s, and in another order %s", items, got, other)
	}
	switch {
	case waiting != slices.Contains(undecided, got):
		t.Fatalf("statusOf(%v) = %s, although waiting is %v", items, got, waiting)
	case !waiting && granted == slices.Contains(denied, got):
		t.Fatalf("statusOf(%v) = %s, although granted is %v", items, got, granted)
	case got == Closed && slices.ContainsFunc(items,
		func(s string) bool { return s != Closed && !slices.Contains(denied, s) }):
		t.Fatalf("statusOf(%v) = %s, and something is not", items, got)
	case got == PartiallyFulfilled && (!slices.Contains(items, Fulfilled) || !slices.Contains(items, Failed)):
		t.Fatalf("statusOf(%v) = %s", items, got)
	}
}

func TestStatusOfARequestByExample(t *testing.T) {
	for _, tt := range []struct {
		items []string
		want  string
	}{
		{[]string{Pending, Approved}, Pending},
		{[]string{Pending, Blocked}, Pending},
		{[]string{Blocked, Fulfilled}, Blocked},
		{[]string{Rejected, Expired}, Rejected},
		{[]string{Cancelled, Expired}, Expired},
		{[]string{Cancelled, Cancelled}, Cancelled},
		{[]string{Rejected, Approved}, Approved},
		{[]string{Scheduled, Rejected}, Scheduled},
		{[]string{Scheduled, Fulfilled}, Fulfilled},
		{[]string{Provisioning, Failed}, Provisioning},
		{[]string{Fulfilled, Failed}, PartiallyFulfilled},
		{[]string{Failed, Rejected}, Failed},
		{[]string{Fulfilled, Closed}, Fulfilled},
		{[]string{Closed, Rejected}, Closed},
	} {
		if got := StatusOf(tt.items); got != tt.want {
			t.Errorf("statusOf(%v) = %s; want %s", tt.items, got, tt.want)
		}
	}
}

func TestApproversShortenAndNeverProlong(t *testing.T) {
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	hour, week, start := now.Add(time.Hour), now.Add(7*24*time.Hour), now.Add(48*time.Hour)
	for _, tt := range []struct {
		starts, ends *time.Time
		longest      string
		want         *time.Time
	}{
		{nil, nil, "P1D", nil},
		{nil, &hour, "P1D", &hour},
		{nil, &week, "", &week},
		{&start, &week, "P30D", &week},
	} {
		if got := term.Within(tt.starts, tt.ends, tt.longest, now); got != tt.want {
			t.Errorf("within(%v, %v, %s) = %v; want %v", tt.starts, tt.ends, tt.longest, got, tt.want)
		}
	}
	if got := term.Within(nil, &week, "P1D", now); !got.Equal(now.Add(24 * time.Hour)) {
		t.Errorf("a week within a day is until %v", got)
	}
	if got := term.Within(&start, &week, "P1D", now); !got.Equal(start.Add(24 * time.Hour)) {
		t.Errorf("a week within a day from %v is until %v", start, got)
	}
}
