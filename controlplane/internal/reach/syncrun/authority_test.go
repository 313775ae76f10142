package syncrun_test

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/pgtest"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/action"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// register is a source among several: what it says of whom, and what of it was read.
type register struct {
	connector string
	rank      int
	says      map[string]map[string]string // by employee number: the fields that its record fills
	read      map[string]map[string]string
}

// several are sources of the same people, whose records have other keys in each.
type several struct {
	*world
	sources []*register
}

// sourced are the fields that the sources of a test fill.
var sourced = []string{"title", "department", "country", "leave_from", "attributes.site"}

func newSeveral(t testing.TB, db *pg.DB, n int) *several {
	t.Helper()
	s := &several{world: worldOn(t, db)}
	for i := range n {
		id := s.connect(fmt.Sprintf("register-%d", i), "source")
		s.exec(
			`update connector set safety = '{"limits":[{"kind":"identity_deactivation","floor":1000,"pct":100,`+
				`"cap":1000},{"kind":"attribute_rewrite","floor":1000,"pct":100,"cap":1000}],"window":"PT24H",`+
				`"total_loss":false,"hold_scope":"kind","hold_ttl":"P7D"}' where id = $1`,
			id,
		)
		s.exec(
			`insert into field_mapping (tenant_id, id, connector_id, position, object, source_path, action,
			    target_field)
			select current_tenant(), gen_random_uuid(), $1, n, 'identity', f, 'map', f
			  from unnest(array['employee_number', 'title', 'department', 'country', 'leave_from',
			      'attributes.site']) with ordinality m (f, n)`,
			id,
		)
		r := &register{
			connector: id,
			rank:      100,
			says:      map[string]map[string]string{},
			read:      map[string]map[string]string{},
		}
		// One person whose record is always full, so that no field is one that the source does not fill for anybody.
		r.says["0"] = map[string]string{
			"title":           "t",
			"department":      "d",
			"country":         "CH",
			"leave_from":      "2090-01-01",
			"attributes.site": "s",
		}
		s.sources = append(s.sources, r)
	}
	return s
}

// sync reads all that a source says; a record that it has no longer is reported as deleted.
func (s *several) sync(r *register) {
	s.t.Helper()
	var page v1.SyncResponse
	for who, fields := range r.says {
		record := v1.RemoteIdentity{ExternalID: s.key(r, who), Attributes: map[string]any{"employee_number": who}}
		for f, v := range fields {
			record.Attributes[f] = v
		}
		page.Identities = append(page.Identities, record)
	}
	for who := range r.read {
		if _, still := r.says[who]; !still {
			page.Identities = append(page.Identities, v1.RemoteIdentity{ExternalID: s.key(r, who), Deleted: true})
		}
	}
	slices.SortFunc(page.Identities, func(a, b v1.RemoteIdentity) int { return len(a.ExternalID) - len(b.ExternalID) })
	s.connector, s.source.pages = r.connector, []v1.SyncResponse{page}
	if run := s.full(syncrun.Trigger{}); run.Status != syncrun.Succeeded {
		s.t.Fatalf("the run is %s: %+v", run.Status, run.Error)
	}
	r.read = map[string]map[string]string{}
	for who, fields := range r.says {
		r.read[who] = maps.Clone(fields)
	}
}

// key is the external_id of a person's record in a source.
func (s *several) key(r *register, who string) string {
	return fmt.Sprintf("%c%s", 'a'+rune(slices.Index(s.sources, r)), who)
}

func (s *several) setRank(r *register, rank int) {
	r.rank = rank
	s.exec(`update connector set authority_rank = $2 where id = $1`, r.connector, rank)
	err := s.db.As(
		context.Background(),
		s.system,
		func(tx *pg.Tx) error { _, err := action.ApplyDue(context.Background(), tx, time.Now()); return err },
	)
	if err != nil {
		s.t.Fatal(err)
	}
}

// want is what follows from the records that were read and from the ranks, by person: the name of the authoritative
// record, then the fields. Whom no source has any more is left out.
func (s *several) want() map[string][]string {
	order := slices.Clone(s.sources)
	slices.SortStableFunc(order, func(a, b *register) int { return a.rank - b.rank })
	out := map[string][]string{}
	for _, r := range order {
		for who, fields := range r.read {
			if out[who] == nil {
				out[who] = append([]string{s.key(r, who), r.connector}, make([]string, len(sourced))...)
			}
			for i, f := range sourced {
				if out[who][i+2] == "" {
					out[who][i+2] = fields[f]
				}
			}
		}
	}
	return out
}

// got is the same as the store has it.
func (s *several) got(people map[string][]string) map[string][]string {
	s.t.Helper()
	out := map[string][]string{}
	for who := range people {
		out[who] = one[[]string](s.world, `
			select array[external_id, source_connector_id::text, coalesce(title, ''), coalesce(department, ''),
			             coalesce(country, ''), coalesce(leave_from::text, ''), coalesce(attributes ->> 'site', '')]
			  from identity where employee_number = $1`, who)
	}
	return out
}

// TestTheSourceOfTheLowestRankDecidesWhateverTheOrder lets two or three sources fill and clear fields, gain and lose
// records, and change their ranks in random order: each person is what the current records and ranks make of them.
func TestTheSourceOfTheLowestRankDecidesWhateverTheOrder(t *testing.T) {
	if err := flag.Set("rapid.checks", "4"); err != nil {
		t.Fatal(err)
	}
	db := pgtest.New(t)
	rapid.Check(t, func(r *rapid.T) {
		s := newSeveral(t, db, rapid.IntRange(2, 3).Draw(r, "sources"))
		defer s.stop()
		for range 12 {
			source := rapid.SampledFrom(s.sources).Draw(r, "source")
			for range rapid.IntRange(1, 6).Draw(r, "changes") {
				source.change(r)
			}
			switch rapid.IntRange(0, 3).Draw(r, "step") {
			case 0:
				s.setRank(source, rapid.SampledFrom([]int{10, 50, 100, 200}).Draw(r, "rank"))
			default:
				s.sync(source)
			}
			want := s.want()
			if diff := cmp.Diff(want, s.got(want)); diff != "" {
				r.Fatalf("-want +got\n%s", diff)
			}
		}
		if n := one[int](
			s.world,
			`select count(*) from (select employee_number from identity group by 1 having count(*) > 1) twice`,
		); n != 0 {
			r.Fatalf("%d people were made twice", n)
		}
	})
}

// change fills, clears, adds or removes something at a source, which is not read yet.
func (s *register) change(r *rapid.T) {
	who := rapid.SampledFrom([]string{"1", "2", "3"}).Draw(r, "who")
	record := s.says[who]
	switch {
	case record == nil:
		s.says[who] = map[string]string{}
	case rapid.IntRange(0, 5).Draw(r, "removed") == 0:
		delete(s.says, who)
	default:
		field := rapid.SampledFrom(sourced).Draw(r, "field")
		values := []string{"", "A", "B", "C"}
		if field == "leave_from" {
			values = []string{"", "2090-01-01", "2091-01-01"}
		}
		if record[field] = rapid.SampledFrom(values).Draw(r, "value"); record[field] == "" {
			delete(record, field)
		}
	}
}
