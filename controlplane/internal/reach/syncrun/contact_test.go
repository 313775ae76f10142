package syncrun_test

import (
	"testing"

	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

func TestPhoneNumbersFollowTheSourceAndTheAttributeSchema(t *testing.T) {
	w := newWorld(t)
	reads := func(numbers []v1.PhoneNumber, places []v1.Address) {
		t.Helper()
		person := v1.RemoteIdentity{
			ExternalID:   "ann",
			Email:        p("ann@x.test"),
			DisplayName:  p("Ann"),
			PhoneNumbers: numbers,
			Addresses:    places,
		}
		w.reads(v1.SyncResponse{Identities: []v1.RemoteIdentity{person}})
	}
	has := func(what, want string) {
		t.Helper()
		if got := one[string](w, `select attributes::text from identity where external_id = 'ann'`); got != want {
			t.Errorf("%s: attributes %s, want %s", what, got, want)
		}
	}
	reads(
		[]v1.PhoneNumber{{Value: "+1 555 1", Type: "work"}, {Value: "+1 555 9", Type: "home"}},
		[]v1.Address{{Formatted: "1 Main St"}},
	)
	has("a person who is new", `{"addresses": ["1 Main St"], "phone_numbers": ["+1 555 1"]}`)
	reads([]v1.PhoneNumber{{Value: "+1 555 2"}}, []v1.Address{})
	has("another number and no address", `{"phone_numbers": ["+1 555 2"]}`)
	reads(nil, nil)
	has("a source that does not read them", `{"phone_numbers": ["+1 555 2"]}`)
	w.exec(
		`insert into identity_schema (tenant_id, attributes, open) values (current_tenant(), '[{"name":"addresses",` +
			`"type":"list"}]', false)`,
	)
	w.source.script = telling(
		"c",
		nil,
		v1.SyncResponse{Identities: []v1.RemoteIdentity{
			{
				ExternalID:   "ann",
				Email:        p("ann@x.test"),
				DisplayName:  p("Ann"),
				PhoneNumbers: []v1.PhoneNumber{{Value: "+1 555 3"}},
				Addresses:    []v1.Address{{Formatted: "2 Main St"}},
			},
		}},
	)
	if run := w.full(syncrun.Trigger{}); run.Status != syncrun.Succeeded || run.Counters.Skipped != 0 {
		t.Errorf("with a schema that does not have them: %s, %d skipped", run.Status, run.Counters.Skipped)
	}
	has("a closed schema", `{"addresses": ["2 Main St"], "phone_numbers": ["+1 555 2"]}`)
}
