package trail_test

import (
	"bytes"
	"compress/gzip"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/pgtest"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit/chain"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit/trail"
)

// sign makes a checkpoint at the end of the log.
func (h *house) sign() {
	h.t.Helper()
	if _, _, b := h.raw("admin", "GET", "/audit-events/export", nil); !bytes.Contains(b, []byte(`"type":"end"`)) {
		h.t.Fatalf("the export has no end: %.300s", b)
	}
}

func (h *house) verify() trail.Verdict {
	h.t.Helper()
	v, err := h.log.Verify(ctx, h.tenant, 0, 0)
	if err != nil {
		h.t.Fatal(err)
	}
	return v
}

// rehash makes the chain of a tenant anew, as somebody would who has every right but not the key.
const rehash = `
	do $$ declare e record; p bytea := decode(repeat('00', 32), 'hex'); h bytea; begin
		for e in select * from audit_event where tenant_id = '%[1]s' order by seq loop
			h := sha256('\x4947412d41554449542d563100'::bytea || p || convert_to(e.event, 'UTF8'));
			update audit_event set prev_hash = p, hash = h where tenant_id = e.tenant_id and seq = e.seq;
			p := h;
		end loop;
		update audit_head set hash = p where tenant_id = '%[1]s';
	end $$;`

func TestWhoeverTampersWithTheTableIsFoundOut(t *testing.T) {
	for _, tt := range []struct {
		name, sql string
		seq       int64
		kind      string
	}{
		{"an edited entry", `update audit_event set event = replace(event, 'Lead', 'Boss') where tenant_id = '%s'
			and seq = 7`, 7, chain.Edited},
		{"an edited hash", `update audit_event set hash = sha256('x') where tenant_id = '%s'
			and seq = 7`, 7, chain.Edited},
		{"an entry filed under another action", `update audit_event set action = 'audit.trimmed' where tenant_id = '%s'
			and seq = 7`, 7, chain.Edited},
		{"an entry filed under another day", `update audit_event set at = at - interval '1 day' where tenant_id = '%s'
			and seq = 7`, 7, chain.Edited},
		{"an entry filed under nobody", `update audit_event set subject_id = null where tenant_id = '%s'
			and seq = 7`, 7, chain.Edited},
		{"a deleted entry", `delete from audit_event where tenant_id = '%s' and seq = 7`, 7, chain.Missing},
		{"the first entry deleted", `delete from audit_event where tenant_id = '%s' and seq = 1`, 1, chain.Missing},
		{"swapped entries", `update audit_event a set event = b.event from audit_event b where a.tenant_id = '%s'
			and b.tenant_id = a.tenant_id and (a.seq, b.seq) in ((7, 8), (8, 7))`, 7, chain.Edited},
		{"an entry of another tenant", `update audit_event a set event = b.event from audit_event b
			where a.tenant_id = '%s' and b.tenant_id <> a.tenant_id and a.seq = 7 and b.seq = 7`, 7, chain.Edited},
		{"the end cut off, with its head", `delete from audit_event where tenant_id = '%[1]s'
			and seq > 9; update audit_head set seq = 9, hash = (select hash from audit_event where tenant_id = '%[1]s'
			and seq = 9) where tenant_id = '%[1]s'`,
			10, chain.Truncated},
		{"the end cut off, without its head", `delete from audit_event where tenant_id = '%s'
			and seq > 9`, 10, chain.Missing},
		{"an entry added by hand", `insert into audit_event (tenant_id, seq, event, prev_hash, hash, at, action,
			    category, outcome, actor_type)
			select tenant_id, 99, event, prev_hash, hash, at, action, category, outcome,
			    actor_type from audit_event where tenant_id = '%s' and seq = 7`, 0, chain.Missing},
		{"everything hashed anew", `update audit_event set event = replace(event, 'Lead', 'Boss')
			where tenant_id = '%[1]s' and seq = 7;` + rehash, 12, chain.Contested},
		{"a checkpoint written by hand", `update audit_checkpoint set note = replace(note, '12', '11'),
			seq = 11 where tenant_id = '%s'`, 11, chain.Unsigned},
		{"everything hashed anew, and its checkpoint", `update audit_event set event = replace(event, 'Lead', 'Boss')
			where tenant_id = '%[1]s' and seq = 7;` + rehash +
			`update audit_checkpoint c set hash = e.hash from audit_event e where e.tenant_id = c.tenant_id
				and e.seq = c.seq`, 12, chain.Unsigned},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := open(t)
			h.write(h.tenant, 12)
			h.write(pgtest.Tenant(t, h.db, "other"), 12)
			h.sign()
			if v := h.verify(); !v.OK || v.Checked != 13 || v.Checkpoints != 1 {
				t.Fatalf("before: %+v", v)
			}
			h.tamper(strings.ReplaceAll(strings.ReplaceAll(tt.sql, "%[1]s", h.tenant.Tenant), "%s", h.tenant.Tenant))
			v := h.verify()
			if v.OK || v.FirstBreak == nil || v.FirstBreak.Kind != tt.kind ||
				(tt.seq > 0 && v.FirstBreak.Seq != tt.seq) {
				t.Errorf("verdict = %+v, break %+v; want %s at %d", v, v.FirstBreak, tt.kind, tt.seq)
			}
		})
	}
}

func TestVerifyingIsRecordedAndCanBeDoneInPieces(t *testing.T) {
	h := open(t)
	h.write(h.tenant, 12)
	out := h.call(200, "auditor", "GET", "/audit-events/verify?from_seq=4&to_seq=9", nil)
	if out["ok"] != true || out["checked"] != 6.0 || out["next_seq"] != nil ||
		out["head"].(map[string]any)["seq"] != 12.0 {
		t.Errorf("verdict = %v", out)
	}
	if got := h.text(
		`select action || ' ' || actor_id || ' ' || (event::json -> 'context' ->> 'checked') from audit_event
			order by seq desc limit 1`,
	); got != "audit.verified u-auditor 6" {
		t.Errorf("recorded %q", got)
	}
	h.call(400, "admin", "GET", "/audit-events/verify?from_seq=400", nil)
	h.call(403, "manager", "GET", "/audit-events/verify", nil)
	h.tamper(`update audit_event set event = replace(event, 'Lead', 'Boss') where seq = 7`)
	out = h.call(200, "admin", "GET", "/audit-events/verify", nil)
	if b, _ := out["first_break"].(map[string]any); out["ok"] != false || b["seq"] != 7.0 || b["kind"] != "edited" {
		t.Errorf("verdict = %v", out)
	}
	if got := h.text(`select outcome from audit_event order by seq desc limit 1`); got != "failure" {
		t.Errorf("recorded as %s", got)
	}
}

// exported saves the tenant's whole log as a file.
func (h *house) exported() (path string, lines []string) {
	h.t.Helper()
	status, header, b := h.raw("auditor", "GET", "/audit-events/export?format=ndjson", nil)
	if status != 200 || header.Get("Content-Type") != "application/x-ndjson" {
		h.t.Fatalf("export = %d %v: %s", status, header, b)
	}
	return h.save(b), strings.SplitAfter(strings.TrimSuffix(string(b), "\n"), "\n")
}

func (h *house) save(b []byte) string {
	h.t.Helper()
	path := filepath.Join(h.t.TempDir(), "audit.ndjson")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		h.t.Fatal(err)
	}
	return path
}

func (h *house) public() ed25519.PublicKey {
	h.t.Helper()
	out := h.call(200, "auditor", "GET", "/audit-events/checkpoints", nil)
	text := out["keys"].([]any)[0].(map[string]any)["pem"].(string)
	key, err := chain.ParseKey(text)
	if err != nil {
		h.t.Fatal(err)
	}
	return key
}

func TestAnExportVerifiesByItself(t *testing.T) {
	h := open(t)
	h.write(h.tenant, 2500)
	path, lines := h.exported()
	key := h.public()
	for name, keys := range map[string][]ed25519.PublicKey{"with its own key": nil,
		"with the key that was given": {key}} {
		r, err := chain.VerifyFile(path, keys...)
		if err != nil || r.Break != nil || r.Events != 2500 || r.First != 1 || r.Last != 2500 || !r.Anchored ||
			r.Checkpoints != 3 ||
			r.Tenant != h.tenant.Tenant {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = z.Write([]byte(strings.Join(lines, "")))
	_ = z.Close()
	if r, err := chain.VerifyFile(h.save(packed.Bytes())); err != nil || r.Break != nil || r.Events != 2500 {
		t.Errorf("packed: %+v, %v", r, err)
	}
	var indented []string
	for _, l := range lines {
		var m map[string]any
		d := json.NewDecoder(strings.NewReader(l))
		d.UseNumber()
		if err := d.Decode(&m); err != nil {
			t.Fatal(err)
		}
		b, _ := json.Marshal(m)
		indented = append(indented, strings.ReplaceAll(string(b), `":`, `" : `)+"\n")
	}
	if r, err := chain.VerifyFile(h.save([]byte(strings.Join(indented, "")))); err != nil || r.Break != nil {
		t.Errorf("written anew by another tool: %+v, %v", r.Break, err)
	}
}

// rewritten hashes the entries of a file anew, as somebody without the key would, from an entry on.
func rewritten(t *testing.T, lines []string, from int) []string {
	t.Helper()
	var prev string
	for i := range lines {
		var m map[string]any
		d := json.NewDecoder(strings.NewReader(lines[i]))
		d.UseNumber()
		if err := d.Decode(&m); err != nil {
			t.Fatal(err)
		}
		if m["hash"] == nil {
			continue
		}
		if i >= from {
			if prev != "" {
				m["prev_hash"] = prev
			}
			p, _ := hex.DecodeString(m["prev_hash"].(string))
			delete(m, "prev_hash")
			delete(m, "hash")
			event, err := chain.CanonicalValue(m)
			if err != nil {
				t.Fatal(err)
			}
			link := chain.Link{Event: event, Prev: p, Hash: chain.Hash(p, event)}
			lines[i] = string(chain.AppendLink(nil, link))
			prev = hex.EncodeToString(link.Hash)
			continue
		}
		prev = m["hash"].(string)
	}
	return lines
}

func TestWhoeverTampersWithAnExportIsFoundOut(t *testing.T) {
	h := open(t)
	other := pgtest.Tenant(t, h.db, "other")
	h.people["stranger"] = viewer.Viewer{
		Tenant: other.Tenant,
		Kind:   viewer.User,
		ID:     "s",
		Roles:  []viewer.Role{viewer.Admin},
	}
	h.write(h.tenant, 20)
	h.write(other, 20)
	_, lines := h.exported()
	_, _, foreign := h.raw("stranger", "GET", "/audit-events/export", nil)
	theirs := strings.SplitAfter(string(foreign), "\n")
	key := h.public()
	edit := func(l []string) []string { l[6] = strings.Replace(l[6], "Lead", "Boss", 1); return l }
	for _, tt := range []struct {
		name  string
		do    func(l []string) []string
		seq   int64
		kinds []string
	}{
		{"edit", edit, 7, []string{chain.Edited}},
		{"delete", func(l []string) []string { return slices.Delete(l, 6, 7) }, 7, []string{chain.Missing}},
		{"insert", func(l []string) []string { return slices.Insert(l, 6, l[5]) }, 7, []string{chain.Missing}},
		{"reorder", func(l []string) []string { l[6], l[7] = l[7], l[6]; return l }, 7, []string{chain.Missing}},
		{"truncate the entries", func(l []string) []string { return slices.Delete(l, 15, 20) }, 16,
			[]string{chain.Truncated}},
		{"truncate the file", func(l []string) []string { return l[:15] }, 16, []string{chain.Truncated}},
		{"swap between tenants", func(l []string) []string { l[6] = theirs[6]; return l }, 7, []string{chain.Unlinked}},
		{"swap between tenants and hash anew",
			func(l []string) []string { l[6] = theirs[6]; return rewritten(t, l, 6) }, 7, []string{chain.Foreign}},
		{"edit and hash anew", func(l []string) []string { return rewritten(t, edit(l), 6) }, 20,
			[]string{chain.Contested}},
		{"edit, hash anew and leave out the checkpoint", func(l []string) []string {
			return slices.DeleteFunc(rewritten(t, edit(l), 6),
				func(line string) bool { return strings.Contains(line, `"type":"checkpoint"`) })
		}, 1, []string{chain.Unsigned}},
		{"write everything anew under another key",
			func(l []string) []string { return forged(t, rewritten(t, edit(l), 6)) }, 1, []string{chain.Unsigned}},
		{"a second member of the same name", func(l []string) []string {
			l[6] = strings.Replace(l[6], `{"action":`, `{"action":"user.deleted","action":`, 1)
			return l
		}, 7, []string{chain.Unreadable}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := h.save([]byte(strings.Join(tt.do(slices.Clone(lines)), "")))
			r, err := chain.VerifyFile(path, key)
			if err != nil {
				t.Fatal(err)
			}
			if r.Break == nil || r.Break.Seq != tt.seq || !slices.Contains(tt.kinds, r.Break.Kind) {
				t.Errorf("break = %v; want %v at %d", r.Break, tt.kinds, tt.seq)
			}
		})
	}
}

// forged signs the end of a file with a key of the forger's own, which the file then names as its key.
func forged(t *testing.T, lines []string) []string {
	t.Helper()
	mine := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{9}, 32))
	var tenant string
	var hash []byte
	for i, l := range lines {
		var m map[string]any
		if err := json.Unmarshal([]byte(l), &m); err != nil {
			t.Fatal(err)
		}
		switch {
		case m["hash"] != nil:
			tenant = m["tenant_id"].(string)
			hash, _ = hex.DecodeString(m["hash"].(string))
		case m["type"] == chain.TypeCheckpoint:
			c := chain.Checkpoint{Origin: chain.Origin(tenant), Seq: 20, Hash: hash}
			b, _ := json.Marshal(chain.Line{Type: chain.TypeCheckpoint, Note: c.Sign(mine)})
			lines[i] = string(b) + "\n"
		case m["type"] == chain.TypeKey:
			lines[i] = fmt.Sprintf(
				`{"type":"public_key","public_key":%q}`+"\n",
				base64.StdEncoding.EncodeToString(mine.Public().(ed25519.PublicKey)),
			)
		}
	}
	return lines
}
