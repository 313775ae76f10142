package directory

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// Attribute describes a custom attribute of people.
type Attribute struct {
	Name        string `json:"name" minLength:"1" maxLength:"128"`
	Type        string `json:"type" enum:"string,number,boolean,date,enum,list"`
	Required    bool   `json:"required,omitempty" doc:"Required if a person is created, or attributes are changed, through the API. A source may omit it."`
	Allowed     []any  `json:"allowed,omitempty" maxItems:"500" doc:"The values of an enum; of another type, what it may be; of a list, what its members may be."`
	Description string `json:"description,omitempty" maxLength:"1000"`
	PII         bool   `json:"pii,omitempty" doc:"It says something personal."`
}

// Schema is what a tenant knows of its people's custom attributes.
type Schema struct {
	Open       *bool       `json:"open,omitempty" required:"false" default:"true" doc:"Whether attributes that are not named here may be kept."`
	Attributes []Attribute `json:"attributes" maxItems:"200" nullable:"false"`
	Version    int         `json:"-"`

	byName map[string]Attribute
}

func (s *Schema) index() {
	s.byName = make(map[string]Attribute, len(s.Attributes))
	for _, a := range s.Attributes {
		s.byName[a.Name] = a
	}
}

func (s *Schema) open() bool { return s.Open == nil || *s.Open }

// empty reports whether the schema asks for nothing.
func (s *Schema) empty() bool { return s.open() && len(s.Attributes) == 0 }

// FindSchema reads the tenant's schema; without one, any attribute is kept as it comes.
func FindSchema(ctx context.Context, tx *pg.Tx) (Schema, error) {
	s := Schema{Attributes: []Attribute{}}
	var open bool
	err := tx.QueryRow(ctx, `select open, attributes, version from identity_schema where tenant_id = current_tenant()`).Scan(&open, &s.Attributes, &s.Version)
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

var attributeName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.-]*$`)

// check refuses a schema that contradicts itself.
func (s *Schema) check() error {
	var wrong []fault.Field
	seen := map[string]bool{}
	for i, a := range s.Attributes {
		at := fmt.Sprintf("#/attributes/%d", i)
		if !attributeName.MatchString(a.Name) {
			wrong = append(wrong, fault.Field{Pointer: at + "/name", Code: "invalid", Detail: "a letter, then letters, digits, _ . and -"})
		}
		if seen[a.Name] {
			wrong = append(wrong, fault.Field{Pointer: at + "/name", Code: "repeated", Detail: "an attribute is described once"})
		}
		seen[a.Name] = true
		if a.Type == "enum" && len(a.Allowed) == 0 {
			wrong = append(wrong, fault.Field{Pointer: at + "/allowed", Code: "required", Detail: "an enum names its values"})
		}
		for k, v := range a.Allowed {
			if _, ok := a.member(v); !ok {
				wrong = append(wrong, fault.Field{Pointer: fmt.Sprintf("%s/allowed/%d", at, k), Code: "invalid", Detail: "this is no " + a.kind()})
			}
		}
	}
	if len(wrong) > 0 {
		return fault.New(fault.Invalid, "this schema cannot be kept; see errors").With(wrong...)
	}
	return nil
}

// kind is the type of an attribute's single value.
func (a Attribute) kind() string {
	if a.Type == "enum" || a.Type == "list" {
		return "text"
	}
	return a.Type
}

// member is a single value in the form it is kept in, and whether it can be one.
func (a Attribute) member(v any) (any, bool) {
	switch a.Type {
	case "number":
		return v, isNumber(v)
	case "boolean":
		_, ok := v.(bool)
		return v, ok
	case "date":
		text, _ := v.(string)
		_, err := time.Parse(time.DateOnly, text)
		return v, err == nil && !strings.HasPrefix(text, "0000")
	}
	_, ok := v.(string)
	return v, ok
}

func isNumber(v any) bool {
	switch v.(type) {
	case float64, json.Number, int, int64:
		return true
	}
	return false
}

// fits says what is wrong with a value, or nothing.
func (a Attribute) fits(v any) string {
	if a.Type != "list" {
		return a.fitsOne(v)
	}
	list, ok := v.([]any)
	if !ok {
		return "a list of texts"
	}
	for _, each := range list {
		if why := a.fitsOne(each); why != "" {
			return "a list, each " + why
		}
	}
	return ""
}

func (a Attribute) fitsOne(v any) string {
	if _, ok := a.member(v); !ok {
		return map[string]string{"number": "a number", "boolean": "true or false", "date": "a date such as 2026-01-31", "text": "a text", "string": "a text"}[a.kind()]
	}
	if len(a.Allowed) > 0 && !slices.ContainsFunc(a.Allowed, func(x any) bool { return fmt.Sprint(x) == fmt.Sprint(v) }) {
		return "one of " + strings.Trim(fmt.Sprint(a.Allowed), "[]")
	}
	return ""
}

// Check says what is wrong with somebody's attributes. Null is as good as absent.
func (s *Schema) Check(attributes map[string]any) (wrong []fault.Field) {
	if s.empty() {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		a, known := s.byName[name]
		switch v := attributes[name]; {
		case v == nil:
		case !known && !s.open():
			wrong = append(wrong, fault.Field{Pointer: "#/attributes/" + pointed(name), Code: "unknown_attribute", Detail: "the schema of attributes does not know it"})
		case known:
			if why := a.fits(v); why != "" {
				wrong = append(wrong, fault.Field{Pointer: "#/attributes/" + pointed(name), Code: "invalid_attribute", Detail: why})
			}
		}
	}
	for _, a := range s.Attributes {
		if a.Required && attributes[a.Name] == nil {
			wrong = append(wrong, fault.Field{Pointer: "#/attributes/" + pointed(a.Name), Code: "required", Detail: "the schema of attributes requires it"})
		}
	}
	return wrong
}

// pointed is a name as a part of a JSON pointer.
func pointed(name string) string {
	return strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
}

// AsideAttribute is a value of a source that was left out, and why. It names the attribute, never the value.
type AsideAttribute struct{ Name, Code, Message string }

// Takes says whether identities may have an attribute of this name.
func (s *Schema) Takes(name string) bool {
	_, known := s.byName[name]
	return known || s.open()
}

// Coerce brings what a source says into the schema's types, in place; what does not fit is taken out and told.
func (s *Schema) Coerce(attributes map[string]any) (aside []AsideAttribute) {
	if s.empty() {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		v := attributes[name]
		if v == nil {
			continue
		}
		a, known := s.byName[name]
		if !known {
			if !s.open() {
				delete(attributes, name)
				aside = append(aside, AsideAttribute{name, "unknown_attribute", "the attribute is not in the attribute schema, so it was omitted"})
			}
			continue
		}
		coerced := a.coerce(v)
		if why := a.fits(coerced); why != "" {
			delete(attributes, name)
			aside = append(aside, AsideAttribute{name, "invalid_attribute", "the attribute schema requires " + why + "; the value was omitted"})
			continue
		}
		attributes[name] = coerced
	}
	return aside
}

// read reads values as what they are meant to be, in place. What does not fit stays, to be refused.
func (s *Schema) read(attributes map[string]any) {
	for name, v := range attributes {
		if a, known := s.byName[name]; known && v != nil {
			attributes[name] = a.coerce(v)
		}
	}
}

// coerce reads a value as what it is meant to be, or gives it back.
func (a Attribute) coerce(v any) any {
	if list, is := v.([]any); is {
		if a.Type != "list" {
			if len(list) == 1 {
				return a.coerce(list[0])
			}
			return v
		}
		out := make([]any, len(list))
		for i, each := range list {
			out[i] = spelt(each)
		}
		return out
	}
	if a.Type == "list" {
		return []any{spelt(v)}
	}
	text, isText := v.(string)
	text = strings.TrimSpace(text)
	switch {
	case a.kind() == "text" || a.kind() == "string":
		return spelt(v)
	case !isText:
	case a.Type == "number":
		if n, err := strconv.ParseFloat(text, 64); err == nil && !math.IsInf(n, 0) && !math.IsNaN(n) {
			return n
		}
	case a.Type == "boolean":
		switch strings.ToLower(text) {
		case "true", "yes", "y", "1":
			return true
		case "false", "no", "n", "0":
			return false
		}
	case a.Type == "date":
		for _, layout := range []string{time.DateOnly, time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006/01/02", "20060102"} {
			if t, err := time.Parse(layout, text); err == nil {
				return t.Format(time.DateOnly)
			}
		}
	}
	return v
}

// spelt is a single value as a text; what is none stays.
func spelt(v any) any {
	switch v := v.(type) {
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case json.Number, bool, int, int64:
		return fmt.Sprint(v)
	}
	return v
}

// checkAttributes refuses attributes that the tenant's schema does not allow.
func checkAttributes(ctx context.Context, tx *pg.Tx, attributes map[string]any) error {
	s, err := FindSchema(ctx, tx)
	if err != nil {
		return err
	}
	if wrong := s.Check(attributes); len(wrong) > 0 {
		return fault.Coded(fault.Invalid, "invalid_attributes", "the attributes do not follow the tenant's schema; see errors").With(wrong...)
	}
	return nil
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
	if err := tx.QueryRow(ctx, sql, s.open(), s.Attributes).Scan(&version); err != nil {
		return 0, fmt.Errorf("write schema of attributes: %w", err)
	}
	return version, audit.Record(ctx, tx, audit.Entry{Action: "identity_schema.updated", Subject: audit.Subject{Type: "identity_schema", ID: tx.Viewer.Tenant},
		Changes: []audit.Change{{Field: "attributes", From: a, To: b}}})
}

func canonical(s Schema) string {
	b, _ := json.Marshal(map[string]any{"open": s.open(), "attributes": s.Attributes})
	return string(b)
}

func (s *Service) schemaRoutes() []httpapi.Route {
	return []httpapi.Route{
		httpapi.Handle("GET", "/identities/schema/attributes", "Get the custom attribute schema", s.readSchema).For(viewer.Admin, viewer.Auditor),
		httpapi.Handle("PUT", "/identities/schema/attributes", "Replace the custom attribute schema", s.putSchema).For(viewer.Admin).Errors(412).
			Describe("Writes through the API must match it. Values from syncs are converted to its types, or omitted with a warning in the sync run. Stored values stay until they are written again."),
	}
}

func (s *Service) readSchema(ctx context.Context, v viewer.Viewer, _ *struct{}) (out *httpapi.One[Schema], err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		schema, err := FindSchema(ctx, tx)
		out = &httpapi.One[Schema]{ETag: httpapi.ETag(schema.Version), Body: schema}
		return err
	})
	return out, err
}

type putSchemaIn struct {
	httpapi.IfMatch
	Body Schema
}

func (s *Service) putSchema(ctx context.Context, v viewer.Viewer, in *putSchemaIn) (out *httpapi.One[Schema], err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		if _, err := tx.Exec(ctx, `select pg_advisory_xact_lock(1523, hashtext(current_tenant()::text))`); err != nil { // a first row cannot be locked
			return fmt.Errorf("lock schema of attributes: %w", err)
		}
		before, err := FindSchema(ctx, tx)
		if err != nil {
			return err
		}
		if err := in.Check(before.Version); err != nil {
			return err
		}
		version, err := PutSchema(ctx, tx, in.Body)
		open := in.Body.open()
		in.Body.Open = &open
		out = &httpapi.One[Schema]{ETag: httpapi.ETag(version), Body: in.Body}
		return err
	})
	return out, err
}
