package grant

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestPathsAreAllSimpleWaysUpFromWhatIsHeld(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(1, 5).Draw(t, "size")
		n, direct := graph{}, map[string]bool{}
		for member := range size {
			name := fmt.Sprint(member)
			direct[name] = rapid.Bool().Draw(t, "direct")
			for parent := range size {
				if rapid.IntRange(0, 3).Draw(t, "edge") == 0 {
					n[fmt.Sprint(parent)] = append(n[fmt.Sprint(parent)], name)
				}
			}
		}
		want := bruteForce(n, direct, size)
		got := []string{}
		for _, p := range n.paths(direct, "0") {
			got = append(got, strings.Join(p.EntitlementIDs, ""))
		}
		for _, way := range got {
			if !slices.Contains(want, way) {
				t.Fatalf("%s is no way; the ways are %v", way, want)
			}
		}
		if len(got) != min(len(want), maxPaths) {
			t.Fatalf("got %v; want all of %v", got, want)
		}
	})
}

// bruteForce tries every sequence of different entitlements that ends at 0.
func bruteForce(n graph, direct map[string]bool, size int) []string {
	ways := []string{}
	var extend func(way string)
	extend = func(way string) {
		for next := range size {
			name := fmt.Sprint(next)
			if strings.Contains(way, name) || !slices.Contains(n[way[:1]], name) {
				continue
			}
			if direct[name] {
				ways = append(ways, name+way)
			}
			extend(name + way)
		}
	}
	extend("0")
	return ways
}

func TestALatticeOfManyWaysIsSearchedQuickly(t *testing.T) {
	n := graph{}
	for layer := range 40 {
		for _, upper := range []string{"a", "b"} {
			for _, lower := range []string{"a", "b"} {
				at := fmt.Sprint(upper, layer)
				n[at] = append(n[at], fmt.Sprint(lower, layer+1))
			}
		}
	}
	if got := len(n.paths(map[string]bool{"a40": true}, "a0")); got != maxPaths {
		t.Errorf("found %d of very many ways; want %d", got, maxPaths)
	}
	chain := graph{}
	for i := range 100 {
		chain[fmt.Sprint(i)] = []string{fmt.Sprint(i + 1)}
	}
	if diff := cmp.Diff([]NestingPath{}, chain.paths(map[string]bool{"70": true}, "0")); diff != "" {
		t.Errorf("a way of 70 steps: -want +got\n%s", diff)
	}
}
