package wording

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/notice"
)

// English is the language of the catalog.
const English = "en"

// Words are the subject and the text of a notification.
type Words struct {
	Subject string
	Text    string
}

// Stored are the words of a tenant for a kind in a language.
type Stored struct {
	Kind      string    `db:"kind"`
	Language  string    `db:"language"`
	Subject   string    `db:"subject"`
	Text      string    `db:"text"`
	Version   int       `db:"version"`
	UpdatedAt time.Time `db:"updated_at"`
}

// Words are the words without their place.
func (s Stored) Words() Words { return Words{s.Subject, s.Text} }

// Default are the words of the catalog.
func Default(k notice.Kind) Words {
	if text, is := texts[k.Name]; is {
		return Words{k.Subject, text}
	}
	if slices.Contains(Fields(k), "summary") {
		return Words{k.Subject, "{summary}"}
	}
	return Words{k.Subject, ""}
}

// texts are the texts of the catalog that are not the summary of the object.
var texts = map[string]string{
	notice.UserInvited: "An administrator created a sign-in for you. Open the page and choose a password.",
	notice.PasswordReset: "A reset of your password was requested. If it was you, open the page and choose a new " +
		"one. If not, ignore this message: your password stays as it is.",
	notice.PasswordChanged: "If you did not change it yourself, tell an administrator at once.",
}

// Fields are the fields of a kind.
func Fields(k notice.Kind) []string {
	switch {
	case k.Group == notice.Account:
		return []string{"title", "name"}
	case k.Group == notice.Tasks:
		return []string{"title", "name", "summary", "due", "risk"}
	case k.Name == notice.AccessEnding, k.Name == notice.TokenEnding:
		return []string{"title", "name", "due"}
	case k.Name == notice.AccessRevoked:
		return []string{"title", "name", "summary"}
	case k.Group == notice.Requests:
		return []string{"title", "name", "request", "access", "requested_for", "requested_by", "reason"}
	}
	return []string{"title", "name", "summary", "risk"}
}

// Set are the words of a tenant.
type Set map[[2]string]Words

// Read reads the words of the transaction's tenant.
func Read(ctx context.Context, tx *pg.Tx) (Set, error) {
	all, err := List(ctx, tx)
	out := Set{}
	for _, s := range all {
		out[[2]string{s.Kind, s.Language}] = s.Words()
	}
	return out, err
}

// List lists the words of the transaction's tenant.
func List(ctx context.Context, tx *pg.Tx) ([]Stored, error) {
	return pg.All[Stored](ctx, tx, "read templates", `
		select kind, language, subject, text, version, updated_at
		  from notification_template
		 where tenant_id = current_tenant()
		 order by kind, language`)
}

// Of are the words of a kind for a person who reads a language.
func (s Set) Of(k notice.Kind, language string) Words {
	language = strings.ToLower(strings.ReplaceAll(language, "_", "-"))
	base, _, _ := strings.Cut(language, "-")
	for _, l := range []string{language, base, English} {
		if w, is := s[[2]string{k.Name, l}]; is {
			return w
		}
	}
	return Default(k)
}

// Fill replaces fields by their values. It takes text that Check accepts.
func Fill(text string, values map[string]string) string {
	var b strings.Builder
	_ = scan(text, func(literal string) { b.WriteString(literal) }, func(field string, _, _ int) {
		b.WriteString(values[field])
	})
	return b.String()
}

// Check says what is wrong with words of a kind.
func Check(k notice.Kind, w Words) error {
	var wrong []fault.Field
	fields := Fields(k)
	for _, part := range []struct {
		pointer, text string
		most          int
	}{{"#/subject", w.Subject, 180}, {"#/text", w.Text, 2000}} {
		add := func(code, detail string) {
			wrong = append(wrong, fault.Field{Pointer: part.pointer, Code: code, Detail: detail})
		}
		if utf8.RuneCountInString(part.text) > part.most {
			add("too_long", fmt.Sprintf("must have at most %d characters", part.most))
		}
		if part.pointer == "#/subject" &&
			(strings.TrimSpace(part.text) == "" || strings.ContainsAny(part.text, "\r\n")) {
			add("invalid", "must be one line of text")
		}
		bad := scan(part.text, func(string) {}, func(field string, line, column int) {
			if !slices.Contains(fields, field) {
				add("unknown_field", fmt.Sprintf("line %d, column %d: {%s} is not a field. The fields are %s.",
					line, column, field, strings.Join(fields, ", ")))
			}
		})
		if bad != "" {
			add("invalid", bad)
		}
	}
	if len(wrong) > 0 {
		return fault.New(fault.Invalid, "The template is invalid.").With(wrong...)
	}
	return nil
}

// scan reads text and calls functions for what is literal and for fields, with their line and column. It returns what
// is wrong with the braces; empty if nothing is.
func scan(text string, literal func(string), field func(name string, line, column int)) (wrong string) {
	line, column := 1, 1
	advance := func(s string) {
		for _, r := range s {
			if column++; r == '\n' {
				line, column = line+1, 1
			}
		}
	}
	for text != "" {
		at := strings.IndexAny(text, "{}")
		if at < 0 {
			literal(text)
			return wrong
		}
		literal(text[:at])
		advance(text[:at])
		text = text[at:]
		end := strings.IndexAny(text[1:], "{}\n")
		switch {
		case strings.HasPrefix(text, "{{"), strings.HasPrefix(text, "}}"):
			literal(text[:1])
			advance(text[:2])
			text = text[2:]
		case text[0] == '{' && end >= 0 && text[1+end] == '}':
			field(text[1:1+end], line, column)
			advance(text[:2+end])
			text = text[2+end:]
		default:
			if wrong == "" {
				wrong = fmt.Sprintf(
					"line %d, column %d: %s has no counterpart. Write it twice for the character itself.",
					line,
					column,
					text[:1],
				)
			}
			literal(text[:1])
			advance(text[:1])
			text = text[1:]
		}
	}
	return wrong
}
