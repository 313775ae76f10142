package ldap_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

func TestPhoneNumbersOfAPersonAreRead(t *testing.T) {
	f := newFake(t, openLDAPRoot())
	f.search = func(r fakeSearch) fakeAnswer {
		if !r.wants("inetOrgPerson") {
			return fakeAnswer{}
		}
		return fakeAnswer{entries: []fakeEntry{
			{
				"uid=u1,dc=x",
				attrs{"entryUUID": {"e-1"}, "objectClass": {"inetOrgPerson"}, "uid": {"u1"}, "mobile": {"+1 555 9"},
					"telephoneNumber": {"+1 555 1", "\xff\xfe"}, "homePhone": {"+1 555 0"}},
			},
			{"uid=u2,dc=x", attrs{"entryUUID": {"e-2"}, "objectClass": {"inetOrgPerson"}, "uid": {"u2"}}},
		}}
	}
	numbers := func(auth v1.AuthConfig) map[string][]v1.PhoneNumber {
		out := map[string][]v1.PhoneNumber{}
		for _, person := range mustRead(t, auth, nil).Identities {
			out[person.ExternalID] = person.PhoneNumbers
		}
		return out
	}
	want := map[string][]v1.PhoneNumber{
		"e-1": {{Value: "+1 555 9", Type: "mobile"}, {Value: "+1 555 1", Type: "work"}},
		"e-2": {},
	}
	got := numbers(f.auth())
	if len(got["e-1"]) == 2 && got["e-1"][0].Type == "work" {
		got["e-1"][0], got["e-1"][1] = got["e-1"][1], got["e-1"][0]
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	auth := f.auth()
	auth["attributes"] = []any{"mail"}
	if got := numbers(auth); got["e-1"] != nil || got["e-2"] != nil {
		t.Errorf("with settings that do not read them: %v; want nothing said", got)
	}
}
