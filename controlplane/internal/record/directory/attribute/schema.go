package attribute

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// Attribute describes a custom attribute of people.
type Attribute struct {
	// Name of the attribute: a letter, followed by letters, digits, underscores, periods and hyphens.
	Name string `json:"name" minLength:"1" maxLength:"128"`
	// Type of the values. date: YYYY-MM-DD. enum: one of the texts in allowed. list: several texts.
	Type string `json:"type" enum:"string,number,boolean,date,enum,list"`
	// Required if a person is created, or attributes are changed, through the API. A source may omit it.
	Required bool `json:"required,omitempty"`
	// The values of an enum; of another type, what it may be; of a list, what its members may be.
	Allowed []any `json:"allowed,omitempty" maxItems:"500"`
	// What the attribute means, in words.
	Description string `json:"description,omitempty" maxLength:"1000"`
	// It contains personal data.
	PII bool `json:"pii,omitempty"`
}

// Schema is what a tenant knows of its people's custom attributes.
type Schema struct {
	// Whether attributes that are not named here may be kept.
	Open *bool `json:"open,omitempty" required:"false" default:"true"`
	// Custom attributes of identities with their types.
	Attributes []Attribute `json:"attributes" maxItems:"200" nullable:"false"`
	Version    int         `json:"-"`

	byName map[string]Attribute
}

// index prepares the lookup of attributes by name.
func (s *Schema) index() {
	s.byName = make(map[string]Attribute, len(s.Attributes))
	for _, a := range s.Attributes {
		s.byName[a.Name] = a
	}
}

// IsOpen reports whether attributes that the schema does not name are allowed.
func (s *Schema) IsOpen() bool { return s.Open == nil || *s.Open }

// empty reports whether the schema asks for nothing.
func (s *Schema) empty() bool { return s.IsOpen() && len(s.Attributes) == 0 }

// FindSchema reads the tenant's schema; without one, any attribute is kept as it comes.
func FindSchema(ctx context.Context, tx *pg.Tx) (Schema, error) {
	s := Schema{Attributes: []Attribute{}}
	var open bool
	err := tx.QueryRow(ctx, `select open, attributes, version from identity_schema where tenant_id = current_tenant()`).
		Scan(&open, &s.Attributes, &s.Version)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return s, fmt.Errorf("find schema of attributes: %w", err)
	}
	if err == nil {
		s.Open = &open
	} else {
		usual := true
		s.Open = &usual
	}
	s.index()
	return s, nil
}

// attributeName matches the name of a custom attribute.
var attributeName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.-]*$`)

// check refuses a schema that contradicts itself.
func (s *Schema) check() error {
	var wrong []fault.Field
	seen := map[string]bool{}
	for i, a := range s.Attributes {
		at := fmt.Sprintf("#/attributes/%d", i)
		if !attributeName.MatchString(a.Name) {
			wrong = append(
				wrong,
				fault.Field{
					Pointer: at + "/name",
					Code:    "invalid",
					Detail:  "a letter, then letters, digits, _ . and -",
				},
			)
		}
		if seen[a.Name] {
			wrong = append(
				wrong,
				fault.Field{Pointer: at + "/name", Code: "repeated", Detail: "an attribute is described once"},
			)
		}
		seen[a.Name] = true
		if a.Type == "enum" && len(a.Allowed) == 0 {
			wrong = append(
				wrong,
				fault.Field{Pointer: at + "/allowed", Code: "required", Detail: "an enum names its values"},
			)
		}
		for k, v := range a.Allowed {
			if _, ok := a.member(v); !ok {
				wrong = append(
					wrong,
					fault.Field{
						Pointer: fmt.Sprintf("%s/allowed/%d", at, k),
						Code:    "invalid",
						Detail:  "this is no " + a.kind(),
					},
				)
			}
		}
	}
	if len(wrong) > 0 {
		return fault.New(fault.Invalid, "The schema is invalid. See errors.").With(wrong...)
	}
	return nil
}

// Takes says whether identities may have an attribute of this name.
func (s *Schema) Takes(name string) bool {
	_, known := s.byName[name]
	return known || s.IsOpen()
}

// PutSchema replaces the tenant's schema, and gives its version.
func PutSchema(ctx context.Context, tx *pg.Tx, s Schema) (int, error) {
	if err := s.check(); err != nil {
		return 0, err
	}
	before, err := FindSchema(ctx, tx)
	if err != nil {
		return 0, err
	}
	a, b := canonical(before), canonical(s)
	if before.Version > 0 && a == b {
		return before.Version, nil
	}
	const sql = `
		insert into identity_schema as s (tenant_id, open, attributes)
		values (current_tenant(), $1, $2)
		    on conflict (tenant_id) do update
		   set open = excluded.open, attributes = excluded.attributes, updated_at = now(), version = s.version + 1
		returning version`
	var version int
	if err := tx.QueryRow(ctx, sql, s.IsOpen(), s.Attributes).Scan(&version); err != nil {
		return 0, fmt.Errorf("write schema of attributes: %w", err)
	}
	return version, audit.Record(
		ctx,
		tx,
		audit.Entry{
			Action:  "identity_schema.updated",
			Subject: audit.Subject{Type: "identity_schema", ID: tx.Viewer.Tenant},
			Changes: []audit.Change{{Field: "attributes", From: a, To: b}},
		},
	)
}

// canonical is the schema as text, to compare two schemas. Their types always encode.
func canonical(s Schema) string {
	b, _ := json.Marshal(map[string]any{"open": s.IsOpen(), "attributes": s.Attributes})
	return string(b)
}
