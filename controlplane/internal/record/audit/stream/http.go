package stream

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

const maxStreams = 20 // of one tenant

// createIn is the input of handleCreate.
type createIn struct {
	Body struct {
		// Name of the stream, unique in the tenant.
		Name string `json:"name" minLength:"1" maxLength:"120"`
		// Transport of the stream: HTTPS requests or syslog.
		Kind string `json:"kind" enum:"https,syslog"`
		// https://…, or for syslog tls://host:port or tcp://host:port.
		URL string `json:"url" maxLength:"2048"`
		// Format of the entries.
		Format string `json:"format,omitempty" enum:"ndjson,ocsf" default:"ndjson"`
		// Header that carries header_value.
		Header string `json:"header,omitempty" default:"Authorization" pattern:"^[A-Za-z0-9-]{1,64}$"`
		// Secret: never shown again.
		HeaderValue *string `json:"header_value,omitempty" maxLength:"4096"`
		// PEM of the authority that the sink's certificate comes from, when it is not a public one. Never shown again.
		CA *string `json:"ca,omitempty" maxLength:"65536"`
		// False creates the stream without sending entries.
		Enabled *bool `json:"enabled,omitempty" default:"true"`
		// Whether entries that are there already are sent as well.
		From string `json:"from,omitempty" enum:"now,beginning" default:"now"`
	}
}

// handleCreate is POST of a stream. Its address is checked before the transaction.
func (s *Service) handleCreate(ctx context.Context, v viewer.Viewer, in *createIn) (*httpapi.Created[Stream], error) {
	b := in.Body
	if err := s.checkURL(ctx, b.Kind, b.URL); err != nil {
		return nil, err
	}
	if err := checkSecrets(b.HeaderValue, b.CA); err != nil {
		return nil, err
	}
	id := uuid.Must(uuid.NewV7()).String()
	var made Stream
	err := s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		if err := s.insert(ctx, tx, id, in); err != nil {
			return err
		}
		if made, err = find(ctx, tx, id, ""); err != nil {
			return err
		}
		return audit.Record(
			ctx,
			tx,
			audit.Entry{Action: "audit_stream.created", Subject: subject(made), Changes: differences(Stream{}, made)},
		)
	})
	return &httpapi.Created[Stream]{
		Location: httpapi.Prefix + "/settings/audit-streams/" + id,
		ETag:     httpapi.ETag(made.Version),
		Body:     made,
	}, err
}

// insert stores a stream that begins with the present end of the log, or with its beginning.
func (s *Service) insert(ctx context.Context, tx *pg.Tx, id string, in *createIn) error {
	b := in.Body
	var n int
	if err := tx.QueryRow(ctx, `select count(*) from audit_stream where tenant_id = current_tenant()`).
		Scan(&n); err != nil {
		return fmt.Errorf("count audit streams: %w", err)
	}
	if n >= maxStreams {
		return fault.New(fault.Conflict, "The tenant already has %d streams. Delete one first.", n)
	}
	const sql = `
		insert into audit_stream (tenant_id, id, name, kind, url, format, header, enabled, last_seq)
		values (current_tenant(), $1, $2, $3, $4, $5, $6, $7,
		        case when $8 then 0 else coalesce((select seq from audit_head where tenant_id = current_tenant()),
		            0) end)`
	_, err := tx.Exec(
		ctx,
		sql,
		id,
		b.Name,
		b.Kind,
		b.URL,
		b.Format,
		b.Header,
		b.Enabled == nil || *b.Enabled,
		b.From == "beginning",
	)
	if pg.Violates(err, "audit_stream_name_unique") {
		return fault.New(fault.Conflict, "there is a stream of the name %q already", b.Name)
	}
	if err != nil {
		return fmt.Errorf("make audit stream: %w", err)
	}
	if err := s.setSecret(ctx, tx, headerPlace(id), text(b.HeaderValue)); err != nil {
		return err
	}
	return s.setSecret(ctx, tx, caPlace(id), text(b.CA))
}

// text is the text behind a pointer, empty for nil.
func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// subject names the stream in audit entries.
func subject(st Stream) audit.Subject {
	return audit.Subject{Type: "audit_stream", ID: st.ID, Display: st.Name}
}

// handleList is GET of the streams.
func (s *Service) handleList(
	ctx context.Context,
	v viewer.Viewer,
	in *httpapi.Paging,
) (*httpapi.ListOut[Stream], error) {
	walk, err := s.Cursors.Walk(v, "audit-streams", *in, nil)
	if err != nil {
		return nil, err
	}
	var found []Stream
	var total int64
	err = s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		found, total, err = list(ctx, tx, walk.Page)
		return err
	})
	if err != nil {
		return nil, err
	}
	return httpapi.Out(walk, found, total, func(st Stream) []string { return []string{st.ID} }), nil
}

type idIn struct {
	// ID of the audit stream.
	ID string `path:"id" format:"uuid"`
}

// handleFind is GET of one stream.
func (s *Service) handleFind(ctx context.Context, v viewer.Viewer, in *idIn) (*httpapi.One[Stream], error) {
	var found Stream
	err := s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		found, err = find(ctx, tx, in.ID, "")
		return err
	})
	return &httpapi.One[Stream]{ETag: httpapi.ETag(found.Version), Body: found}, err
}

type deleteIn struct {
	// ID of the audit stream.
	ID string `path:"id" format:"uuid"`
	httpapi.IfMatch
}

// handleDelete is DELETE of a stream.
func (s *Service) handleDelete(ctx context.Context, v viewer.Viewer, in *deleteIn) (*struct{}, error) {
	return nil, s.DB.As(ctx, v, func(tx *pg.Tx) error {
		before, err := find(ctx, tx, in.ID, " for update of s")
		if err != nil {
			return err
		}
		if err := in.Check(before.Version); err != nil {
			return err
		}
		if err := pg.Exec(
			ctx,
			tx,
			"end audit stream",
			`delete from audit_stream where tenant_id = current_tenant() and id = $1`,
			in.ID,
		); err != nil {
			return err
		}
		return audit.Record(ctx, tx, audit.Entry{Action: "audit_stream.deleted", Subject: subject(before)})
	})
}

// checkURL judges an address when it is saved, and points to it where it cannot be used; it is judged again with every
// connection.
func (s *Service) checkURL(ctx context.Context, kind, raw string) error {
	err := s.checkDestination(ctx, kind, raw)
	if f := (*fault.Fault)(nil); errors.As(err, &f) {
		return f.With(fault.Field{Pointer: "#/url", Code: f.Code, Detail: f.Message})
	}
	return err
}

// checkDestination refuses addresses that may not be called. Plain TCP is for destinations that the
// operator of the deployment has named.
func (s *Service) checkDestination(ctx context.Context, kind, raw string) error {
	if kind == HTTPS {
		return s.Guard.CheckURL(ctx, raw, "the stream's address")
	}
	u, err := url.Parse(raw)
	if err != nil || (u.Scheme != "tls" && u.Scheme != "tcp") || u.Port() == "" || u.Path != "" || u.User != nil ||
		u.RawQuery != "" ||
		u.Fragment != "" {
		return fault.Coded(
			fault.Invalid,
			"destination_not_allowed",
			"the stream's address cannot be used: it must be tls://host:port or tcp://host:port",
		)
	}
	// The ports of syslog beneath 1024; other services' stay closed, as for every address of a tenant's.
	port := u.Port()
	if port == "514" || port == "601" {
		port = "6514"
	}
	if err := s.Guard.CheckURL(ctx, "https://"+u.Hostname()+":"+port+"/", "the stream's address"); err != nil {
		return err
	}
	if u.Scheme == "tcp" {
		if _, err := s.Guard.Plaintext(ctx, u.Host); err != nil {
			return fault.Coded(
				fault.Invalid,
				"destination_not_allowed",
				"the stream's address cannot be used: it must begin with tls://",
			)
		}
	}
	return nil
}

// TestResult is what became of a ping.
type TestResult struct {
	// True if the test message was delivered.
	OK bool `json:"ok"`
	// Error of the delivery. Null if it succeeded.
	Error *string `json:"error"`
	// Duration of the test in milliseconds.
	DurationMS int64 `json:"duration_ms"`
}

// testOut is the response of a test.
type testOut struct{ Body TestResult }

// handleTest is POST …/test: it sends one line and says what the receiver answered. The test is
// recorded.
func (s *Service) handleTest(ctx context.Context, v viewer.Viewer, in *idIn) (*testOut, error) {
	var st Stream
	var keys secrets
	err := s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		if st, err = find(ctx, tx, in.ID, ""); err != nil {
			return err
		}
		keys, err = s.secrets(ctx, tx, in.ID)
		return err
	})
	if err != nil {
		return nil, err
	}
	started := time.Now()
	sent := s.send(ctx, v.Tenant, st, keys, []message{pingOf(v.Tenant, st.Format)})
	out := &testOut{TestResult{OK: sent == nil, DurationMS: time.Since(started).Milliseconds()}}
	entry := audit.Entry{Action: "audit_stream.tested", Subject: subject(st)}
	if sent != nil {
		words := shortError(sent)
		out.Body.Error, entry.Outcome = &words, audit.Failure
		entry.Context = map[string]any{"error": words}
	}
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error { return audit.Record(ctx, tx, entry) })
	return out, err
}
