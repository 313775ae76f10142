package write

import (
	"strings"

	"github.com/grantwright/grantwright/connectorkit/jsonvalue"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// comparison is one member as asked for and as it is.
type comparison struct {
	name       string
	want, have any
	// The target tells it at all.
	shown bool
	// fold compares without case.
	fold bool
}

// same says whether the member is as asked for. Empty and absent are equal; values are compared as
// text where both can be written so, otherwise as JSON.
func (c comparison) same() bool {
	a, aOK := jsonvalue.Text(c.want)
	b, bOK := jsonvalue.Text(c.have)
	switch {
	case c.want == nil || c.want == "":
		return c.have == nil || c.have == ""
	case aOK && bOK:
		return a == b || c.fold && strings.EqualFold(a, b)
	}
	return jsonvalue.Encode(c.want) == jsonvalue.Encode(c.have)
}

// compare holds what was asked for against an account. Members that the template does not write are left out and named.
func (w *Operation) compare(row *v1.RemoteAccount) (out []comparison, unwritten []string) {
	t := w.Ops[w.req.Op]
	a := w.req.Account
	if a == nil {
		return nil, nil
	}
	if row == nil {
		row = &v1.RemoteAccount{}
	}
	add := func(name string, want any, have any, shown, fold bool) {
		if !t.Uses("account." + name) {
			unwritten = append(unwritten, name)
			return
		}
		out = append(out, comparison{name, want, have, shown, fold})
	}
	for _, m := range []struct {
		name       string
		want, have *string
		fold       bool
	}{
		{"username", a.Username, row.Username, true}, {"email", a.Email, row.Email, true},
		{"display_name", a.DisplayName, row.DisplayName, false},
		{"first_name", a.FirstName, row.FirstName, false}, {"last_name", a.LastName, row.LastName, false},
		{"employee_number", a.EmployeeNumber, row.EmployeeNumber, false}, {"container", a.Container, nil, false},
	} {
		if m.want == nil {
			continue
		}
		var have any
		if m.have != nil {
			have = *m.have
		}
		add(m.name, *m.want, have, m.have != nil, m.fold)
	}
	if a.Enabled != nil {
		var have any
		if row.IsDisabled != nil {
			have = !*row.IsDisabled
		}
		add("enabled", *a.Enabled, have, row.IsDisabled != nil, false)
	}
	for _, name := range jsonvalue.SortedKeys(a.Attributes) {
		have, shown := row.Attributes[name]
		if t.Attributes {
			out = append(
				out,
				comparison{"attributes." + name, a.Attributes[name], have, shown || a.Attributes[name] == nil, false},
			)
			continue
		}
		add("attributes."+name, a.Attributes[name], have, shown, false)
	}
	return out, unwritten
}

// differences are the members that differ. unshown says that the target does not show one that was
// asked for.
func differences(list []comparison) (differ []string, unshown bool) {
	for _, c := range list {
		if !c.shown && c.want != nil && c.want != "" {
			unshown = true
		} else if !c.same() {
			differ = append(differ, c.name)
		}
	}
	return differ, unshown
}

// warnUnwritten warns of members that were asked for and that the template does not write.
func (w *Operation) warnUnwritten(names []string) {
	if len(names) > 0 {
		w.warn("not_written", "the template does not write "+strings.Join(names, ", "), w.target.RemoteID)
	}
}

// goal reports when an account has the desired state; nil: it cannot be read.
func (w *Operation) goal(
	row *v1.RemoteAccount,
) (done func(*v1.RemoteAccount) bool, changes []v1.ChangedField, err error) {
	flag := func(name string, of func(*v1.RemoteAccount) *bool, want bool) (
		func(*v1.RemoteAccount) bool, []v1.ChangedField, error,
	) {
		var old any
		if row != nil && of(row) != nil {
			old = *of(row)
		}
		return func(r *v1.RemoteAccount) bool { return of(r) != nil && *of(r) == want }, []v1.ChangedField{
			{Field: name, Old: old, New: want},
		}, nil
	}
	switch w.req.Op {
	case v1.OpAccountEnable, v1.OpAccountDisable:
		return flag(
			"is_disabled",
			func(r *v1.RemoteAccount) *bool { return r.IsDisabled },
			w.req.Op == v1.OpAccountDisable,
		)
	case v1.OpAccountUnlock:
		return flag("is_locked", func(r *v1.RemoteAccount) *bool { return r.IsLocked }, false)
	case v1.OpAccountPassword:
		if w.password == "" {
			w.resp.Outcome = v1.OutcomeNoop
		}
		return nil, []v1.ChangedField{{Field: "password", New: "[secret]"}}, nil
	}
	list, unwritten := w.compare(row)
	w.warnUnwritten(unwritten)
	if len(list) == 0 {
		w.resp.Outcome = v1.OutcomeNoop
		return nil, nil, nil
	}
	if a := w.req.Account; w.req.Op == v1.OpAccountUpdate && a.Username != nil && row != nil && row.Username != nil &&
		!strings.EqualFold(*a.Username, *row.Username) {
		return nil, nil, ConfigError("use_rename", "an update does not change the user name", "Ask for account.rename.")
	}
	return func(r *v1.RemoteAccount) bool {
		list, _ := w.compare(r)
		differ, unshown := differences(list)
		return len(differ) == 0 && !unshown
	}, w.changes(row), nil
}

// changes returns the fields to write.
func (w *Operation) changes(row *v1.RemoteAccount) []v1.ChangedField {
	var out []v1.ChangedField
	list, _ := w.compare(row)
	for _, c := range list {
		if !c.shown || !c.same() {
			out = append(out, v1.ChangedField{Field: c.name, Old: c.have, New: c.want})
		}
	}
	if w.password != "" {
		out = append(out, v1.ChangedField{Field: "password", New: "[secret]"})
	}
	return out
}
