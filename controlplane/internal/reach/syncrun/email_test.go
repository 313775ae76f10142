package syncrun_test

import (
	"testing"

	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

func TestAnAddressThatIsHandedOnWithinABatchArrives(t *testing.T) {
	t.Parallel()
	people := func(pairs ...string) (out []v1.SyncResponse) {
		for i := 0; i < len(pairs); i += 2 {
			out = append(out, person(pairs[i], pairs[i], pairs[i+1], nil))
		}
		return out
	}
	const addresses = `select string_agg(external_id || ' ' || coalesce(email, '-'), ', ' order by external_id)
		from identity`
	for name, tt := range map[string]struct {
		before, after []v1.SyncResponse
		want          string
	}{
		"a leaver's to a new hire": {people("b", "x@x.test"), people("a", "x@x.test", "b", "old@x.test"),
			"a x@x.test, b old@x.test"},
		"two swap": {people("a", "a@x.test", "b", "b@x.test"), people("a", "B@x.test", "b", "A@x.test"),
			"a B@x.test, b A@x.test"},
		"a chain": {people("a", "1@x.test", "b", "2@x.test"),
			people("a", "2@x.test", "b", "3@x.test", "c", "1@x.test"), "a 2@x.test, b 3@x.test, c 1@x.test"},
		"a cycle of three": {people("a", "1@x.test", "b", "2@x.test", "c", "3@x.test"),
			people("a", "2@x.test", "b", "3@x.test", "c", "1@x.test"),
			"a 2@x.test, b 3@x.test, c 1@x.test"},
		"one that its holder keeps": {people("b", "x@x.test"), people("a", "x@x.test", "b", "x@x.test"),
			"a -, b x@x.test"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.source.script = paged(tt.before, nil)
			w.full(syncrun.Trigger{})
			w.source.script = paged(tt.after, nil)
			w.full(syncrun.Trigger{})
			if got := one[string](w, addresses); got != tt.want {
				t.Errorf("addresses: %s; want %s", got, tt.want)
			}
		})
	}
}

func TestWhoComesBackByANewRecordTakesTheirAddressOver(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	number := map[string]any{"employee_number": "7"}
	w.source.script = paged(
		[]v1.SyncResponse{
			person("a", "Ann", "ann@x.test", map[string]any{"employee_number": "7", "status": "terminated"}),
		},
		nil,
	)
	w.full(syncrun.Trigger{})
	w.source.script = paged([]v1.SyncResponse{
		person(
			"a",
			"Ann",
			"ann@x.test",
			map[string]any{"employee_number": "7", "status": "terminated"},
		),
		person("b", "Ann", "ann@x.test", number),
	}, nil)
	w.full(syncrun.Trigger{})
	const got = `select string_agg(external_id || ' ' || status || ' ' || coalesce(email, '-'), ', '
		order by external_id) from identity`
	if is := one[string](w, got); is != "a deactivated -, b active ann@x.test" {
		t.Errorf("after the rehire: %s", is)
	}
}
