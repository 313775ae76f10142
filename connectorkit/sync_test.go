package connectorkit_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/connectorkit"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

type pages []v1.SyncResponse

func (p pages) Test(context.Context, v1.TestRequest, connectorkit.Report) (v1.TestResponse, error) {
	return v1.TestResponse{}, nil
}

func (p pages) Discover(context.Context, v1.DiscoverRequest, connectorkit.Report) (v1.DiscoverResponse, error) {
	return v1.DiscoverResponse{}, nil
}

func (p pages) Sync(ctx context.Context, _ v1.SyncRequest, emit connectorkit.Emit) error {
	for _, page := range p {
		if err := emit(ctx, page); err != nil {
			return err
		}
	}
	return nil
}

func people(n int, attribute string) v1.SyncResponse {
	r := v1.SyncResponse{Success: true}
	for i := range n {
		id := fmt.Sprint(i)
		r.Identities = append(
			r.Identities,
			v1.RemoteIdentity{ExternalID: id, Attributes: map[string]any{"a": attribute}},
		)
		r.Accounts = append(r.Accounts, v1.RemoteAccount{ExternalID: id})
	}
	return r
}

func collect(t *testing.T, c connectorkit.Connector, l connectorkit.Limits) (chunks []v1.SyncResponse, err error) {
	t.Helper()
	err = connectorkit.Sync(
		context.Background(),
		c,
		v1.SyncRequest{},
		l,
		func(_ context.Context, page v1.SyncResponse) error {
			chunks = append(chunks, page)
			return nil
		},
	)
	return chunks, err
}

func TestChunksAreFullAndOnlyTheLastSaysSo(t *testing.T) {
	complete := []v1.Scope{{Kind: v1.Accounts, Key: "*", Complete: true, Count: 25}}
	c := pages{people(10, ""), people(15, ""), {Success: true, Page: &v1.Page{Scopes: complete, Cursor: "c"}}}
	chunks, err := collect(t, c, connectorkit.Limits{ChunkSize: 7})
	if err != nil {
		t.Fatal(err)
	}
	records := 0
	for i, chunk := range chunks {
		last := i == len(chunks)-1
		if chunk.Page.HasMore == last {
			t.Errorf("chunk %d of %d says has_more %v", i+1, len(chunks), chunk.Page.HasMore)
		}
		if !last && chunk.Len() != 7 {
			t.Errorf("chunk %d has %d records; want 7", i+1, chunk.Len())
		}
		if (chunk.Page.Cursor != "") != last || (len(chunk.Page.Scopes) > 0) != last {
			t.Errorf("chunk %d carries %+v; cursor and scopes belong to the last", i+1, chunk.Page)
		}
		records += chunk.Len()
	}
	if records != 50 {
		t.Errorf("%d records; want 50", records)
	}
}

func TestAChunkIsClosedNearItsBytes(t *testing.T) {
	const bound = 64 << 10
	chunks, err := collect(
		t,
		pages{people(400, strings.Repeat("x", 1000))},
		connectorkit.Limits{ChunkSize: 10000, ChunkBytes: bound},
	)
	if err != nil {
		t.Fatal(err)
	}
	for i, chunk := range chunks {
		b, err := json.Marshal(chunk)
		if err != nil {
			t.Fatal(err)
		}
		if len(b) > bound*5/4 {
			t.Errorf("chunk %d has %d bytes; the bound is %d", i+1, len(b), bound)
		}
	}
	if len(chunks) < 7 {
		t.Errorf("%d chunks for 450 KB; want at least 7", len(chunks))
	}
}

func TestACapCutsPeopleAndAccountsApartAndProvesNothing(t *testing.T) {
	c := pages{
		people(10, ""),
		{Success: true, Page: &v1.Page{Scopes: []v1.Scope{{Kind: v1.Accounts, Key: "*", Complete: true}}}},
	}
	chunks, err := collect(t, c, connectorkit.Limits{MaxRecords: 4})
	if err != nil {
		t.Fatal(err)
	}
	if len(chunks) != 1 || len(chunks[0].Identities) != 4 || len(chunks[0].Accounts) != 4 {
		t.Fatalf(
			"got %d chunks, first with %d people and %d accounts",
			len(chunks),
			len(chunks[0].Identities),
			len(chunks[0].Accounts),
		)
	}
	for _, s := range chunks[0].Page.Scopes {
		if s.Complete {
			t.Error("a capped read claims to be complete")
		}
	}
}

func TestAPageThatFailedEndsTheReadWithItsError(t *testing.T) {
	detail := &v1.ErrorDetail{Class: v1.ClassAuth, Code: "http_401", Message: "refused"}
	_, err := collect(t, pages{people(1, ""), {Success: false, ErrorDetail: detail}}, connectorkit.Limits{})
	if !errors.Is(err, error(detail)) {
		t.Errorf("err = %v; want the page's own", err)
	}
	both := "odd"
	_, err = collect(t, pages{{Success: true, Error: &both}}, connectorkit.Limits{})
	var d *v1.ErrorDetail
	if !errors.As(err, &d) || d.Code != "protocol_violation" {
		t.Errorf("success with an error: %v; want protocol_violation", err)
	}
}

// quiet stops without an error when it is cancelled, as some libraries do.
type quiet struct{ pages }

func (quiet) Sync(ctx context.Context, _ v1.SyncRequest, _ connectorkit.Emit) error {
	<-ctx.Done()
	return nil
}

func TestACancelledReadNeverPassesForAWholeOne(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	err := connectorkit.Sync(
		ctx,
		quiet{},
		v1.SyncRequest{},
		connectorkit.Limits{},
		func(context.Context, v1.SyncResponse) error {
			t.Error("a chunk was emitted")
			return nil
		},
	)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v", err)
	}
}

func TestSettingsNameEveryProblemAndNoValue(t *testing.T) {
	s := connectorkit.Read(v1.AuthConfig{"port": "hunter2", "tls": "maybe", "n": 1.5})
	s.Required("host")
	s.Int("port", 1, 1, 65535)
	s.OneOf("tls", "none", "none", "starttls")
	s.Int("n", 1, 1, 10)
	err := s.Err()
	if err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Fatalf("err = %v", err)
	}
	for _, key := range []string{"host", "port", "tls", "n must"} {
		if !strings.Contains(err.Error(), key) {
			t.Errorf("%q is not named in: %v", key, err)
		}
	}
}

func TestSecretsAreMaskedInEveryForm(t *testing.T) {
	c := connectorkit.NewScrubber(`p@ss"word`)
	for _, text := range []string{`p@ss"word`, "p%40ss%22word", `{"a":"p@ss\"word"}`, "cEBzcyJ3b3Jk"} {
		if got := c.Clean("x " + text + " y"); strings.Contains(got, "ss") && !strings.Contains(got, "[secret]") {
			t.Errorf("%s passes as %s", text, got)
		}
	}
}

func TestAChunkCarriesTheCheckpointOfTheLastPageItHoldsToItsEnd(t *testing.T) {
	one := v1.SyncResponse{Success: true, Grants: []v1.RemoteGrant{{EntitlementExternalID: "g"}}}
	one.Page = &v1.Page{
		Checkpoint: "after g",
		Scopes:     []v1.Scope{{Kind: v1.Grants, Key: "entitlement:g", Complete: true, Count: 1}},
	}
	first, second := people(2, ""), people(2, "")
	first.Page, second.Page = &v1.Page{Checkpoint: "after 4"}, &v1.Page{Checkpoint: "after 8"}
	present := v1.SyncResponse{
		Success: true,
		Page:    &v1.Page{Present: []v1.Present{{Kind: v1.Accounts, ExternalIDs: []string{"x", "y"}}}},
	}
	last := v1.SyncResponse{
		Success: true,
		Page:    &v1.Page{Scopes: []v1.Scope{{Kind: v1.Accounts, Key: "*", Complete: true, Count: 6}}, Cursor: "next"},
	}
	chunks, err := collect(t, pages{first, second, one, present, last}, connectorkit.Limits{ChunkSize: 6})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range chunks {
		got = append(
			got,
			fmt.Sprintf(
				"%d records, %q, %d scopes, %d present, more %t",
				c.Len(),
				c.Page.Checkpoint,
				len(c.Page.Scopes),
				len(c.Page.Present),
				c.Page.HasMore,
			),
		)
	}
	want := []string{
		`6 records, "after 4", 0 scopes, 0 present, more true`,
		`3 records, "after g", 1 scopes, 0 present, more true`,
		`0 records, "after g", 0 scopes, 1 present, more true`,
		`0 records, "", 1 scopes, 0 present, more false`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
