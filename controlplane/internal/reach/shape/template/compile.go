package template

import (
	"errors"
	"fmt"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr"
	"github.com/grantwright/grantwright/controlplane/internal/reach/shape/romanize"
)

// Plan is a template ready for use.
type Plan struct {
	Username, Container *pyexpr.Program
	Attributes          []*pyexpr.Program // in the order of the template
	Allowed             *romanize.Charset
}

// Compile reads a template. What is wrong with it comes with where it stands.
func (t AccountTemplate) Compile() (*Plan, []fault.Field) {
	p := &Plan{Attributes: make([]*pyexpr.Program, len(t.Attributes))}
	var wrong []fault.Field
	read := func(pointer, expression string) *pyexpr.Program {
		program, err := pyexpr.CompileAbout(expression, "username", "identity")
		if err != nil {
			wrong = append(
				wrong,
				fault.Field{Pointer: "#/account/" + pointer, Code: "invalid_expression", Detail: position(err)},
			)
		}
		return program
	}
	p.Username = read("username/expression", t.Username.Expression)
	if t.Container != nil {
		p.Container = read("container/expression", t.Container.Expression)
	}
	for i, a := range t.Attributes {
		p.Attributes[i] = read(fmt.Sprintf("attributes/%d/expression", i), a.Expression)
	}
	var err error
	if p.Allowed, err = romanize.ParseCharset(t.Username.Unique.Allowed); err != nil {
		wrong = append(
			wrong,
			fault.Field{Pointer: "#/account/username/unique/allowed", Code: "invalid_characters", Detail: err.Error()},
		)
	}
	return p, wrong
}

// position is what is wrong with an expression, and where.
func position(err error) string {
	var e *pyexpr.Error
	if errors.As(err, &e) {
		return e.Error() + "\n" + e.Excerpt
	}
	return err.Error()
}
