package search

import (
	"strings"
	"time"
	"unicode"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/record/audit/chain"
)

// Period narrows what is looked at by time.
type Period struct {
	// At or after this instant.
	From time.Time `query:"from"`
	// Before this instant.
	To time.Time `query:"to"`
}

// Filters narrow a list; each one given must hold.
type Filters struct {
	Period
	// Several values, separated by commas. A value that ends in .* matches a whole domain.
	Action []string `query:"action" maxItems:"50"`
	// One of the catalog's.
	Category    string `query:"category"`
	Outcome     string `query:"outcome" enum:"success,failure,denied"`
	ActorID     string `query:"actor_id"`
	ActorType   string `query:"actor_type" enum:"user,service,agent,system"`
	SubjectType string `query:"subject_type"`
	SubjectID   string `query:"subject_id"`
	RequestID   string `query:"request_id"`
	// Part of the event's text, without regard to case. It reads every event that the other filters leave: those may be
	// 100000.
	Q string `query:"q" maxLength:"200"`
}

// Narrows reports whether there is a filter beside the period.
func (f Filters) Narrows() bool { return f.byKind() || f.single() || f.ActorID+f.Q != "" }

// byKind reports whether there is a filter on what events have in common.
func (f Filters) byKind() bool {
	return len(f.Action) > 0 || f.Category+f.Outcome+f.ActorType+f.SubjectType != ""
}

// single reports whether there is a filter that leaves few events.
func (f Filters) single() bool { return f.SubjectID+f.RequestID != "" }

// timed reports whether there is a period.
func (f Filters) timed() bool { return !f.From.IsZero() || !f.To.IsZero() }

// condition is a part of a where clause, with the arguments that it names.
type condition struct {
	sql  []string
	Args pgx.NamedArgs
}

// onTenant begins a condition. The tenant is named although row security would do: with it the indexes are used from
// their first column on.
func onTenant() *condition {
	return &condition{sql: []string{"tenant_id = (select current_tenant())"}, Args: pgx.NamedArgs{}}
}

func (c *condition) and(sql, name string, value any) {
	c.sql = append(c.sql, sql)
	c.Args[name] = value
}

func (c *condition) equal(column, value string) {
	if value != "" {
		c.and(column+" = @"+column, column, value)
	}
}

func (c *condition) String() string { return strings.Join(c.sql, " and ") }

// Where is the whole condition.
func (f Filters) Where() *condition {
	c := onTenant()
	if !f.From.IsZero() {
		c.and("at >= @from", "from", f.From)
	}
	if !f.To.IsZero() {
		c.and("at < @to", "to", f.To)
	}
	f.kinds(c)
	c.equal("actor_id", f.ActorID)
	c.equal("subject_id", f.SubjectID)
	c.equal("request_id", f.RequestID)
	f.contains(c)
	return c
}

// kinds is the part about what events have in common.
func (f Filters) kinds(c *condition) {
	c.equal("category", f.Category)
	c.equal("outcome", f.Outcome)
	c.equal("actor_type", f.ActorType)
	c.equal("subject_type", f.SubjectType)
	if len(f.Action) == 0 {
		return
	}
	names, domains := []string{}, []string{}
	for _, a := range f.Action {
		if domain, all := strings.CutSuffix(a, ".*"); all {
			domains = append(domains, domain)
		} else {
			names = append(names, a)
		}
	}
	if len(domains) == 0 {
		c.and("action = any(@actions::text[])", "actions", names)
		return
	}
	c.and("(action = any(@actions::text[]) or split_part(action, '.', 1) = any(@domains::text[]))", "actions", names)
	c.Args["domains"] = domains
}

// contains is the part about the text. The database lowers the letters of ASCII alone, which is quick and the same
// under every locale; other letters are asked for in each of their cases.
func (f Filters) contains(c *condition) {
	if f.Q == "" {
		return
	}
	text := strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, quoted(f.Q))
	if strings.ContainsFunc(text, func(r rune) bool { return r > unicode.MaxASCII }) {
		c.and(`lower(event collate "C") ~ @q`, "q", inEachCase(text))
		return
	}
	c.and(`position(@q in lower(event collate "C")) > 0`, "q", text)
}

// inEachCase is a regular expression for a text, in which a letter outside of ASCII stands for all its cases.
func inEachCase(text string) string {
	var out strings.Builder
	for _, r := range text {
		switch {
		case r > unicode.MaxASCII:
			out.WriteByte('[')
			out.WriteRune(r)
			for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
				if other > unicode.MaxASCII {
					out.WriteRune(other)
				}
			}
			out.WriteByte(']')
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			out.WriteRune(r)
		default:
			out.WriteByte('\\')
			out.WriteRune(r)
		}
	}
	return out.String()
}

// quoted is a text as it stands in the event, where some characters are escaped.
func quoted(q string) string {
	b, err := chain.CanonicalValue(q)
	if err != nil || len(b) < 2 {
		return q
	}
	return string(b[1 : len(b)-1])
}
