package conflict_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/conflict"
)

// TestTheOracleAgrees compares the evaluation with an answer-set program that was written from the design document
// alone: equal violations, equal grades, and equal sizes of the smallest cures, over random worlds.
// SEPARATION_WORLDS is how many (500 without it), GRANTWRIGHT_SEED where they begin.
func TestTheOracleAgrees(t *testing.T) {
	clingo, err := exec.LookPath("clingo")
	if err != nil {
		t.Fatal("clingo is missing; .ci/setup installs it (Debian package gringo)")
	}
	const batch = 50
	first, worlds := number(t, "GRANTWRIGHT_SEED", 1), number(t, "SEPARATION_WORLDS", 500)
	violations := 0
	for from := first; from < first+worlds; from += batch {
		var facts bytes.Buffer
		ours := map[string]bool{}
		for seed := from; seed < min(from+batch, first+worlds); seed++ {
			w := randomWorld(uint64(seed))
			w.facts(&facts, seed)
			for _, v := range evaluate(t, w) {
				violations++
				v.atoms(ours, seed)
			}
		}
		theirs := solve(t, clingo, facts.Bytes())
		for atom := range ours {
			if !theirs[atom] {
				t.Errorf("the evaluation says %s, the oracle does not", atom)
			}
		}
		for atom := range theirs {
			if !ours[atom] {
				t.Errorf("the oracle says %s, the evaluation does not", atom)
			}
		}
	}
	t.Logf("%d worlds with %d violations", worlds, violations)
	if violations < worlds/4 {
		t.Errorf("only %d violations in %d worlds: the worlds test nothing", violations, worlds)
	}
}

func number(t *testing.T, name string, otherwise int) int {
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// asked is a violation with the number of its question, as the oracle counts them.
type asked struct {
	conflict.Violation
	question string
}

// evaluate returns the violations of a world. It checks that each cure ends its violation, and that no part of it does.
func evaluate(t *testing.T, w *random) []asked {
	t.Helper()
	rules, access := w.rules(), w.access()
	var list []asked
	for _, v := range rules.Check(access) {
		list = append(list, asked{v, questionOf(v)})
		for _, cure := range v.Cures {
			if still := questions(rules.Check(without(access, cure))); slices.Contains(still, questionOf(v)) {
				t.Errorf("the removal of %v does not end %s", cure, questionOf(v))
			}
			for i := range cure {
				part := slices.Delete(slices.Clone(cure), i, i+1)
				if still := questions(rules.Check(without(access, part))); !slices.Contains(still, questionOf(v)) {
					t.Errorf("%v is no smallest cure of %s: %v suffices", cure, questionOf(v), part)
				}
			}
		}
		if !v.Proven {
			t.Errorf("the search for the smallest cure of %s ended at its limit", questionOf(v))
		}
	}
	return list
}

func questions(list []conflict.Violation) []string {
	var all []string
	for _, v := range list {
		all = append(all, questionOf(v))
	}
	return all
}

// questionOf names a conflict as facts does: policy, and of a matrix the two sides.
func questionOf(v conflict.Violation) string {
	if v.Policy.Kind != conflict.Matrix {
		return fmt.Sprintf("q(%s)", v.Policy.ID)
	}
	return fmt.Sprintf("q(%s,%d,%d)", v.Policy.ID, v.Sides[0].Side+1, v.Sides[1].Side+1)
}

func without(a *conflict.Access, cure []int) *conflict.Access {
	less := *a
	less.Sources = nil
	for i, s := range a.Sources {
		if !slices.Contains(cure, i) {
			less.Sources = append(less.Sources, s)
		}
	}
	return &less
}

func (v asked) atoms(into map[string]bool, world int) {
	into[fmt.Sprintf("violated(%d,%s,now)", world, v.question)] = true
	size := "none"
	if len(v.Cures) > 0 {
		size = fmt.Sprint(len(v.Cures[0]))
	}
	into[fmt.Sprintf("size(%d,%s,%s)", world, v.question, size)] = true
	switch v.Grade {
	case conflict.Latent:
		into[fmt.Sprintf("latent(%d,%s)", world, v.question)] = true
	case conflict.InsideRole:
		into[fmt.Sprintf("inside(%d,%s)", world, v.question)] = true
	}
}

// facts writes the world as the oracle reads it.
func (w *random) facts(out *bytes.Buffer, world int) {
	say := func(format string, a ...any) { fmt.Fprintf(out, format+"\n", a...) }
	say("world(%d).", world)
	for i, s := range w.sources {
		for _, e := range s.entitlements {
			say("source(%d,%d,%d).", world, i, e)
		}
		if s.pending {
			say("pending(%d,%d).", world, i)
		}
		for _, r := range s.roles {
			say("reason(%d,%d,%d).", world, i, r)
		}
	}
	for _, n := range w.nested {
		say("nested(%d,%d,%d).", world, n[0], n[1])
	}
	for _, p := range w.past {
		say("past(%d,%d,%d).", world, p[0], p[1])
	}
	for e, t := range w.traits {
		for i, v := range t {
			if v != "" {
				say("trait(%d,%d,%s,%s).", world, e, traitNames[i], v)
			}
		}
		if w.readOnly[e] {
			say("read_only(%d,%d).", world, e)
		}
	}
	for d, groups := range w.duties {
		for g, members := range groups {
			say("group(%d,%d,%d).", world, d, g)
			for _, e := range members {
				say("member(%d,%d,%d,%d).", world, d, g, e)
			}
		}
	}
	for i := range w.policies {
		policyFacts(say, world, &w.policies[i])
		if w.exempt[w.policies[i].ID] {
			say("exempt(%d,%s).", world, w.policies[i].ID)
		}
	}
}

func policyFacts(say func(string, ...any), world int, p *conflict.Policy) {
	say("kind(%d,%s,%s).", world, p.ID, p.Kind)
	for i, side := range p.Sides {
		for _, d := range side.DutyIDs {
			say("side(%d,%s,%d,%s).", world, p.ID, i+1, d)
		}
	}
	for _, t := range p.Context.Same {
		say("same(%d,%s,%s).", world, p.ID, t)
	}
	if p.Context.ExcludeReadOnly {
		say("excludes_read_only(%d,%s).", world, p.ID)
	}
	ask := func(question string, need int, sides ...int) {
		say("question(%d,%s,%s). need(%d,%s,%d).", world, question, p.ID, world, question, need)
		for _, s := range sides {
			say("asks(%d,%s,%d).", world, question, s)
		}
	}
	plain := fmt.Sprintf("q(%s)", p.ID)
	switch p.Kind {
	case conflict.Matrix:
		for _, c := range p.Conflicts {
			i, j := min(c[0], c[1])+1, max(c[0], c[1])+1
			ask(fmt.Sprintf("q(%s,%d,%d)", p.ID, i, j), 2, i, j)
		}
	case conflict.NOfM:
		sides := make([]int, len(p.Sides))
		for i := range sides {
			sides[i] = i + 1
		}
		ask(plain, p.N, sides...)
	case conflict.Companion:
		ask(plain, 1, 1)
	case conflict.History:
		say("window(%d,%s,%d).", world, p.ID, int(p.Window/(24*time.Hour)))
		ask(plain, 2, 1, 2)
	default:
		ask(plain, 2, 1, 2)
	}
}

var atom = regexp.MustCompile(`[a-z_]+\([^\s]*\)`)

// solve returns the atoms that the oracle shows in its best answer.
func solve(t *testing.T, clingo string, facts []byte) map[string]bool {
	t.Helper()
	c := exec.Command(clingo, "--opt-strategy=usc", "--quiet=1", "--outf=0", "--warn=none", "testdata/oracle.lp", "-")
	c.Stdin = bytes.NewReader(facts)
	out, _ := c.CombinedOutput() // clingo ends with 30 when it has found the best answer
	text := string(out)
	if !strings.Contains(text, "OPTIMUM FOUND") && !strings.Contains(text, "SATISFIABLE") ||
		strings.Contains(text, "UNSATISFIABLE") {
		t.Fatalf("the oracle gave no best answer: %s", text)
	}
	found := map[string]bool{}
	_, answer, _ := strings.Cut(text, "Answer:")
	answer, _, _ = strings.Cut(answer, "Optimization")
	for _, a := range atom.FindAllString(answer, -1) {
		found[a] = true
	}
	return found
}
