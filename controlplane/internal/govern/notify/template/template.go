// Package template is the API of a tenant's own subjects and texts of notifications.
//
// Purpose. Administrators replace the words of the catalog by their own, in any language, look at them with an object
// of the tenant, and go back to the default. The words themselves are kept and filled by the package wording.
//
// Tables. It writes notification_template.
//
// Example. PUT …/templates/task.assigned?language=de {"subject": "Entscheid: {title}", "text": "Guten Tag {name}"}
// changes what people with the language de, de-CH or de-AT read.
package template

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/notify/plan"
	"github.com/grantwright/grantwright/controlplane/internal/govern/notify/wording"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/notice"
)

// NotificationTemplate is the subject and the text of a kind of notification in a language.
type NotificationTemplate struct {
	// Kind of notification.
	Kind string `json:"kind"`
	// Name of the kind, for people.
	Title string `json:"title" example:"Decision task assigned"`
	// Language, in lower case.
	Language string `json:"language" example:"en"`
	// When notifications of the kind are written.
	When string `json:"when"`
	// Subject, with fields in braces.
	Subject string `json:"subject"`
	// Text, with fields in braces. Each line is a paragraph.
	Text string `json:"text"`
	// Fields that the subject and the text can have.
	Fields []string `json:"fields" nullable:"false"`
	// False if these are the default words.
	Changed bool `json:"changed"`
	// Version of the template. 0: the default.
	Version int `json:"version"`
	// Time of the last change. Null for the default.
	UpdatedAt *time.Time `json:"updated_at"`
}

// NotificationTemplates are the words of all kinds.
type NotificationTemplates struct {
	// Each kind in English, and in the languages in which the tenant has words of its own.
	Templates []NotificationTemplate `json:"templates" nullable:"false"`
}

// TemplateWords are the words of a template.
type TemplateWords struct {
	// Subject, with fields in braces. Write a brace twice for the brace itself.
	Subject string `json:"subject" maxLength:"400" example:"Decision: {title}"`
	// Text, with fields in braces. Each line is a paragraph.
	Text string `json:"text" maxLength:"4000" example:"{summary}"`
}

// TemplatePreview is a message with the words of a template.
type TemplatePreview struct {
	// Subject of the message.
	Subject string `json:"subject"`
	// Plain text of the message.
	Text string `json:"text"`
}

// Service is the API. It needs all fields.
type Service struct {
	DB   *pg.DB
	Plan *plan.Service
}

const (
	base      = "/settings/notifications/templates"
	one       = base + "/{key}"
	aboutList = "Subjects and texts of notifications: each kind in English, and the tenant's own in other languages. " +
		"A person reads the template of their language, such as de-CH, else of de, else of en."
	aboutPut = "Replaces the subject and the text. 422 names each unknown field with its place. A version in " +
		"If-Match protects from overwriting; 0 is the default."
	aboutPreview = "Returns a message with these words about the newest object of the tenant that the kind can be " +
		"about. Nothing is stored or sent. 409 nothing_to_preview if there is no object."
)

// Routes are the paths of templates.
func (s *Service) Routes() []httpapi.Route {
	all := []httpapi.Route{
		httpapi.Handle("GET", base, "List notification templates", s.list).
			For(viewer.Admin, viewer.Auditor).
			Describe(aboutList),
		httpapi.Handle("PUT", one, "Update a notification template", s.put).
			For(viewer.Admin).
			Errors(412).
			Describe(aboutPut),
		httpapi.Handle("DELETE", one, "Reset a notification template", s.reset).
			For(viewer.Admin).
			Status(204).
			Describe("Deletes the tenant's own words. The default applies again."),
		httpapi.Handle("POST", one+"/preview", "Preview a notification template", s.preview).
			For(viewer.Admin).
			Status(200).
			Errors(409).
			Describe(aboutPreview),
	}
	for i := range all {
		all[i] = all[i].Tag("settings")
	}
	return all
}

// shown is a template for the API.
func shown(k notice.Kind, language string, w wording.Words) NotificationTemplate {
	return NotificationTemplate{
		Kind: k.Name, Title: k.Title, Language: language, When: k.When, Subject: w.Subject, Text: w.Text,
		Fields: wording.Fields(k),
	}
}

func own(k notice.Kind, s wording.Stored) NotificationTemplate {
	out := shown(k, s.Language, s.Words())
	out.Changed, out.Version, out.UpdatedAt = true, s.Version, &s.UpdatedAt
	return out
}

// list is GET of all templates.
func (s *Service) list(ctx context.Context, v viewer.Viewer, _ *struct{}) (
	*httpapi.One[NotificationTemplates], error) {
	var stored []wording.Stored
	if err := s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		stored, err = wording.List(ctx, tx)
		return err
	}); err != nil {
		return nil, err
	}
	out := NotificationTemplates{Templates: []NotificationTemplate{}}
	for _, k := range notice.Kinds {
		english := shown(k, wording.English, wording.Default(k))
		var others []NotificationTemplate
		for _, t := range stored {
			switch {
			case t.Kind == k.Name && t.Language == wording.English:
				english = own(k, t)
			case t.Kind == k.Name:
				others = append(others, own(k, t))
			}
		}
		out.Templates = append(append(out.Templates, english), others...)
	}
	return &httpapi.One[NotificationTemplates]{Body: out}, nil
}

// TemplatePlace is which template an operation is about.
type TemplatePlace struct {
	// Kind of notification, such as task.assigned.
	Key string `path:"key" minLength:"1" maxLength:"100"`
	// Language in lower case, such as de-ch. Absent: en.
	Language string `query:"language" maxLength:"35"`
}

func (p TemplatePlace) language() string {
	if p.Language == "" {
		return wording.English
	}
	return p.Language
}

var languageForm = regexp.MustCompile(`^[a-z]{2,3}(-[a-z0-9]{2,8})*$`)

func (p TemplatePlace) kind() (notice.Kind, error) {
	k, known := notice.Find(p.Key)
	switch {
	case !known:
		return k, fault.New(fault.NotFound, "Template %s was not found.", p.Key)
	case !languageForm.MatchString(p.language()):
		return k, fault.New(fault.Invalid, "The language must look like en or de-ch.").With(fault.Field{
			Pointer: "?language", Code: "invalid", Detail: "must be a language in lower case, such as de-ch",
		})
	}
	return k, nil
}

// putIn is the input of put.
type putIn struct {
	TemplatePlace
	httpapi.IfMatch
	Body TemplateWords
}

// find reads a template of the tenant, or the default with the version 0.
func find(ctx context.Context, tx *pg.Tx, k notice.Kind, language, lock string) (s wording.Stored, err error) {
	const sql = `select kind, language, subject, text, version, updated_at from notification_template
		where tenant_id = current_tenant() and kind = $1 and language = $2 `
	s, err = pg.One[wording.Stored](ctx, tx, "find a template", sql+lock, k.Name, language)
	if errors.Is(err, pgx.ErrNoRows) {
		w := wording.Default(k)
		return wording.Stored{Kind: k.Name, Language: language, Subject: w.Subject, Text: w.Text}, nil
	}
	return s, err
}

// put is PUT of a template.
func (s *Service) put(ctx context.Context, v viewer.Viewer, in *putIn) (*httpapi.One[NotificationTemplate], error) {
	k, err := in.kind()
	if err != nil {
		return nil, err
	}
	words := wording.Words{Subject: in.Body.Subject, Text: in.Body.Text}
	if err := wording.Check(k, words); err != nil {
		return nil, err
	}
	var after wording.Stored
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		before, err := find(ctx, tx, k, in.language(), "for update")
		if err != nil {
			return err
		}
		if err := in.Check(before.Version); err != nil {
			return err
		}
		const sql = `
			insert into notification_template as t (tenant_id, kind, language, subject, text)
			values (current_tenant(), @kind, @language, @subject, @text)
			    on conflict (tenant_id, kind, language) do update
			   set subject = excluded.subject, text = excluded.text, version = t.version + 1, updated_at = now()`
		if err := pg.Exec(ctx, tx, "store a template", sql, pgx.NamedArgs{
			"kind": k.Name, "language": in.language(), "subject": words.Subject, "text": words.Text,
		}); err != nil {
			return err
		}
		if after, err = find(ctx, tx, k, in.language(), ""); err != nil {
			return err
		}
		return record(ctx, tx, "notification_template.updated", before, words)
	})
	if err != nil {
		return nil, err
	}
	return &httpapi.One[NotificationTemplate]{ETag: httpapi.ETag(after.Version), Body: own(k, after)}, nil
}

// record audits a change of words.
func record(ctx context.Context, tx *pg.Tx, action string, before wording.Stored, after wording.Words) error {
	changes, err := audit.Diff(TemplateWords(before.Words()), TemplateWords(after))
	if err != nil || len(changes) == 0 {
		return err
	}
	return audit.Record(ctx, tx, audit.Entry{
		Action: action,
		Subject: audit.Subject{
			Type: "notification_template", ID: tx.Viewer.Tenant,
			Display: fmt.Sprintf("%s (%s)", before.Kind, before.Language),
		},
		Changes: changes,
	})
}

// reset is DELETE of a template.
func (s *Service) reset(ctx context.Context, v viewer.Viewer, in *TemplatePlace) (*struct{}, error) {
	k, err := in.kind()
	if err != nil {
		return nil, err
	}
	return nil, s.DB.As(ctx, v, func(tx *pg.Tx) error {
		before, err := find(ctx, tx, k, in.language(), "for update")
		if err != nil {
			return err
		}
		if before.Version == 0 {
			return fault.New(fault.NotFound, "Template %s in the language %s was not found.", in.Key, in.language())
		}
		const sql = `delete from notification_template where tenant_id = current_tenant() and kind = $1
			and language = $2`
		if err := pg.Exec(ctx, tx, "delete a template", sql, k.Name, in.language()); err != nil {
			return err
		}
		return record(ctx, tx, "notification_template.reset", before, wording.Default(k))
	})
}

// previewIn is the input of preview.
type previewIn struct {
	TemplatePlace
	Body TemplateWords
}

// preview is POST of words to look at.
func (s *Service) preview(ctx context.Context, v viewer.Viewer, in *previewIn) (
	*httpapi.One[TemplatePreview], error) {
	k, err := in.kind()
	if err != nil {
		return nil, err
	}
	words := wording.Words{Subject: in.Body.Subject, Text: in.Body.Text}
	if err := wording.Check(k, words); err != nil {
		return nil, err
	}
	var out TemplatePreview
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		subject, content, err := s.Plan.Preview(ctx, tx, k, in.language(), words, v.Display)
		out = TemplatePreview{Subject: subject, Text: content.Text()}
		return err
	})
	return &httpapi.One[TemplatePreview]{Body: out}, err
}
