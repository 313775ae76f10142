package resource

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

func TestPhoneNumbersAndAddressesOfAUserAreRead(t *testing.T) {
	t.Parallel()
	var rec Record
	text := `{"id":"1","userName":"ann","phoneNumbers":[{"value":"+1 555 1","type":"Work"},{"type":"mobile"},{"value":"+1 555 2","primary":"true"}],
		"addresses":[{"type":"work","streetAddress":"1 Main St","locality":"Springfield","postalCode":"12345","primary":true},{"type":"home"}]}`
	if err := json.Unmarshal([]byte(text), &rec); err != nil {
		t.Fatal(err)
	}
	got := ToIdentity(rec, nil)
	want := v1.RemoteIdentity{
		PhoneNumbers: []v1.PhoneNumber{{Value: "+1 555 1", Type: "work"}, {Value: "+1 555 2", Primary: true}},
		Addresses: []v1.Address{
			{StreetAddress: "1 Main St", Locality: "Springfield", PostalCode: "12345", Type: "work", Primary: true},
		},
	}
	if diff := cmp.Diff(want, v1.RemoteIdentity{PhoneNumbers: got.PhoneNumbers, Addresses: got.Addresses}); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if none := ToIdentity(Record{"id": "2"}, nil); none.PhoneNumbers == nil || none.Addresses == nil {
		t.Error("a user without numbers and addresses has no empty lists: the next sync would keep what has gone")
	}
}
