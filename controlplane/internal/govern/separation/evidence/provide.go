package evidence

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"path"
	"strings"
	"time"
	"unicode"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/control"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/mitigation"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// Provide stores evidence that is due, and lets the mitigation go on. Its owner and administrators provide it, and
// never the person whose violation is mitigated.
func Provide(
	ctx context.Context,
	tx *pg.Tx,
	mitigationID string,
	in NewMitigationEvidence,
	now time.Time,
) (MitigationEvidence, error) {
	m, err := mitigation.Locked(ctx, tx, mitigationID)
	if err != nil {
		return MitigationEvidence{}, err
	}
	if err := mayProvide(tx.Viewer, m); err != nil {
		return MitigationEvidence{}, err
	}
	c, err := control.Find(ctx, tx, m.Control.ID, "")
	if err != nil {
		return MitigationEvidence{}, err
	}
	if err := in.check(c.Evidence.Kind); err != nil {
		return MitigationEvidence{}, err
	}
	due := now
	if m.DueAt != nil {
		due = *m.DueAt
	}
	if _, err := mitigation.Advance(ctx, tx, m, mitigation.Provide, "", now); err != nil {
		return MitigationEvidence{}, err
	}
	id := uuid.Must(uuid.NewV7()).String()
	if err := insert(ctx, tx, id, m, in, in.kind(c.Evidence.Kind), due, now); err != nil {
		return MitigationEvidence{}, err
	}
	return find(ctx, tx, m.ID, id, "")
}

// mayProvide refuses others than the owner and administrators, and the person concerned in any role.
func mayProvide(v viewer.Viewer, m mitigation.Mitigation) error {
	if viewer.SamePerson([]string{m.Identity.ID}, v.Parties()) {
		return fault.Coded(fault.Forbidden, "own_request",
			"This mitigation is about your own access. Its owner provides the evidence.")
	}
	if v.Has(viewer.Admin) || v.Identity != "" && v.Identity == m.Owner.ID {
		return nil
	}
	return fault.New(fault.Forbidden, "Only the owner of the mitigation, %s, and administrators provide evidence.",
		m.Owner.Display)
}

// check refuses evidence without what its kind needs.
func (in *NewMitigationEvidence) check(kind string) error {
	in.Text, in.URL = strings.TrimSpace(in.Text), strings.TrimSpace(in.URL)
	if in.URL != "" {
		u, err := url.Parse(in.URL)
		if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil {
			return wrong("#/url", "invalid", "%q is not an address with http or https.", in.URL)
		}
	}
	switch {
	case in.File != nil:
		return in.File.check()
	case kind == control.Upload:
		return wrong("#/file", "required", "The control needs a file as evidence.")
	case kind == control.Link && in.URL == "":
		return wrong("#/url", "required", "The control needs the address of a record as evidence.")
	case kind == control.Report && in.URL == "":
		return wrong("#/file", "required", "The control needs a report as evidence: a file, or its address in url.")
	case in.Text == "" && in.URL == "":
		return wrong("#/text", "required", "The evidence has no text.")
	}
	return nil
}

// wrong is a fault at a member of the body.
func wrong(pointer, code, format string, args ...any) error {
	f := fault.New(fault.Invalid, format, args...)
	return f.With(fault.Field{Pointer: pointer, Code: code, Detail: f.Message})
}

// check refuses a file without content or with a name that is none.
func (f *EvidenceFile) check() error {
	if f.Name != path.Base(f.Name) || f.Name == "." || f.Name == ".." || strings.ContainsFunc(f.Name, forbidden) {
		return wrong("#/file/name", "invalid", "%q is not the name of a file. Leave out folders, quotation marks and "+
			"control characters.", f.Name)
	}
	switch n := len(f.Content); {
	case n == 0:
		return wrong("#/file/content", "required", "The file is empty.")
	case n > MaxFile:
		return wrong("#/file/content", "too_large", "The file has %d bytes. At most %d are allowed.", n, MaxFile)
	}
	return nil
}

// kind is what evidence is that a control of a kind was given: what the control needs, or what was provided instead.
func (in *NewMitigationEvidence) kind(needed string) string {
	switch {
	case needed == control.Report && (in.File != nil || in.URL != ""):
		return control.Report
	case in.File != nil:
		return control.Upload
	case in.URL != "":
		return control.Link
	}
	return control.Attestation
}

// forbidden are characters that a file name cannot have, because it becomes part of a header.
func forbidden(r rune) bool { return unicode.IsControl(r) || r == '"' || r == '\\' || r > 0x7e }

// insert writes evidence.
func insert(
	ctx context.Context,
	tx *pg.Tx,
	id string,
	m mitigation.Mitigation,
	in NewMitigationEvidence,
	kind string,
	due, now time.Time,
) error {
	const sql = `
		insert into mitigation_evidence (tenant_id, id, mitigation_id, due_at, kind, text, file_name, media_type, size,
		                                 sha256, content, url, provided_by, provided_at)
		values (current_tenant(), @id, @mitigation, @due, @kind, @text, @name, @media, @size, @sha256, @content,
		        nullif(@url, ''), @by, @now)`
	args := pgx.NamedArgs{"id": id, "mitigation": m.ID, "due": due, "kind": kind, "text": in.Text, "url": in.URL,
		"name": nil, "media": nil, "size": nil, "sha256": nil, "content": nil, "by": decision.ActorOf(tx.Viewer),
		"now": now}
	if f := in.File; f != nil {
		sum := sha256.Sum256(f.Content)
		args["name"], args["media"] = f.Name, f.MediaType
		args["size"], args["sha256"], args["content"] = len(f.Content), hex.EncodeToString(sum[:]), f.Content
	}
	return pg.Exec(ctx, tx, "insert evidence", sql, args)
}

// Review accepts evidence, or rejects it so that other evidence is due.
func Review(
	ctx context.Context,
	tx *pg.Tx,
	mitigationID, id, verdict, comment string,
	now time.Time,
) (MitigationEvidence, error) {
	m, err := mitigation.Locked(ctx, tx, mitigationID)
	if err != nil {
		return MitigationEvidence{}, err
	}
	e, err := find(ctx, tx, m.ID, id, " for update of e")
	if err != nil {
		return e, err
	}
	if viewer.SamePerson(append(e.ProvidedBy.Parties(), m.Identity.ID, m.Owner.ID), tx.Viewer.Parties()) {
		return e, fault.Coded(fault.Forbidden, "own_request",
			"You provided this evidence, or it is about your own access. Another person must review it.")
	}
	if e.Verdict != Pending {
		return e, fault.Coded(fault.Conflict, "invalid_transition", "The evidence is %s already.", e.Verdict).
			Also("allowed", []string{})
	}
	const sql = `
		update mitigation_evidence
		   set verdict = @verdict, reviewed_by = @by, reviewed_at = @now, comment = @comment, version = version + 1
		 where id = @id`
	if err := pg.Exec(ctx, tx, "review evidence", sql, pgx.NamedArgs{"id": id, "verdict": verdict, "now": now,
		"by": decision.ActorOf(tx.Viewer), "comment": strings.TrimSpace(comment)}); err != nil {
		return e, err
	}
	action := "mitigation.evidence_accepted"
	if verdict == Rejected {
		action = "mitigation.evidence_rejected"
	}
	if verdict == Rejected && m.State.Mitigates() {
		_, err = mitigation.Advance(ctx, tx, m, mitigation.Reject, comment, now)
	} else {
		err = audit.Record(ctx, tx, audit.Entry{Action: action, Subject: m.AuditSubject(), Objects: m.AuditObjects(),
			Reason: comment})
	}
	if err != nil {
		return e, err
	}
	return find(ctx, tx, m.ID, id, "")
}
