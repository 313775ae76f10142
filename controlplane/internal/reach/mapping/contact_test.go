package mapping_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping"
	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping/mapper"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

func TestPhoneNumbersAndAddressesOfASourceAreCustomAttributes(t *testing.T) {
	all := func(string) bool { return true }
	record := v1.RemoteIdentity{ExternalID: "1",
		PhoneNumbers: []v1.PhoneNumber{
			{
				Value: "+33 1 11",
				Type:  "mobile",
			},
			{Value: "+33 2 22", Type: "home"},
			{Value: "+33 3 33", Type: "work", Primary: true},
			{Value: " +33 1 11 "},
			{Value: " "},
		},
		Addresses: []v1.Address{
			{StreetAddress: "1 rue X", PostalCode: "69001", Locality: "Lyon", Country: "FR"},
			{Formatted: "2 rue Y\n69002 Lyon\n", Primary: true}, {Formatted: "at home", Type: "Home"},
		},
	}
	want := map[string]any{
		"phone_numbers": []any{"+33 3 33", "+33 1 11"},
		"addresses":     []any{"2 rue Y, 69002 Lyon", "1 rue X, 69001 Lyon, FR"},
	}
	p, problems := mapper.New().Person(&record, today)
	if diff := cmp.Diff(want, p.Attributes(all)); diff != "" || len(problems) != 0 {
		t.Errorf("attributes (-want +got), %v:\n%s", problems, diff)
	}
	p, _ = mapper.New().Person(&record, today)
	if got := p.Attributes(func(name string) bool { return name == "addresses" }); len(got) != 1 ||
		got["addresses"] == nil {
		t.Errorf("with a schema that has addresses alone: %v", got)
	}
	m, err := mapper.With(
		[]mapping.Mapping{{Object: "identity", Source: "desk", Action: "map", Target: "attributes.phone_numbers"}},
		nil,
	)
	if err != nil {
		t.Fatal(err)
	}
	record.Attributes = map[string]any{"desk": "17"}
	p, _ = m.Person(&record, today)
	if got := p.Attributes(all); got["phone_numbers"] != "17" {
		t.Errorf("what somebody mapped is %v", got["phone_numbers"])
	}
	for name, tt := range map[string]struct {
		numbers []v1.PhoneNumber
		said    bool
	}{"not read": {nil, false}, "none": {[]v1.PhoneNumber{}, true},
		"a private one": {[]v1.PhoneNumber{{Value: "1", Type: "home"}}, true}} {
		p, _ := mapper.New().Person(&v1.RemoteIdentity{ExternalID: "1", PhoneNumbers: tt.numbers}, today)
		value, said := p.Attributes(all)["phone_numbers"]
		if said != tt.said || value != nil {
			t.Errorf("%s: %v, %v", name, value, said)
		}
	}
}
