package ocsf_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit/ocsf"
)

// required are the members that schema 1.3.0 asks of each class, beyond those that it asks of every event.
var required = map[int][]string{
	3001: {
		"user",
	},
	3002: {"user"},
	3004: {"entity"},
	3005: {"user", "privileges"},
	6003: {"actor", "api", "src_endpoint"},
}

// ofEvery are the members that it asks of every event, with those of their own that are required.
var ofEvery = map[string][]string{
	"activity_id": nil, "category_uid": nil, "class_uid": nil, "type_uid": nil, "severity_id": nil, "time": nil,
	"metadata": {"version", "product"}, "actor": {"user"},
}

// activities are the numbers that the schema knows in each class.
var activities = map[int][2]int{3001: {0, 12}, 3002: {0, 7}, 3004: {0, 13}, 3005: {0, 4}, 6003: {0, 4}}

func TestEveryActionHasWhatTheSchemaRequires(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 678e6, time.UTC)
	for _, a := range audit.Catalog() {
		for _, outcome := range []audit.Outcome{audit.Success, audit.Failure, audit.Denied} {
			for _, subject := range []*audit.Subject{nil, {Type: "thing", ID: "x1", Display: "X"}} {
				e := audit.Event{
					Seq:      7,
					Time:     at,
					TenantID: "t1",
					Action:   a.Name,
					Category: a.Category,
					Outcome:  outcome,
					Actor:    audit.Actor{Type: "system"},
					Subject:  subject,
				}
				t.Run(
					fmt.Sprintf("%s %s %t", a.Name, outcome, subject != nil),
					func(t *testing.T) { valid(t, ocsf.From(e)) },
				)
			}
		}
	}
}

func valid(t *testing.T, event ocsf.Event) {
	b, err := json.Marshal(event)
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	if err := json.Unmarshal(b, &m); err != nil {
		t.Fatal(err)
	}
	for name, inner := range ofEvery {
		if m[name] == nil {
			t.Errorf("%s is missing: %s", name, b)
		}
		for _, each := range inner {
			if m[name].(map[string]any)[each] == nil {
				t.Errorf("%s.%s is missing: %s", name, each, b)
			}
		}
	}
	class := event.ClassUID
	if len(required[class]) == 0 {
		t.Fatalf("class %d", class)
	}
	for _, name := range required[class] {
		if m[name] == nil {
			t.Errorf("class %d without %s: %s", class, name, b)
		}
	}
	if event.CategoryUID != class/1000 || event.TypeUID != class*100+event.ActivityID || event.Time != 1767323045678 {
		t.Errorf("%s", b)
	}
	if r := activities[class]; event.ActivityID != 99 && (event.ActivityID <= r[0] || event.ActivityID > r[1]) {
		t.Errorf("class %d knows no activity %d", class, event.ActivityID)
	}
	if event.SeverityID < 1 || event.SeverityID > 6 || (event.StatusID != 1 && event.StatusID != 2) {
		t.Errorf("%s", b)
	}
	for _, who := range []*ocsf.User{&event.Actor.User, event.User} {
		if who != nil && who.UID == "" && who.Name == "" {
			t.Errorf("a user needs a name or an id: %s", b)
		}
	}
	if product := m["metadata"].(map[string]any)["product"].(map[string]any); product["vendor_name"] != "Grantwright" {
		t.Errorf("product %v", product)
	}
}

func TestAnEventTellsWhoFromWhereAndKeepsItsHash(t *testing.T) {
	e := ocsf.From(audit.Event{
		Seq:      7,
		TenantID: "t1",
		Action:   "auth.login",
		Category: audit.Authentication,
		Outcome:  audit.Failure,
		Hash:     "ab",
		PrevHash: "cd",
		Actor: audit.Actor{
			Type:      "user",
			ID:        "u1",
			Display:   "ada@acme.test",
			Roles:     []string{"admin"},
			IP:        "192.0.2.7",
			UserAgent: "curl/8",
			TokenID:   "s1",
		},
		Subject: &audit.Subject{
			Type:    "user",
			ID:      "u1",
			Display: "ada@acme.test",
		},
		Context: map[string]any{"request_id": "r1"},
	})
	if e.ClassUID != 3002 || e.ActivityID != 1 || e.StatusID != 2 || e.Source.IP != "192.0.2.7" ||
		e.Actor.User.TypeID != 2 || e.Actor.Session.UID != "s1" ||
		e.Metadata.CorrelationUID != "r1" || e.Metadata.UID != "t1/7" || e.Unmapped.Hash != "ab" ||
		e.HTTPRequest.UserAgent != "curl/8" ||
		e.User.Name != "ada@acme.test" {
		t.Errorf("%+v", e)
	}
}
