package trial

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format/diagnostic"
	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping"
	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping/mapper"
	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping/transform"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// tryMapping runs the mapping of a test on its record and compares the expected fields. at is the
// test's pointer.
func tryMapping(p format.Pack, t format.Test, at string, l *diagnostic.List) {
	i := slices.IndexFunc(p.FieldMappings, func(m format.FieldMapping) bool { return m.Key == t.Given.Mapping })
	if i < 0 {
		l.Fail(
			"unknown_reference",
			diagnostic.Under(at, "given/mapping"),
			"name a field mapping of the pack",
			"the pack has no field mapping %s",
			diagnostic.Printable(t.Given.Mapping),
		)
		return
	}
	if t.Given.Record == nil || t.ExpectIdentity == nil {
		l.Fail(
			"missing",
			at,
			"add given.record and expectIdentity",
			"the test %q of a mapping needs a record and the expected identity",
			diagnostic.Printable(t.Name),
		)
		return
	}
	m, err := mapper.With(p.FieldMappings[i].Mappings(), transform.Compile)
	if err != nil {
		l.Fail("invalid_transform", at, "mend the mapping", "%v", err)
		return
	}
	day, _ := time.Parse(time.DateOnly, cmp.Or(t.Given.Today, defaultDay))
	record := make(map[string]any, len(t.Given.Record))
	for name, v := range t.Given.Record {
		record[name] = v
	}
	rows := m.Preview(sampleOf(p.FieldMappings[i].Object, record), day)
	for _, row := range rows {
		for _, e := range row.Errors {
			l.Fail(
				"test_failed",
				at,
				"change the mapping or the record",
				"%s: %s: %s",
				t.Name,
				diagnostic.Printable(e.Field),
				e.Message,
			)
		}
		for _, name := range slices.Sorted(maps.Keys(t.ExpectIdentity)) {
			if want, got := t.ExpectIdentity[name], became(row, name); !same(want, got) {
				l.Fail(
					"test_failed",
					diagnostic.Under(diagnostic.Under(at, "expectIdentity"), name),
					"change the mapping or the test",
					"%s: %s becomes %s, and not %s",
					t.Name,
					name,
					diagnostic.Show(got),
					diagnostic.Show(want),
				)
			}
		}
	}
}

// sampleOf is a record of a kind, with nothing but its attributes.
func sampleOf(object string, record map[string]any) mapper.Sample {
	switch object {
	case mapping.ObjectAccount:
		return mapper.Sample{Accounts: []v1.RemoteAccount{{ExternalID: "test", Attributes: record}}}
	case mapping.ObjectEntitlement:
		return mapper.Sample{Entitlements: []v1.RemoteEntitlement{{ExternalID: "test", Attributes: record}}}
	case mapping.ObjectGrant:
		return mapper.Sample{Grants: []v1.RemoteGrant{{ExternalID: "test", Attributes: record}}}
	}
	return mapper.Sample{Identities: []v1.RemoteIdentity{{ExternalID: "test", Attributes: record}}}
}

// became is what a record gave for one of our fields.
func became(row mapper.Row, name string) any {
	if attribute, ok := mapping.Field(name).CustomField(); ok {
		custom, _ := row.After["attributes"].(map[string]any)
		return custom[attribute]
	}
	return row.After[name]
}

// same compares an expected with an actual value. Values that are written alike are equal: a test
// writes 7 where the mapping gives "7".
func same(want, got any) bool {
	return reflect.DeepEqual(want, got) || want != nil && got != nil && fmt.Sprint(want) == fmt.Sprint(got)
}
