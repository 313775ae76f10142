package table

import (
	"slices"
	"strconv"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/exchange/ruleset"
)

// mostGroups bounds the number of a group, so that a wrong cell makes no list of billions.
const mostGroups = 20

// duties adds the duties of a table.
func (h header) duties(s *ruleset.Set, rows []row, r *ruleset.Report) {
	given := ruleset.Given{"all_of": true}
	for _, c := range []string{"description", "process", "owners"} {
		given[c] = h.has(c)
	}
	at := map[string]int{}
	for _, w := range rows {
		name := strings.TrimSpace(w.get("duty"))
		id := ruleset.DutyID(name)
		i, there := at[id]
		if !there {
			i = len(s.Duties)
			at[id] = i
			s.Duties = append(s.Duties, ruleset.Duty{Place: w.Place, Given: given, Name: name})
		}
		d := &s.Duties[i]
		same := repeated{w, id, r}
		same.text(&d.Key, "key")
		same.text(&d.Description, "description")
		same.text(&d.Process, "process")
		same.list(&d.Owners, "owners")
		d.Groups = w.member(d.Groups, id, r)
	}
}

// member adds the member of a row to its group.
func (w row) member(groups [][]ruleset.Member, of string, r *ruleset.Report) [][]ruleset.Member {
	number := strings.TrimSpace(w.get("group"))
	if number == "" {
		number = "1"
	}
	g, err := strconv.Atoi(number)
	if err != nil || g < 1 || g > mostGroups {
		r.AddOf(of, w.Place, "group", "invalid", "The group is %q. Use a number from 1 to %d.", number, mostGroups)
		return groups
	}
	for len(groups) < g {
		groups = append(groups, nil)
	}
	groups[g-1] = append(groups[g-1], ruleset.Member{
		Place: w.Place, Kind: strings.ToLower(strings.TrimSpace(w.get("member_kind"))),
		Connector: strings.TrimSpace(w.get("connector")), ExternalID: w.get("external_id"),
		Role: strings.TrimSpace(w.get("role")), DutyTag: strings.TrimSpace(w.get("duty_tag")),
	})
	return groups
}

// repeated reads columns that all rows of an object repeat, or leave empty.
type repeated struct {
	row
	of string
	r  *ruleset.Report
}

// text reads a text.
func (p repeated) text(into *string, column string) {
	switch cell := p.get(column); {
	case cell == "" || cell == *into:
	case *into == "":
		*into = cell
	default:
		p.differs(column)
	}
}

// list reads a list.
func (p repeated) list(into *[]string, column string) {
	switch list := split(p.get(column)); {
	case list == nil || slices.Equal(list, *into):
	case *into == nil:
		*into = list
	default:
		p.differs(column)
	}
}

func (p repeated) differs(column string) {
	p.r.AddOf(p.of, p.Place, column, "contradiction", "The column %s has another value than in an earlier line of the "+
		"same object. Write the same value, or leave it empty.", column)
}
