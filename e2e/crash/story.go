package crash

import (
	"fmt"
	"math/rand/v2"
)

// Moments of the programs at which they may die; see package crashpoint.
var (
	planeMoments = []string{
		"chunk.staged",
		"chunk.committed",
		"chunk.acked",
		"read.ended",
		"evaluated",
		"merge.committed",
		"removals.applied",
		"run.ended",
	}
	agentMoments = []string{"chunk.sent", "chunk.acked", "read.ended"}
)

// kill is one death. At an empty moment the program is killed from outside, after so many chunks.
type kill struct {
	program string // plane, agent, postgres
	moment  string
	n       int
}

func (k kill) String() string {
	if k.moment == "" {
		return fmt.Sprintf("%s after %d chunks", k.program, k.n)
	}
	return fmt.Sprintf("%s at %s no. %d", k.program, k.moment, k.n)
}

// story is what happens to one reading.
type story struct {
	seed   int64
	source string // hr, directory, workspace

	kills []kill
}

func (s story) String() string {
	return fmt.Sprintf("seed %d: %s; %v", s.seed, s.source, s.kills)
}

// tell makes up a story of one to four deaths.
func tell(seed int64) story {
	r := rand.New(rand.NewPCG(uint64(seed), 7))
	s := story{seed: seed, source: []string{"hr", "directory", "workspace"}[seed%3]}
	for range 1 + r.IntN(4) {
		s.kills = append(s.kills, death(r, s.source))
	}
	return s
}

func death(r *rand.Rand, source string) kill {
	hosted := source == "workspace"
	switch n := r.IntN(10); {
	case n < 5 || n < 8 && hosted:
		return kill{"plane", planeMoments[r.IntN(len(planeMoments))], 1 + r.IntN(8)}
	case n < 8:
		return kill{"agent", agentMoments[r.IntN(len(agentMoments))], 1 + r.IntN(8)}
	case n < 9:
		return kill{"postgres", "", 1 + r.IntN(12)}
	}
	return kill{"plane", "", 1 + r.IntN(12)}
}
