package shape

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/catalog"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr"
	"github.com/grantwright/grantwright/controlplane/internal/reach/shape/container"
	"github.com/grantwright/grantwright/controlplane/internal/reach/shape/template"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Unmakable is why an account cannot be made of a person.
type Unmakable struct{ Problems []template.AttributeProblem }

// Error says of every attribute why it cannot be made.
func (u *Unmakable) Error() string {
	texts := make([]string, len(u.Problems))
	for i, p := range u.Problems {
		texts[i] = p.Message
	}
	return strings.Join(texts, "; ")
}

func (u *Unmakable) or() error {
	if len(u.Problems) == 0 {
		return nil
	}
	return u
}

// Account is the account that the connector makes of a person, with what becomes of its password. taken finds a
// name, in any case, whether it is no longer free. The error, an *Unmakable, names every attribute that cannot be made,
// and why.
func (c Config) Account(
	f identity.Facts,
	taken func(username string) bool,
) (v1.ProvisionAccount, *v1.NewCredential, error) {
	made, err := c.make(f, taken)
	if err != nil {
		return v1.ProvisionAccount{}, nil, err
	}
	if u := made.problems(); u != nil {
		return v1.ProvisionAccount{}, nil, u
	}
	a := made.account()
	enabled := c.Template.EnabledOnCreate
	a.Enabled = &enabled
	cred := c.Template.Credential
	if cred.Mode == "" || cred.Mode == "none" {
		return a, nil, nil
	}
	return a, &v1.NewCredential{Mode: cred.Mode, ForceChange: cred.ForceChange}, nil
}

// field is one thing that was made, or not.
type field struct {
	target, expression, on string
	required               bool
	value                  any
	problem                *template.AttributeProblem
	missing                []string // of an optional one that was left out
}

type made struct {
	username, container *field
	attributes          []field
}

func (m *made) problems() error {
	u := &Unmakable{}
	for _, f := range m.all() {
		if f.problem != nil {
			u.Problems = append(u.Problems, *f.problem)
		}
	}
	return u.or()
}

func (m *made) all() []*field {
	out := []*field{m.username}
	if m.container != nil {
		out = append(out, m.container)
	}
	for i := range m.attributes {
		out = append(out, &m.attributes[i])
	}
	return out
}

// account holds what has a value.
func (m *made) account() v1.ProvisionAccount {
	var a v1.ProvisionAccount
	for _, f := range m.all() {
		if f.value != nil {
			put(&a, f.target, f.value)
		}
	}
	return a
}

// put writes a value to its place in an account. A nil one removes what is there.
func put(a *v1.ProvisionAccount, target string, value any) {
	if to := member(a, target); to != nil {
		text, _ := value.(string)
		*to = &text
		return
	}
	if a.Attributes == nil {
		a.Attributes = map[string]any{}
	}
	a.Attributes[target] = value
}

// member is the place of a target in an account, nil for an attribute of the target system's own.
func member(a *v1.ProvisionAccount, target string) **string {
	switch target {
	case template.MemberUsername:
		return &a.Username
	case template.MemberEmail:
		return &a.Email
	case template.MemberDisplayName:
		return &a.DisplayName
	case template.MemberFirstName:
		return &a.FirstName
	case template.MemberLastName:
		return &a.LastName
	case template.MemberEmployeeNumber:
		return &a.EmployeeNumber
	case template.FieldContainer:
		return &a.Container
	}
	return nil
}

// make evaluates the whole template. Its error is a template that is no valid one.
func (c Config) make(f identity.Facts, taken func(string) bool) (*made, error) {
	p, err := c.ready()
	if err != nil {
		return nil, err
	}
	rec := pyexpr.NewRecord(f)
	m := &made{
		username: &field{
			target:     template.MemberUsername,
			expression: c.Template.Username.Expression,
			on:         c.Template.Username.On,
			required:   true,
		},
	}
	stem := ""
	if c.evaluate(m.username, p.Username, f, rec, nil); m.username.problem == nil {
		stem, m.username.problem = c.stem(p, m.username.value.(string))
	}
	var username any
	if m.username.value = nil; m.username.problem == nil {
		var name string
		if name, m.username.problem = c.Template.Username.Unique.Free(stem, taken); name != "" {
			m.username.value, username = name, name
		}
	}
	c.fill(m, p, f, rec, username)
	return m, nil
}

// fill evaluates all but the name.
func (c Config) fill(m *made, p *template.Plan, f identity.Facts, rec *pyexpr.Record, username any) {
	if t := c.Template.Container; t != nil {
		m.container = &field{target: template.FieldContainer, expression: t.Expression, on: t.On}
		c.evaluate(m.container, p.Container, f, rec, username)
	}
	m.attributes = make([]field, len(c.Template.Attributes))
	for i, a := range c.Template.Attributes {
		m.attributes[i] = field{target: a.Target, expression: a.Expression, on: a.On, required: a.Required}
		c.evaluate(&m.attributes[i], p.Attributes[i], f, rec, username)
	}
}

// ready is the template ready for use.
func (c Config) ready() (*template.Plan, error) {
	if c.plan != nil {
		return c.plan, nil
	}
	p, wrong := c.Template.Compile()
	if len(wrong) > 0 {
		return nil, fmt.Errorf(
			"the account template of connector %s is no valid one: %s: %s",
			c.BusinessID,
			wrong[0].Pointer,
			wrong[0].Detail,
		)
	}
	return p, nil
}

// evaluate gives a field its value, or its problem. An optional one that cannot be made because something about the
// person is not known is left out.
func (c Config) evaluate(to *field, program *pyexpr.Program, f identity.Facts, rec *pyexpr.Record, username any) {
	v, err := program.Eval(context.Background(), username, rec)
	if v == "" {
		v = nil
	}
	missing := template.Absent(f, program.Reads())
	problem := func(code, format string, args ...any) {
		to.problem = &template.AttributeProblem{
			Field:   to.target,
			Code:    code,
			Message: to.target + " cannot be made: " + fmt.Sprintf(format, args...),
			Missing: missing,
		}
	}
	switch {
	case err != nil && len(missing) > 0 && to.required:
		problem(template.CodeMissing, "%s", template.Unknown(missing))
	case err != nil && len(missing) > 0:
		to.missing = missing
	case err != nil:
		problem(template.CodeFailed, "%s", template.Quiet(err))
	case v == nil && to.required && len(missing) > 0:
		problem(template.CodeMissing, "%s", template.Unknown(missing))
	case v == nil && to.required:
		problem(template.CodeMissing, "its expression gives None")
	case v == nil:
		to.missing = missing
	default:
		if to.value, err = c.writable(to.target, v); err != nil {
			problem(template.CodeWrongType, "%s", err.Error())
			return
		}
		place, isText := to.value.(string)
		if to.target != template.FieldContainer || c.Type != catalog.LDAP || !isText {
			return
		}
		if err := container.Check(program, f, username, place); err != nil {
			to.value = nil
			problem(template.CodeFailed, "%s", err.Error())
		}
	}
}

// writable turns a result into what a connector takes. A directory has nothing but texts.
func (c Config) writable(target string, v any) (any, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case bool:
		switch {
		case c.Type == catalog.LDAP:
			return strings.ToUpper(strconv.FormatBool(v)), nil
		case known(target):
			return nil, errors.New("its expression gives a bool, not a text")
		}
		return v, nil
	case int64, float64, json.Number:
		if c.Type == catalog.LDAP || known(target) {
			return template.Number(v), nil
		}
		return v, nil
	case []any:
		return c.list(target, v)
	}
	if c.Type == catalog.LDAP || known(target) {
		return nil, errors.New("its expression gives a dict, not a text")
	}
	return v, nil
}

func (c Config) list(target string, values []any) (any, error) {
	switch {
	case known(target):
		return nil, errors.New("its expression gives a list, not a text")
	case len(values) == 0:
		return nil, nil
	case c.Type != catalog.LDAP:
		return values, nil
	}
	out := make([]any, 0, len(values))
	for _, v := range values {
		text, err := c.writable(target, v)
		if _, isText := text.(string); err != nil || !isText {
			return nil, errors.New("its expression gives a list of something else than texts")
		}
		out = append(out, text)
	}
	return out, nil
}

func known(target string) bool { return member(&v1.ProvisionAccount{}, target) != nil }
