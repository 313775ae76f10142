package stream

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/seal"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

type changeIn struct {
	// ID of the audit stream.
	ID string `path:"id" format:"uuid"`
	httpapi.IfMatch
	Body struct {
		// Name of the stream, unique in the tenant.
		Name *string `json:"name,omitempty" minLength:"1" maxLength:"120"`
		// https://…, or for syslog tls://host:port or tcp://host:port.
		URL *string `json:"url,omitempty" maxLength:"2048"`
		// Format of the entries.
		Format *string `json:"format,omitempty" enum:"ndjson,ocsf"`
		// Name of the header that carries header_value.
		Header *string `json:"header,omitempty" pattern:"^[A-Za-z0-9-]{1,64}$"`
		// Secret value of the header. Null clears it. Required if a new url has another host.
		HeaderValue *string `json:"header_value,omitempty" nullable:"true" maxLength:"4096"`
		// PEM certificates of the authority of the destination. Null clears them.
		CA *string `json:"ca,omitempty" nullable:"true" maxLength:"65536"`
		// False stops the stream.
		Enabled *bool `json:"enabled,omitempty"`
	}
	RawBody []byte
}

// cleared reports whether the body says null for a member, which is more than leaving it out.
func (in *changeIn) cleared(name string) bool {
	var members map[string]json.RawMessage
	return json.Unmarshal(in.RawBody, &members) == nil && string(members[name]) == "null"
}

// handleChange is PATCH of a stream. An address with another host needs the secret header again: it
// must not be sent to a host that its author did not choose.
func (s *Service) handleChange(ctx context.Context, v viewer.Viewer, in *changeIn) (*httpapi.One[Stream], error) {
	if err := checkSecrets(in.Body.HeaderValue, in.Body.CA); err != nil {
		return nil, err
	}
	if in.Body.URL != nil {
		if err := s.checkNewAddress(ctx, v, in); err != nil {
			return nil, err
		}
	}
	var after Stream
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
		before, err := find(ctx, tx, in.ID, " for update of s")
		if err != nil {
			return err
		}
		if err := in.Check(before.Version); err != nil {
			return err
		}
		if err := in.asksForSecret(before); err != nil {
			return err
		}
		if err := s.update(ctx, tx, in); err != nil {
			return err
		}
		if after, err = find(ctx, tx, in.ID, ""); err != nil {
			return err
		}
		return audit.Record(
			ctx,
			tx,
			audit.Entry{
				Action:  "audit_stream.updated",
				Subject: subject(after),
				Changes: append(differences(before, after), in.newSecrets()...),
			},
		)
	})
	return &httpapi.One[Stream]{ETag: httpapi.ETag(after.Version), Body: after}, err
}

// checkNewAddress judges the address outside of the transaction, since a name server may be slow.
func (s *Service) checkNewAddress(ctx context.Context, v viewer.Viewer, in *changeIn) error {
	var before Stream
	err := s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		before, err = find(ctx, tx, in.ID, "")
		return err
	})
	if err != nil {
		return err
	}
	return s.checkURL(ctx, before.Kind, *in.Body.URL)
}

// asksForSecret keeps a secret from being sent to another host than the one it was given for.
func (in *changeIn) asksForSecret(before Stream) error {
	if in.Body.URL == nil || !before.HasHeader || in.Body.HeaderValue != nil || in.cleared("header_value") ||
		sameOrigin(before.URL, *in.Body.URL) {
		return nil
	}
	return fault.Coded(fault.Invalid, "validation_failed", "another host needs its own header_value: give it, or "+
		"clear it with null").
		With(fault.Field{Pointer: "#/header_value", Code: "required", Detail: "give it together with the new url"})
}

// sameOrigin says whether two addresses have the same scheme and host.
func sameOrigin(a, b string) bool {
	ua, errA := url.Parse(a)
	ub, errB := url.Parse(b)
	return errA == nil && errB == nil && ua.Scheme == ub.Scheme && strings.EqualFold(ua.Host, ub.Host)
}

// update writes the members that are given. The stream starts anew: failures are forgotten, and a
// process that works on it loses its lease.
func (s *Service) update(ctx context.Context, tx *pg.Tx, in *changeIn) error {
	b := in.Body
	const sql = `
		update audit_stream
		   set name = coalesce($2, name), url = coalesce($3, url), format = coalesce($4, format),
		       header = coalesce($5, header), enabled = coalesce($6, enabled), attempts = 0, last_error = null,
		           next_at = now(), lease = null, lease_until = null, updated_at = now(), version = version + 1
		 where tenant_id = current_tenant()
		   and id = $1`
	_, err := tx.Exec(ctx, sql, in.ID, b.Name, b.URL, b.Format, b.Header, b.Enabled)
	if pg.Violates(err, "audit_stream_name_unique") {
		return fault.New(fault.Conflict, "there is a stream of the name %q already", text(b.Name))
	}
	if err != nil {
		return fmt.Errorf("change audit stream: %w", err)
	}
	for at, value := range map[seal.Place]*string{headerPlace(in.ID): b.HeaderValue, caPlace(in.ID): b.CA} {
		if value != nil || in.cleared(at.Column) {
			if err := s.setSecret(ctx, tx, at, text(value)); err != nil {
				return err
			}
		}
	}
	return nil
}

// newSecrets says that a secret was given anew, and not which.
func (in *changeIn) newSecrets() (changes []audit.Change) {
	for name, value := range map[string]*string{"header_value_secret": in.Body.HeaderValue, "ca": in.Body.CA} {
		if value != nil {
			changes = append(changes, audit.Change{Field: name, From: nil, To: "changed"})
		}
	}
	return changes
}

// differences are the changes for the audit entry. Of secrets only their presence is recorded.
func differences(before, after Stream) (changes []audit.Change) {
	add := func(field string, from, to any) {
		if from != to {
			changes = append(changes, audit.Change{Field: field, From: from, To: to})
		}
	}
	add("name", before.Name, after.Name)
	add("kind", before.Kind, after.Kind)
	add("url", before.URL, after.URL)
	add("format", before.Format, after.Format)
	add("header", before.Header, after.Header)
	add("header_value_set", before.HasHeader, after.HasHeader)
	add("ca_set", before.HasCA, after.HasCA)
	add("enabled", before.Enabled, after.Enabled)
	return changes
}

// checkSecrets refuses what could never work.
func checkSecrets(header, ca *string) error {
	if header != nil && strings.ContainsFunc(*header, func(r rune) bool { return r < ' ' || r > '~' }) {
		return fault.New(fault.Invalid, "header_value holds a character that a header cannot carry").
			With(fault.Field{Pointer: "#/header_value", Code: "invalid", Detail: "only printable ASCII"})
	}
	if ca != nil && *ca != "" && !x509.NewCertPool().AppendCertsFromPEM([]byte(*ca)) {
		return fault.New(fault.Invalid, "ca holds no certificate").
			With(fault.Field{Pointer: "#/ca", Code: "invalid", Detail: "give one or more certificates as PEM"})
	}
	return nil
}
