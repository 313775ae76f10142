package queue

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var noon = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

// Each third pass is even: within three rounds of those through all kinds of all tenants, each place is served.
func TestNobodyIsStarved(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tenants, kinds := rapid.IntRange(1, 6).Draw(t, "tenants"), rapid.IntRange(1, 4).Draw(t, "kinds")
		all := map[place]bool{}
		for i := range tenants {
			for k := range kinds {
				if i == 0 || rapid.Bool().Draw(t, "has") {
					all[place{fmt.Sprint(i), fmt.Sprint(k)}] = rapid.Bool().Draw(t, "urgent")
				}
			}
		}
		a := newAgenda()
		a.due(all, nil, noon)
		last := map[place]int{}
		for n := range 40 * len(all) {
			p, found := a.next(noon)
			if !found {
				t.Fatal("nobody is next although all have work")
			}
			a.done(p, true, false, noon)
			last[p] = n
			for q := range all {
				if wait := n - last[q]; wait > 3*tenants*(kinds+1)+3 {
					t.Fatalf("%v has waited for %d passes", q, wait)
				}
			}
		}
	})
}

func TestUrgentWorkOfAnyTenantIsPreferred(t *testing.T) {
	a := newAgenda()
	calm, hot := place{"calm", "k"}, place{"hot", "k"}
	a.due(map[place]bool{calm: false, hot: true}, nil, noon)
	var got string
	for range 9 {
		p, _ := a.next(noon)
		a.done(p, true, false, noon)
		got += p.Tenant + " "
	}
	if want := "hot hot calm hot hot hot hot hot calm "; got != want {
		t.Errorf("served %q; want %q", got, want)
	}
}

func TestAPlaceThatFailsWaitsForLongerEachTime(t *testing.T) {
	a := newAgenda()
	p, now := place{"a", "k"}, noon
	var before time.Duration
	for range 4 {
		a.due(map[place]bool{p: false}, nil, now)
		if _, found := a.next(now); !found {
			t.Fatal("the place is not served although it has waited")
		}
		a.done(p, false, true, now)
		a.due(map[place]bool{p: false}, nil, now)
		if _, found := a.next(now); found {
			t.Fatal("the place is served at once after it failed")
		}
		wait := a.places[p].wait.Sub(now)
		if wait <= before {
			t.Errorf("waits %v after %v", wait, before)
		}
		before, now = wait, now.Add(wait)
	}
}

func TestAPlaceStaysDueWhileNobodyAsksForItsDates(t *testing.T) {
	a := newAgenda()
	p := place{"a", "dated"}
	a.due(map[place]bool{p: false}, nil, noon)
	a.due(nil, map[string]bool{"dated": true}, noon)
	if got, found := a.next(noon); !found || got != p {
		t.Errorf("next is %v, %t; want %v", got, found, p)
	}
	a.done(p, false, false, noon)
	a.due(map[place]bool{p: false}, nil, noon)
	a.due(nil, nil, noon)
	if got, found := a.next(noon); found {
		t.Errorf("%v is due although its dates are not any more", got)
	}
}

func TestAPlaceIsServedByOnePassAtATime(t *testing.T) {
	a := newAgenda()
	p := place{"a", "k"}
	a.due(map[place]bool{p: false}, nil, noon)
	a.next(noon)
	a.due(map[place]bool{p: false}, nil, noon)
	if _, found := a.next(noon); found {
		t.Error("a second pass begins beside the first")
	}
	a.done(p, false, false, noon)
	if _, found := a.next(noon); !found {
		t.Error("what was found during the pass is forgotten")
	}
}
