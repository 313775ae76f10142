package lookup

import (
	"encoding/json"
	"math"
	"slices"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
)

// CheckParameters returns what is wrong with the given parameters. at is the place of the item in the body.
func (t Resource) CheckParameters(given map[string]any, at string) []fault.Field {
	var wrong []fault.Field
	bad := func(name, code, detail string) {
		wrong = append(wrong, fault.Field{Pointer: at + "/parameters/" + name, Code: code, Detail: detail})
	}
	takes := map[string]bool{}
	for _, p := range t.Parameters {
		takes[p.Name] = true
		value, there := given[p.Name]
		switch {
		case !there || value == nil:
			if p.Required {
				bad(p.Name, "required", t.Display+" needs "+p.Name)
			}
		case !p.fits(value):
			bad(p.Name, "invalid", p.Name+" must be a "+p.Type)
		case len(p.Allowed) > 0 && !p.allows(value):
			text, err := json.Marshal(p.Allowed)
			if err == nil {
				bad(p.Name, "invalid", p.Name+" must be one of "+string(text))
			}
		}
	}
	for name := range given {
		if !takes[name] {
			bad(name, "unknown", t.Display+" takes no parameter "+name)
		}
	}
	return wrong
}

// fits says whether a value is of the parameter's type. A type that is not known here takes any.
func (p Parameter) fits(value any) bool {
	switch p.Type {
	case "string":
		_, is := value.(string)
		return is
	case "number", "integer":
		n, is := value.(float64)
		return is && (p.Type == "number" || n == math.Trunc(n))
	case "boolean":
		_, is := value.(bool)
		return is
	case "date":
		text, is := value.(string)
		_, err := time.Parse(time.DateOnly, text)
		return is && err == nil
	}
	return true
}

// allows says whether a value is one of the allowed ones, compared as JSON.
func (p Parameter) allows(value any) bool {
	asked, err := json.Marshal(value)
	return err == nil && slices.ContainsFunc(p.Allowed, func(a any) bool {
		text, err := json.Marshal(a)
		return err == nil && string(text) == string(asked)
	})
}
