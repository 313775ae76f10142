package reconcile

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestTheGuardTripsWhereTheLimitsSay(t *testing.T) {
	for _, tt := range []struct {
		name     string
		m        measure
		settings bool
		lossOff  bool
		rule     string
		allowed  int64
	}{
		{"3 of 20 accounts are silent", measure{accountMissing, 3, 0, 20}, false, false, "", 10},
		{"300 of 5,000 are held", measure{accountMissing, 300, 0, 5000}, false, false, ruleLimit, 150},
		{"150 of 5,000 are the limit", measure{accountMissing, 150, 0, 5000}, false, false, "", 150},
		{"60 after 100 within a day are held", measure{accountMissing, 60, 100, 5000}, false, false, ruleLimit, 150},
		{"50 after 100 within a day pass", measure{accountMissing, 50, 100, 5000}, false, false, "", 150},
		{"6 of 6 are a total loss", measure{accountMissing, 6, 0, 6}, false, false, ruleTotalLoss, 10},
		{"6 of 6 pass where that rule is off", measure{accountMissing, 6, 0, 6}, false, true, "", 10},
		{"1 of 3 passes", measure{accountMissing, 1, 0, 3}, false, false, "", 10},
		{"1 of 1 passes", measure{accountMissing, 1, 0, 1}, false, false, "", 10},
		{"2 of 2 are a total loss", measure{accountMissing, 2, 0, 2}, false, false, ruleTotalLoss, 10},
		{"half of 5 is not yet half", measure{accountMissing, 2, 0, 5}, false, false, "", 10},
		{"half of 6 is", measure{accountMissing, 3, 0, 6}, false, false, ruleTotalLoss, 10},
		{"the cap holds in a large population", measure{accountMissing, 501, 0, 1_000_000}, false, false, ruleLimit,
			500},
		{"one absence after the settings changed", measure{accountMissing, 1, 0, 5000}, true, false,
			ruleSettingsChanged, 0},
		{"disabling is read, not inferred", measure{accountDisabled, 1, 0, 5000}, true, false, "", 150},
		{"nothing now, much before", measure{accountMissing, 0, 9000, 5000}, false, false, "", 150},
		{"every department rewritten", measure{attributeRewrite + ".department", 50, 0, 50}, false, false, ruleLimit,
			10},
		{"new people are no loss", measure{identityCreate, 6, 0, 6}, false, false, "", 20},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, trips := guard{totalLoss: !tt.lossOff, settingsChanged: tt.settings}.weigh(tt.m)
			if trips != (tt.rule != "") || f.rule != tt.rule || f.allowed != tt.allowed {
				t.Errorf(
					"weigh(%+v) = %v by %q, allowing %d; want %q, %d",
					tt.m,
					trips,
					f.rule,
					f.allowed,
					tt.rule,
					tt.allowed,
				)
			}
		})
	}
}

func measures() *rapid.Generator[measure] {
	return rapid.Custom(func(t *rapid.T) measure {
		return measure{
			kind:     rapid.SampledFrom(kinds).Draw(t, "kind"),
			observed: rapid.Int64Range(0, 20000).Draw(t, "observed"),
			recent: rapid.Int64Range(0, 20000).
				Draw(t, "recent"),
			population: rapid.Int64Range(0, 100000).Draw(t, "population"),
		}
	})
}

func guards() *rapid.Generator[guard] {
	return rapid.Custom(func(t *rapid.T) guard {
		limits := map[string]limit{}
		for _, kind := range rapid.SliceOfDistinct(rapid.SampledFrom(append([]string{attributeRewrite}, kinds...)),
			rapid.ID).Draw(t, "kinds") {
			limits[kind] = limit{
				rapid.Int64Range(0, 500).Draw(t, "floor"),
				rapid.Float64Range(0, 100).Draw(t, "pct"),
				rapid.Int64Range(0, 5000).Draw(t, "cap"),
			}
		}
		return guard{
			limits:          limits,
			totalLoss:       rapid.Bool().Draw(t, "total loss"),
			settingsChanged: rapid.Bool().Draw(t, "settings changed"),
		}
	})
}

func TestMoreChangesNeverTurnAHoldIntoNone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, m := guards().Draw(t, "guard"), measures().Draw(t, "measure")
		if _, trips := g.weigh(m); !trips {
			return
		}
		m.observed += rapid.Int64Range(0, 1000).Draw(t, "more now")
		m.recent += rapid.Int64Range(0, 1000).Draw(t, "more before")
		if f, trips := g.weigh(m); !trips {
			t.Errorf("%+v passes, though fewer were held", f)
		}
	})
}

func TestATighterGuardNeverLetsMoreThrough(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, m := guards().Draw(t, "guard"), measures().Draw(t, "measure")
		if _, trips := g.weigh(m); !trips {
			return
		}
		l := g.limitOf(m.kind)
		g.limits[m.kind] = limit{
			min(l.Floor, rapid.Int64Range(0, 500).Draw(t, "floor")),
			l.Pct * rapid.Float64Range(0, 1).Draw(t, "share"),
			min(l.Cap, rapid.Int64Range(0, 5000).Draw(t, "cap")),
		}
		g.totalLoss, g.settingsChanged = true, g.settingsChanged || rapid.Bool().Draw(t, "changed too")
		if _, trips := g.weigh(m); !trips {
			t.Error("what was held passes a tighter guard")
		}
	})
}

func TestWhatPassesStaysWithinTheLimitAndWithoutChangesNothingTrips(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, m := guards().Draw(t, "guard"), measures().Draw(t, "measure")
		f, trips := g.weigh(m)
		if trips && m.observed == 0 {
			t.Error("a run that changes nothing is held")
		}
		l := g.limitOf(m.kind)
		most := math.Min(float64(l.Cap), math.Max(float64(l.Floor), l.Pct*float64(m.population)/100))
		if !trips && m.observed > 0 && float64(m.observed+m.recent) > most {
			t.Errorf("%d + %d of %d pass a limit of %v (%+v)", m.observed, m.recent, m.population, most, f)
		}
		if !trips && g.totalLoss && losses[m.kind] && m.population >= 2 && m.observed >= m.population {
			t.Errorf("all of %d %s pass", m.population, m.kind)
		}
	})
}
