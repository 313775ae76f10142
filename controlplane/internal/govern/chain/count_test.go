package chain_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/grantwright/grantwright/controlplane/internal/govern/chain"
)

// crowd is a group of people with what each will answer, which an oracle plays through.
type crowd struct {
	mode   string
	needed int
	size   int
	yes    []bool
}

// verdict plays every way in which those who have not answered could: who agrees whatever they do is agreed, who can
// never agree is refused.
func (c crowd) verdict(answered []int) string {
	yes, no := 0, 0
	for _, i := range answered {
		if c.yes[i] {
			yes++
		} else {
			no++
		}
	}
	switch c.mode {
	case "any": // the first answer decides
		if len(answered) == 0 {
			return "pending"
		}
		if c.yes[answered[0]] {
			return "agreed"
		}
		return "refused"
	case "all":
		if no > 0 {
			return "refused"
		}
	}
	most := yes + c.size - len(answered)
	switch {
	case yes >= c.needed:
		return "agreed"
	case most < c.needed:
		return "refused"
	}
	return "pending"
}

func TestGroupsCountAsAnOracleDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := crowd{
			mode: rapid.SampledFrom([]string{"any", "all", "quorum"}).Draw(t, "mode"),
			size: rapid.IntRange(1, 7).Draw(t, "size"),
		}
		switch c.mode {
		case "any":
			c.needed = 1
		case "all":
			c.needed = c.size
		default:
			c.needed = rapid.IntRange(1, c.size).Draw(t, "quorum")
		}
		c.yes = rapid.SliceOfN(rapid.Bool(), c.size, c.size).Draw(t, "answers")
		order := rapid.Permutation(indices(c.size)).Draw(t, "order")
		approved, rejected := 0, 0
		for n := 0; ; n++ {
			want := c.verdict(order[:n])
			got := chain.Tally(c.mode, c.needed, approved, rejected, c.size-n)
			if got != want {
				t.Fatalf("%+v after %v: got %s; want %s", c, order[:n], got, want)
			}
			if want != "pending" || n == c.size {
				return // what is decided asks nobody any more
			}
			if c.yes[order[n]] {
				approved++
			} else {
				rejected++
			}
		}
	})
}

func TestGroupsOfAStageMustAllAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		groups := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) chain.GroupCount {
			return chain.GroupCount{
				Mode:   rapid.SampledFrom([]string{"any", "all", "quorum"}).Draw(t, "mode"),
				Needed: rapid.IntRange(1, 3).Draw(t, "needed"),
				Approved: rapid.IntRange(0, 3).
					Draw(t, "approved"),
				Rejected: rapid.IntRange(0, 2).Draw(t, "rejected"),
				Open:     rapid.IntRange(0, 3).Draw(t, "open"),
			}
		}), 1, 4).Draw(t, "groups")
		want := "agreed"
		for _, g := range groups {
			switch each := chain.Tally(g.Mode, g.Needed, g.Approved, g.Rejected, g.Open); {
			case each == "refused":
				want = "refused"
			case each == "pending" && want == "agreed":
				want = "pending"
			}
		}
		if got := chain.Together(groups...); got != want {
			t.Fatalf("%+v: got %s; want %s", groups, got, want)
		}
	})
}

func indices(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}
