package settings

import (
	"context"
	"encoding/json"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/notify/transport"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/mergepatch"
	"github.com/grantwright/grantwright/controlplane/internal/ground/outbound"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/seal"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// Service keeps the settings. All fields but Relay are needed.
type Service struct {
	DB    *pg.DB
	Seal  *seal.Keyring
	Guard *outbound.Guard
	Relay *Relay // nil: the operators configured no mail server
	Now   func() time.Time
}

const base = "/settings/notifications"

const (
	aboutSettings = "How the tenant sends notifications by mail: mail server, sender, hours and defaults. The secret " +
		"of the mail server is never returned."
	aboutUpdate = "A JSON merge patch (RFC 7396). secret is the password, or the client secret for xoauth2; null " +
		"deletes it. A new host or token_url needs the secret again (422), so that it is not sent to another " +
		"server. Messages that wait for the server are tried again at once."
	aboutTest = "Sends a message to the caller's own address and returns the response of the mail server. The " +
		"attempt is not in the delivery log."
)

// Routes are the paths of the settings.
func (s *Service) Routes() []httpapi.Route {
	return []httpapi.Route{
		httpapi.Handle("GET", base, "Retrieve notification settings", s.read).
			For(viewer.Admin, viewer.Auditor).
			Tag("settings").
			Describe(aboutSettings),
		httpapi.Handle("PATCH", base, "Update notification settings", s.patch).
			For(viewer.Admin).
			ForPeople().
			Errors(412).
			Tag("settings").
			Describe(aboutUpdate),
		httpapi.Handle("POST", base+"/test", "Test the mail server", s.test).
			For(viewer.Admin).
			ForPeople().
			Status(200).
			Errors(409).
			LongRunning().
			Tag("settings").
			Describe(aboutTest),
	}
}

// complete fills in what the row does not say.
func (s *Service) complete(row stored) NotificationSettings {
	out := row.NotificationSettings
	out.InstallationServer = s.Relay != nil
	out.Ready = out.Enabled && (out.Server.Use == Own || s.Relay != nil)
	return out
}

func (s *Service) shown(row stored) *httpapi.One[NotificationSettings] {
	out := s.complete(row)
	return &httpapi.One[NotificationSettings]{ETag: httpapi.ETag(out.Version), Body: out}
}

// read is GET of the settings.
func (s *Service) read(ctx context.Context, v viewer.Viewer, _ *struct{}) (*httpapi.One[NotificationSettings], error) {
	var row stored
	err := s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		row, err = find(ctx, tx, "")
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.shown(row), nil
}

// patchIn is the input of patch.
type patchIn struct {
	httpapi.IfMatch
	Body    NotificationSettingsPatch
	RawBody []byte
}

// patch is PATCH of the settings.
func (s *Service) patch(ctx context.Context, v viewer.Viewer, in *patchIn) (*httpapi.One[NotificationSettings], error) {
	body, given, err := splitSecret(in.RawBody)
	if err != nil {
		return nil, err
	}
	var row stored
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		before, err := find(ctx, tx, "for update")
		if err != nil {
			return err
		}
		if err := in.Check(before.Version); err != nil {
			return err
		}
		after := before
		if after.Fields, err = mergepatch.Apply(before.Fields, body); err != nil {
			return err
		}
		after.tidy()
		if err := after.check(); err != nil {
			return err
		}
		if err := s.allowed(ctx, after.Fields); err != nil {
			return err
		}
		if after.secret, err = s.secret(ctx, tx, before, after.Fields, given, in.Body.Secret); err != nil {
			return err
		}
		if err := store(ctx, tx, after); err != nil {
			return err
		}
		if err := record(ctx, tx, before.Fields, after.Fields, given); err != nil {
			return err
		}
		row, err = find(ctx, tx, "")
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.shown(row), nil
}

// allowed refuses a server that the operators have not opened, before anything is stored.
func (s *Service) allowed(ctx context.Context, f Fields) error {
	if f.Server.Use != Own || f.Server.Security != transport.None {
		return nil
	}
	address := transport.Server{Host: f.Server.Host, Port: f.Server.Port}.Address()
	if _, err := s.Guard.Plaintext(ctx, address); err != nil {
		return fault.New(fault.Invalid, "The notification settings are invalid.").With(fault.Field{
			Pointer: "#/server/security", Code: "plaintext_not_allowed",
			Detail: "must be starttls or tls, unless the operators opened the range of the server",
		})
	}
	return nil
}

// splitSecret takes the secret from a merge patch, and says whether it is there.
func splitSecret(raw []byte) (rest []byte, given bool, err error) {
	members, err := mergepatch.Members(json.RawMessage(raw))
	if err != nil {
		return nil, false, err
	}
	_, given = members["secret"]
	delete(members, "secret")
	rest, err = json.Marshal(members)
	return rest, given, err
}

// secret is the sealed secret after a change.
func (s *Service) secret(
	ctx context.Context,
	tx *pg.Tx,
	before stored,
	after Fields,
	given bool,
	secret *seal.Secret,
) ([]byte, error) {
	switch {
	case given && (secret == nil || *secret == ""):
		return nil, nil
	case given:
		return s.Seal.Seal(ctx, tx, secretPlace(tx), []byte(secret.Reveal()))
	case before.secret != nil && moved(before.Server, after.Server):
		return nil, fault.New(fault.Invalid, "A new server needs the secret again.").With(fault.Field{
			Pointer: "#/secret", Code: "required", Detail: "must be given again, because the host or token_url changed",
		})
	}
	return before.secret, nil
}

// moved reports whether the secret would be sent elsewhere.
func moved(before, after MailServer) bool {
	return before.Host != after.Host || before.TokenURL != after.TokenURL
}

// record audits a change. The secret is named, and not shown.
func record(ctx context.Context, tx *pg.Tx, before, after Fields, secret bool) error {
	changes, err := audit.Diff(before, after)
	if err != nil {
		return err
	}
	if secret {
		changes = append(changes, audit.Change{Field: "secret", From: "[secret]", To: "[secret]"})
	}
	if len(changes) == 0 {
		return nil
	}
	return audit.Record(ctx, tx, audit.Entry{
		Action: "notification_settings.updated", Subject: subject(tx), Changes: changes,
	})
}

func subject(tx *pg.Tx) audit.Subject {
	return audit.Subject{Type: "notification_settings", ID: tx.Viewer.Tenant}
}
