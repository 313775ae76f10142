package safety

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestTheGuardTripsWhereTheLimitsSay(t *testing.T) {
	for _, tt := range []struct {
		name     string
		m        Measure
		settings bool
		lossOff  bool
		rule     string
		allowed  int64
	}{
		{"3 of 20 accounts are silent", Measure{AccountMissing, 3, 0, 20}, false, false, "", 10},
		{"300 of 5,000 are held", Measure{AccountMissing, 300, 0, 5000}, false, false, ruleLimit, 150},
		{"150 of 5,000 are the limit", Measure{AccountMissing, 150, 0, 5000}, false, false, "", 150},
		{"60 after 100 within a day are held", Measure{AccountMissing, 60, 100, 5000}, false, false, ruleLimit, 150},
		{"50 after 100 within a day pass", Measure{AccountMissing, 50, 100, 5000}, false, false, "", 150},
		{"6 of 6 are a total loss", Measure{AccountMissing, 6, 0, 6}, false, false, ruleTotalLoss, 10},
		{"6 of 6 pass where that rule is off", Measure{AccountMissing, 6, 0, 6}, false, true, "", 10},
		{"1 of 3 passes", Measure{AccountMissing, 1, 0, 3}, false, false, "", 10},
		{"1 of 1 passes", Measure{AccountMissing, 1, 0, 1}, false, false, "", 10},
		{"2 of 2 are a total loss", Measure{AccountMissing, 2, 0, 2}, false, false, ruleTotalLoss, 10},
		{"half of 5 is not yet half", Measure{AccountMissing, 2, 0, 5}, false, false, "", 10},
		{"half of 6 is", Measure{AccountMissing, 3, 0, 6}, false, false, ruleTotalLoss, 10},
		{"the cap holds in a large population", Measure{AccountMissing, 501, 0, 1_000_000}, false, false, ruleLimit,
			500},
		{"one absence after the settings changed", Measure{AccountMissing, 1, 0, 5000}, true, false,
			RuleSettingsChanged, 0},
		{"disabling is read, not inferred", Measure{AccountDisabled, 1, 0, 5000}, true, false, "", 150},
		{"nothing now, much before", Measure{AccountMissing, 0, 9000, 5000}, false, false, "", 150},
		{"every department rewritten", Measure{AttributeRewrite + ".department", 50, 0, 50}, false, false, ruleLimit,
			10},
		{"new people are no loss", Measure{IdentityCreate, 6, 0, 6}, false, false, "", 20},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, trips := Guard{totalLoss: !tt.lossOff, SettingsChanged: tt.settings}.Weigh(tt.m)
			if trips != (tt.rule != "") || f.Rule != tt.rule || f.Allowed != tt.allowed {
				t.Errorf(
					"weigh(%+v) = %v by %q, allowing %d; want %q, %d",
					tt.m,
					trips,
					f.Rule,
					f.Allowed,
					tt.rule,
					tt.allowed,
				)
			}
		})
	}
}

func measures() *rapid.Generator[Measure] {
	return rapid.Custom(func(t *rapid.T) Measure {
		return Measure{
			Kind:     rapid.SampledFrom(Kinds).Draw(t, "kind"),
			Observed: rapid.Int64Range(0, 20000).Draw(t, "observed"),
			Recent: rapid.Int64Range(0, 20000).
				Draw(t, "recent"),
			Population: rapid.Int64Range(0, 100000).Draw(t, "population"),
		}
	})
}

func guards() *rapid.Generator[Guard] {
	return rapid.Custom(func(t *rapid.T) Guard {
		limits := map[string]limit{}
		for _, kind := range rapid.SliceOfDistinct(rapid.SampledFrom(append([]string{AttributeRewrite}, Kinds...)),
			rapid.ID).Draw(t, "kinds") {
			limits[kind] = limit{
				rapid.Int64Range(0, 500).Draw(t, "floor"),
				rapid.Float64Range(0, 100).Draw(t, "pct"),
				rapid.Int64Range(0, 5000).Draw(t, "cap"),
			}
		}
		return Guard{
			limits:          limits,
			totalLoss:       rapid.Bool().Draw(t, "total loss"),
			SettingsChanged: rapid.Bool().Draw(t, "settings changed"),
		}
	})
}

func TestMoreChangesNeverTurnAHoldIntoNone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, m := guards().Draw(t, "guard"), measures().Draw(t, "measure")
		if _, trips := g.Weigh(m); !trips {
			return
		}
		m.Observed += rapid.Int64Range(0, 1000).Draw(t, "more now")
		m.Recent += rapid.Int64Range(0, 1000).Draw(t, "more before")
		if f, trips := g.Weigh(m); !trips {
			t.Errorf("%+v passes, though fewer were held", f)
		}
	})
}

func TestATighterGuardNeverLetsMoreThrough(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, m := guards().Draw(t, "guard"), measures().Draw(t, "measure")
		if _, trips := g.Weigh(m); !trips {
			return
		}
		l := g.limitOf(m.Kind)
		g.limits[m.Kind] = limit{
			min(l.Floor, rapid.Int64Range(0, 500).Draw(t, "floor")),
			l.Pct * rapid.Float64Range(0, 1).Draw(t, "share"),
			min(l.Cap, rapid.Int64Range(0, 5000).Draw(t, "cap")),
		}
		g.totalLoss, g.SettingsChanged = true, g.SettingsChanged || rapid.Bool().Draw(t, "changed too")
		if _, trips := g.Weigh(m); !trips {
			t.Error("what was held passes a tighter guard")
		}
	})
}

func TestWhatPassesStaysWithinTheLimitAndWithoutChangesNothingTrips(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, m := guards().Draw(t, "guard"), measures().Draw(t, "measure")
		f, trips := g.Weigh(m)
		if trips && m.Observed == 0 {
			t.Error("a run that changes nothing is held")
		}
		l := g.limitOf(m.Kind)
		most := math.Min(float64(l.Cap), math.Max(float64(l.Floor), l.Pct*float64(m.Population)/100))
		if !trips && m.Observed > 0 && float64(m.Observed+m.Recent) > most {
			t.Errorf("%d + %d of %d pass a limit of %v (%+v)", m.Observed, m.Recent, m.Population, most, f)
		}
		if !trips && g.totalLoss && losses[m.Kind] && m.Population >= 2 && m.Observed >= m.Population {
			t.Errorf("all of %d %s pass", m.Population, m.Kind)
		}
	})
}
