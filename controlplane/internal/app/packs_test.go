package app_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/grantwright/grantwright/controlplane/internal/app"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/builtin"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/tenant"
)

func TestATenantBeginsWithItsSectorPacks(t *testing.T) {
	e := newEstate(t)
	body := `{"slug":"clinic","name":"Clinic","admin_email":"a@clinic.test","sector_packs":["baseline",
		{"key":"healthcare-provider","version":"1.1.0","parameters":{"clinical_departments":["Ward 7"]}}]}`
	for _, tt := range []struct{ name, from, to, code string }{
		{"an unknown pack", `"baseline"`, `"hospital"`, "unknown_sector_pack"},
		{"an unknown version", `1.1.0`, `9.0.0`, "unknown_sector_pack"},
		{"a parameter that is none", `clinical_departments`, `wards`, "validation_failed"},
		{"a parameter of another type", `["Ward 7"]`, `7`, "validation_failed"},
		{"a member that is none", `"version"`, `"versions"`, "unknown_field"},
		{"a pack twice", `{"key"`, `"baseline",{"key"`, "validation_failed"},
		{"a number", `"baseline"`, `7`, "validation_failed"},
	} {
		got := e.send("POST", tenantsPath, e.operator, strings.Replace(body, tt.from, tt.to, 1))
		if code, _ := got.body["code"].(string); got.status != 422 || code != tt.code && tt.code != "unknown_field" {
			t.Errorf("%s: %d %v; want 422 %s", tt.name, got.status, got.body, tt.code)
		}
		if detail, _ := got.body["detail"].(string); tt.name == "an unknown pack" &&
			!strings.Contains(detail, "manufacturing") {
			t.Errorf("the answer does not say what there is: %s", detail)
		}
	}
	made := e.send("POST", tenantsPath, e.operator, body).want(t, "found", 201, "")
	id, _ := made.body["id"].(string)
	e.wants(id, `select count(*) from sector_pack_installation where state = 'installed'`, 2)
	e.wants(id, `select count(*) from access_policy where birthright and mode = 'enforce'`, 6)
	e.wants(id, `select count(*) from access_policy where subject::text like '%Ward 7%'`, 2)
	e.wants(id, `select count(*) from audit_event where action = 'sector_pack.installed'`, 2)

	result, err := tenant.Bootstrap{
		Slug:          "school",
		Name:          "School",
		AdminEmail:    "a@school.test",
		AdminPassword: password,
		Packs:         app.InitialPacks(nil),
		SectorPacks:   []tenant.SectorPackChoice{{Key: "education"}},
	}.Run(
		t.Context(),
		e.db,
	)
	if err != nil {
		t.Fatal(err)
	}
	e.wants(result.Tenant.ID, `select count(*) from sector_pack_installation where pack_key = 'education'`, 1)
	_, err = tenant.Bootstrap{Slug: "nowhere", Name: "Nowhere", AdminEmail: "a@nowhere.test", AdminPassword: password,
		Packs: app.InitialPacks(nil), SectorPacks: []tenant.SectorPackChoice{{Key: "absent"}}}.Run(t.Context(), e.db)
	if !fault.IsCode(err, "unknown_sector_pack") {
		t.Errorf("an unknown pack: %v", err)
	}
}

// wants holds a number in a tenant.
func (e *estate) wants(id, sql string, want int) {
	e.t.Helper()
	var got int
	err := e.db.As(context.Background(), viewer.System(id), func(tx *pg.Tx) error {
		return tx.QueryRow(context.Background(), sql).Scan(&got)
	})
	if err != nil || got != want {
		e.t.Errorf("%s = %d, %v; want %d", sql, got, err, want)
	}
}

func TestAnArchiveComesAsItIsInAFormOrInJSON(t *testing.T) {
	s := newSite(t)
	source, _ := builtin.Find("education")
	packed, err := source.Files.Pack()
	if err != nil {
		t.Fatal(err)
	}
	form := func(name, more string) string {
		return "--b\r\nContent-Disposition: form-data; name=\"" + name + "\"; filename=\"x.gwpack\"\r\n\r\n" + string(
			packed,
		) + "\r\n" + more + "--b--\r\n"
	}
	again := "--b\r\nContent-Disposition: form-data; name=\"archive\"\r\n\r\nx\r\n"
	const multipart = "multipart/form-data; boundary=b"
	for _, tt := range []struct {
		name, media, body string
		status            int
		code              string
	}{
		{"as it is", "application/gzip", string(packed), 422, "untrusted_pack"},
		{"as bytes", "application/octet-stream", string(packed), 422, "untrusted_pack"},
		{"in a form", multipart, form("archive", ""), 422, "untrusted_pack"},
		{"in JSON", "application/json", `{"archive":"` + base64.StdEncoding.EncodeToString(packed) + `"}`, 422,
			"untrusted_pack"},
		{"in a form under another name", multipart, form("file", ""), 400, "invalid_request"},
		{"in a form with another", multipart, form("archive", again), 400, "invalid_request"},
		{"in half a form", multipart, form("archive", "")[:200], 400, "invalid_request"},
		{"in a form without a boundary", "multipart/form-data", form("archive", ""), 400, "invalid_request"},
		{"nothing", "application/gzip", "", 422, "validation_failed"},
		{"more than an archive may have", "application/gzip", strings.Repeat("x", 5<<20+1), 413, "payload_too_large"},
		{"more than a body may have", "application/gzip", strings.Repeat("x", 6<<20+1), 413, "payload_too_large"},
	} {
		s.bring("/api/v1/sector-packs/upload", tt.media, tt.body).want(t, tt.name, tt.status, tt.code)
	}
	s.bring("/api/v1/sector-packs/baseline/plan", "application/gzip", string(packed)).
		want(t, "where no archive is taken", 415, "unsupported_media_type")
}

// bring posts a body of any type.
func (s *site) bring(path, media, body string) received {
	s.t.Helper()
	req, err := http.NewRequest("POST", s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+s.token)
	req.Header.Set("Content-Type", media)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	out := received{status: res.StatusCode, header: res.Header}
	if err := json.NewDecoder(res.Body).Decode(&out.body); err != nil {
		s.t.Fatal(err)
	}
	return out
}

func TestAPlanUnderAnIdempotencyKeyWritesNothingEither(t *testing.T) {
	s := newSite(t)
	const key = "6c7a3f0e-6f0b-4c61-9d1c-0c6a8a1c2f11"
	first := s.send("POST", "/api/v1/sector-packs/baseline/plan", s.token, `{}`, "Idempotency-Key", key).
		want(t, "a plan", 200, "")
	again := s.send("POST", "/api/v1/sector-packs/baseline/plan", s.token, `{}`, "Idempotency-Key", key).
		want(t, "the same again", 200, "")
	if first.raw != again.raw || again.header.Get("Idempotent-Replayed") != "true" {
		t.Error("the second answer is not the first one")
	}
	s.send("GET", "/api/v1/sector-packs/baseline/installation", s.token, "").want(t, "after a plan", 404, "not_found")
	var group sync.WaitGroup
	for range 6 {
		group.Go(func() {
			s.send("POST", "/api/v1/sector-packs/baseline/install", s.token, `{}`).
				want(t, "installing at once", 200, "")
		})
	}
	group.Wait()
	for _, list := range []string{"objects", "conflicts"} {
		at := "/api/v1/sector-packs/baseline/" + list
		if got := s.send("GET", at+"?limit=1000000000", s.token, "").
			want(t, "more than a page", 200, ""); got.body["limit"] != 500.0 {
			t.Errorf("%s: limit %v; want 500", list, got.body["limit"])
		}
		s.send("GET", at+"?offset=2147483647", s.token, "").want(t, "beyond the end", 200, "")
		s.send("GET", at+"?limit=0", s.token, "").want(t, "no page", 400, "invalid_parameter")
	}
	list := s.send("GET", "/api/v1/policies/access-grant", s.token, "").want(t, "policies", 200, "")
	if list.body["total"] != 5.0 {
		t.Errorf("%v policies; want five: the sixth waits for a system", list.body["total"])
	}
}
