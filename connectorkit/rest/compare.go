package rest

import (
	"strings"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// compared is one member as asked for and as it is.
type compared struct {
	name       string
	want, have any
	shown      bool // the target tells it at all
	fold       bool
}

func (c compared) same() bool {
	a, aOK := textOf(c.want)
	b, bOK := textOf(c.have)
	switch {
	case c.want == nil || c.want == "":
		return c.have == nil || c.have == ""
	case aOK && bOK:
		return a == b || c.fold && strings.EqualFold(a, b)
	}
	return encodeAny(c.want) == encodeAny(c.have)
}

// compare holds what was asked for against an account. Members that the template does not write are left out and named.
func (w *writing) compare(row *v1.RemoteAccount) (out []compared, unwritten []string) {
	t, a := w.ops[w.req.Op], w.req.Account
	if a == nil {
		return nil, nil
	}
	if row == nil {
		row = &v1.RemoteAccount{}
	}
	add := func(name string, want any, have any, shown, fold bool) {
		if !t.uses("account." + name) {
			unwritten = append(unwritten, name)
			return
		}
		out = append(out, compared{name, want, have, shown, fold})
	}
	for _, m := range []struct {
		name       string
		want, have *string
		fold       bool
	}{
		{"username", a.Username, row.Username, true}, {"email", a.Email, row.Email, true}, {"display_name", a.DisplayName, row.DisplayName, false},
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
	for _, name := range sortedKeys(a.Attributes) {
		have, shown := row.Attributes[name]
		if t.Attributes {
			out = append(out, compared{"attributes." + name, a.Attributes[name], have, shown || a.Attributes[name] == nil, false})
			continue
		}
		add("attributes."+name, a.Attributes[name], have, shown, false)
	}
	return out, unwritten
}

func differing(list []compared) (differ []string, unshown bool) {
	for _, c := range list {
		if !c.shown && c.want != nil && c.want != "" {
			unshown = true
		} else if !c.same() {
			differ = append(differ, c.name)
		}
	}
	return differ, unshown
}
