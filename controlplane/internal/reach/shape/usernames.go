package shape

import (
	"context"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr"
	"github.com/grantwright/grantwright/controlplane/internal/reach/shape/template"
	"github.com/grantwright/grantwright/controlplane/internal/reach/shape/username"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
)

// ahead is how many names of a person are looked up at once.
const ahead = 8

// NamesFor looks up in one question the names that the template can give these people first. Whatever else is asked is
// looked up when it is. Of two transactions that give names of one connector, the second waits for the first.
func NamesFor(ctx context.Context, tx *pg.Tx, c Config, people []identity.Facts) (*username.Names, error) {
	const alone = `select pg_advisory_xact_lock(hashtextextended('username|' || $1::text, 0))`
	if err := pg.Exec(ctx, tx, "wait for other names", alone, c.ConnectorID); err != nil {
		return nil, err
	}
	n := username.NewNames(ctx, tx, c.ConnectorID)
	p, err := c.ready()
	if err != nil {
		return nil, err
	}
	var first []string
	for _, f := range people {
		name := &field{target: template.MemberUsername, required: true}
		if c.evaluate(name, p.Username, f, pyexpr.NewRecord(f), nil); name.problem != nil {
			continue
		}
		stem, problem := c.stem(p, name.value.(string))
		if problem != nil {
			continue
		}
		tried := 0
		for candidate := range c.Template.Username.Unique.Names(stem) {
			first = append(first, strings.ToLower(candidate))
			if tried++; tried == ahead {
				break
			}
		}
	}
	return n, n.Look(first)
}
