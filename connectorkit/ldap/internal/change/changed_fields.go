package change

import (
	"strings"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/entry"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/lookup"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// ModifyRequests is one request for all changes of attributes, none where there are none.
func (w *Change) ModifyRequests(e *lookup.Account, note string, changes []wire.Change) []Request {
	if len(changes) == 0 {
		return nil
	}
	for _, m := range changes {
		w.NoteChanged(m.Name, e.Values[strings.ToLower(m.Name)], m.Values)
	}
	return []Request{{Op: wire.OpModify, DN: e.DN, Changes: changes, Note: note}}
}

// recordValue is what a record would carry of raw values.
func (w *Change) recordValue(name string, values [][]byte) any {
	a := w.Dictionary.Lookup([]byte(name))
	switch {
	case len(values) == 0, entry.IsSecret(strings.ToLower(a.Base)):
		return nil
	case len(values) == 1:
		return a.Value(values[0])
	}
	list := make([]any, len(values))
	for i, v := range values {
		list[i] = a.Value(v)
	}
	return list
}

// NoteChanged adds an attribute to the response's changes, with its values before and after.
func (w *Change) NoteChanged(name string, before, after [][]byte) {
	w.Out.Changes = append(
		w.Out.Changes, v1.ChangedField{Field: name, Old: w.recordValue(name, before), New: w.recordValue(name, after)},
	)
}
