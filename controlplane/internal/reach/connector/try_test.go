package connector_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/connectors"
	"github.com/grantwright/grantwright/controlplane/internal/ground/outbound"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// talkative is a target that answers well and repeats the password it was given.
func talkative(_ context.Context, req v1.TestRequest, report connectorkit.Report) (v1.TestResponse, error) {
	password := fmt.Sprint(req.AuthConfig["bind_password"])
	steps := []v1.TestStep{
		{Name: "bind", OK: true, MS: 2, Detail: "signed in with " + password},
		{Name: "paged_search", OK: true},
	}
	for i := range steps {
		report.Send(v1.Progress{Step: &steps[i]})
	}
	return v1.TestResponse{
		Success:    true,
		DurationMS: 5,
		Steps:      steps,
		Warnings:   []v1.Warning{{Code: "echo", Message: password}},
	}, nil
}

// refusing is a target that refuses the password.
func refusing(_ context.Context, req v1.TestRequest, _ connectorkit.Report) (v1.TestResponse, error) {
	return v1.TestResponse{
		Steps: []v1.TestStep{{Name: "bind", LDAP: &v1.LDAPResult{ResultCode: 49, Name: "invalidCredentials"}}},
		Error: &v1.ErrorDetail{
			Class:   v1.ClassAuth,
			Code:    "ldap_49",
			Message: fmt.Sprintf("the directory refused %v", req.AuthConfig["bind_password"]),
		},
	}, nil
}

func TestATestTellsItsStepsAndIsRemembered(t *testing.T) {
	h := open(t)
	path := h.made(ldapPayload("A"))
	h.target.test = talkative
	a := h.want(200, h.call("admin", "POST", path+"/test", nil))
	want := []any{
		object{
			"name":   "bind",
			"ok":     true,
			"ms":     2.0,
			"detail": "signed in with [secret]",
		},
		object{"name": "paged_search", "ok": true, "ms": 0.0},
	}
	if diff := cmp.Diff(want, a.body["steps"]); diff != "" || a.body["success"] != true || a.body["error"] != nil {
		t.Errorf("got %s\n-want +got\n%s", a.text, diff)
	}
	last := func() object { return h.want(200, h.call("admin", "GET", path, nil)).body["last_test"].(object) }
	if l := last(); l["success"] != true || l["current"] != true || l["at"] == nil || l["error"] != nil ||
		l["executed_by"] != "hosted" {
		t.Errorf("last test = %v", l)
	}
	h.want(200, h.call("admin", "PATCH", path, object{"name": "B"}))
	if last()["current"] != true {
		t.Error("a new name made the test outdated")
	}
	h.want(200, h.call("admin", "PATCH", path, object{"connection": object{"user_filter": "(mail=*)"}}))
	if last()["current"] != false {
		t.Error("the test still counts after the settings changed")
	}
	h.target.test = refusing
	a = h.want(200, h.call("admin", "POST", path+"/test", nil))
	if failure := a.body["error"].(object); a.body["success"] != false || failure["code"] != "ldap_49" ||
		failure["message"] != "the directory refused [secret]" {
		t.Errorf("got %s", a.text)
	}
	if l := last(); l["success"] != false || l["current"] != true || l["error"].(object)["code"] != "ldap_49" {
		t.Errorf("last test = %v", l)
	}
	h.want(200, h.call("admin", "PATCH", path, object{"credentials": object{"bind_password": canary + "2"}}))
	if last()["current"] != false {
		t.Error("the test still counts after a secret changed")
	}
	if outcomes := h.text(
		`select string_agg(outcome, ' ' order by seq) from audit_event where action = 'connector.tested'
			and subject_id = $1`,
		id(path),
	); outcomes != "success failure" {
		t.Errorf("audited: %s", outcomes)
	}
	h.noCanary()
}

func TestAStreamedTestTellsEachStepThenTheResult(t *testing.T) {
	h := open(t)
	path := h.made(ldapPayload("A"))
	h.target.test = talkative
	a := h.want(200, h.call("admin", "POST", path+"/test?stream=true", nil))
	if got := a.header.Get("Content-Type"); !strings.HasPrefix(got, "text/event-stream") {
		t.Errorf("Content-Type = %s", got)
	}
	kinds, data := events(t, a.text)
	if diff := cmp.Diff([]string{"step", "step", "result"}, kinds); diff != "" {
		t.Fatalf("events: -want +got\n%s", diff)
	}
	if data[0]["name"] != "bind" || data[1]["name"] != "paged_search" || data[2]["success"] != true {
		t.Errorf("data = %v", data)
	}
	h.want(404, h.call("admin", "POST", "/connectors/"+uuid.NewString()+"/test?stream=true", nil))
	if n := h.text(`select count(*)::text from audit_event where action = 'connector.tested'`); n != "1" {
		t.Errorf("%s tests were audited", n)
	}
	h.noCanary()
}

func TestAStepShowsBeforeTheTestHasEnded(t *testing.T) {
	h := open(t)
	path := h.made(ldapPayload("A"))
	seen := make(chan struct{})
	h.target.test = func(ctx context.Context, _ v1.TestRequest, report connectorkit.Report) (v1.TestResponse, error) {
		report.Send(v1.Progress{Step: &v1.TestStep{Name: "tcp", OK: true}})
		select {
		case <-seen:
			return v1.TestResponse{Success: true}, nil
		case <-ctx.Done():
			return v1.TestResponse{}, ctx.Err()
		}
	}
	first := h.firstEvent(path + "/test?stream=true")
	close(seen)
	if !strings.Contains(first, `"name":"tcp"`) {
		t.Errorf("first event: %s", first)
	}
}

func TestATestThatNeverEndsIsEndedAndKeepsItsSteps(t *testing.T) {
	h := open(t)
	h.service.TestLimit = 50 * time.Millisecond
	path := h.made(ldapPayload("A"))
	stuck := make(chan struct{})
	t.Cleanup(func() { close(stuck) })
	h.target.test = func(_ context.Context, req v1.TestRequest, report connectorkit.Report) (v1.TestResponse, error) {
		report.Send(
			v1.Progress{Step: &v1.TestStep{Name: "tcp", OK: true, Detail: fmt.Sprint(req.AuthConfig["bind_password"])}},
		)
		<-stuck // deaf to its context
		return v1.TestResponse{}, nil
	}
	a := h.want(200, h.call("admin", "POST", path+"/test", nil))
	steps, _ := a.body["steps"].([]any)
	if a.body["success"] != false || a.body["error"].(object)["code"] != "deadline" || len(steps) != 1 {
		t.Errorf("got %s", a.text)
	}
	h.noCanary()
}

func TestFailuresOfAConnectorAreAnswersAndGoToTheLog(t *testing.T) {
	h := open(t)
	path := h.made(ldapPayload("A"))
	for _, test := range []func(context.Context, v1.TestRequest, connectorkit.Report) (v1.TestResponse, error){
		func(_ context.Context, req v1.TestRequest, _ connectorkit.Report) (v1.TestResponse, error) {
			return v1.TestResponse{}, fmt.Errorf("broken on %v", req.AuthConfig["bind_password"])
		},
		func(_ context.Context, req v1.TestRequest, _ connectorkit.Report) (v1.TestResponse, error) {
			panic(fmt.Sprintf("broken on %v", req.AuthConfig["bind_password"]))
		},
	} {
		h.target.test = test
		a := h.want(200, h.call("admin", "POST", path+"/test", nil))
		if failure, _ := a.body["error"].(object); failure["class"] != "internal" || a.body["steps"] == nil {
			t.Errorf("got %s", a.text)
		}
	}
	if log := h.log.String(); strings.Count(log, "broken on [secret]") != 2 {
		t.Errorf("log: %s", log)
	}
	h.noCanary()
}

func TestAnAgentThatIsAwayIsAVerdictNotAFailure(t *testing.T) {
	h := open(t)
	h.exec(
		`insert into agent (tenant_id, id, name, agent_group) values (current_tenant(), $1, 'one', 'branch'),
			(current_tenant(), $2, 'two', 'attic')`,
		uuid.NewString(),
		uuid.NewString(),
	)
	h.target.test = talkative
	for group, success := range map[string]bool{"branch": true, "attic": false} {
		p := ldapPayload("Agent " + group)
		p["mode"], p["agent_group"] = "agent", group
		path := h.made(p)
		a := h.want(200, h.call("admin", "POST", path+"/test", nil))
		failure, _ := a.body["error"].(object)
		if a.body["success"] != success || (!success && failure["class"] != "agent_unavailable") ||
			a.body["executed_by"].(object)["mode"] != "agent" {
			t.Errorf("%s: %s", group, a.text)
		}
	}
}

func TestSettingsAreTriedOutBeforeTheyAreSaved(t *testing.T) {
	h := open(t)
	h.target.test = talkative
	a := h.want(200, h.call("admin", "POST", "/connectors/test", ldapPayload("A")))
	if a.body["success"] != true {
		t.Errorf("got %s", a.text)
	}
	kinds, _ := events(t, h.want(200, h.call("admin", "POST", "/connectors/test?stream=true", ldapPayload("A"))).text)
	if diff := cmp.Diff([]string{"step", "step", "result"}, kinds); diff != "" {
		t.Errorf("events: -want +got\n%s", diff)
	}
	a = h.want(
		422,
		h.call(
			"admin",
			"POST",
			"/connectors/test?stream=true",
			object{"type": "ldap", "connection": object{"port": "x"}},
		),
	)
	if diff := cmp.Diff(
		map[string]string{"#/connection/host": "required", "#/connection/port": "wrong_type"},
		a.pointers(),
	); diff != "" {
		t.Errorf("errors: -want +got\n%s", diff)
	}
	if left := h.text(
		`select concat((select count(*) from connector), ' ',
			(select string_agg(action || coalesce(event::json -> 'context' ->> 'endpoint', ''), ' ')
			from audit_event))`,
	); left != "0 connector.testedldap.example.com:636 connector.testedldap.example.com:636" {
		t.Errorf("left behind: %s", left)
	}
	h.noCanary()
}

func TestTooManyTestsHaveToWait(t *testing.T) {
	h := open(t)
	h.service.TestsPerMinute = 2
	h.target.test = refusing
	path := h.made(ldapPayload("A"))
	for range 2 {
		h.want(200, h.call("admin", "POST", path+"/test", nil))
	}
	a := h.want(429, h.call("admin", "POST", "/connectors/test", ldapPayload("A")))
	if a.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	other := h.want(201, h.call("other", "POST", "/connectors", ldapPayload("A"))).body["id"].(string)
	h.want(200, h.call("other", "POST", "/connectors/"+other+"/test", nil))
}

func TestOurOwnNetworkStaysClosedAndUnnamed(t *testing.T) {
	h := open(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	guard := &outbound.Guard{}
	h.service.Dispatch.HostedConnector = func(kind string) (connectorkit.Connector, error) {
		return connectors.Open(
			connectorkit.Env{Dial: guard.Dial, Plaintext: guard.Plaintext, Log: h.service.Log, Now: time.Now},
			kind,
		)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	address := fmt.Sprintf("https://localhost:%d", port)
	for _, tt := range []struct {
		payload object
		pointer string
	}{
		{object{"type": "ldap", "connection": object{"host": "localhost", "port": port, "security": "ldaps"}},
			"#/connection/host"},
		{object{"type": "scim2", "connection": object{"base_url": address + "/scim", "auth_method": "none"}},
			"#/connection/base_url"},
		{object{"type": "vendor", "vendor_key": "okta", "connection": object{"org_url": address},
			"credentials": object{"api_token": "x"}}, "#/connection/org_url"},
	} {
		a := h.want(200, h.call("admin", "POST", "/connectors/test", tt.payload))
		if failure, _ := a.body["error"].(object); a.body["success"] != false ||
			failure["code"] != "destination_not_allowed" ||
			a.body["pointer"] != tt.pointer {
			t.Errorf("it points to %v; want %s: %s", a.body["pointer"], tt.pointer, a.text)
		}
		if strings.Contains(a.text, "127.0.0.1") || strings.Contains(a.text, "::1") {
			t.Errorf("the answer names the address: %s", a.text)
		}
		tt.payload["name"] = "Inside " + tt.pointer[len("#/connection/"):]
		saved := h.want(201, h.call("admin", "POST", "/connectors", tt.payload)).body["id"].(string)
		told := h.want(200, h.call("admin", "POST", "/connectors/"+saved+"/test?stream=true", nil))
		if !strings.Contains(told.text, `"pointer":"`+tt.pointer+`"`) {
			t.Errorf("the stream does not point to %s: %s", tt.pointer, told.text)
		}
	}
}

func TestALookAtATargetShowsFieldsWithSamples(t *testing.T) {
	h := open(t)
	path := h.made(ldapPayload("A"))
	var asked v1.DiscoverRequest
	h.target.discover = func(_ context.Context, req v1.DiscoverRequest) (v1.DiscoverResponse, error) {
		asked = req
		field := v1.DiscoveredField{
			Name:    "mail",
			Path:    "mail",
			Type:    "string",
			Samples: []string{"ann@example.com", canary},
			Source:  "both",
		}
		return v1.DiscoverResponse{
			Success:      true,
			SchemaDigest: "sha256:x",
			Objects: []v1.DiscoveredObject{
				{Kind: "account", NativeType: "person", Fields: []v1.DiscoveredField{field}},
			},
		}, nil
	}
	look := func(o connector.DiscoverOptions) string {
		t.Helper()
		answer, err := h.service.Discover(ctx, h.tenant, id(path), o, nil, nil)
		if err != nil || answer.Objects == nil {
			t.Fatalf("Discover = %+v, %v", answer, err)
		}
		b, err := json.Marshal(answer)
		if err != nil {
			t.Fatal(err)
		}
		h.answers.Write(b)
		return string(b)
	}
	got := look(connector.DiscoverOptions{SampleSize: 7, Objects: []v1.ObjectKind{v1.Accounts}})
	if asked.SampleSize != 7 || !slices.Equal(asked.Objects, []v1.ObjectKind{v1.Accounts}) ||
		asked.AuthConfig["bind_password"] != canary ||
		asked.ConnectorBusinessID != "a" {
		t.Errorf("asked for %d of %v", asked.SampleSize, asked.Objects)
	}
	if !strings.Contains(got, `"success":true`) || !strings.Contains(got, "ann@example.com") {
		t.Errorf("got %s", got)
	}
	h.target.discover = func(context.Context, v1.DiscoverRequest) (v1.DiscoverResponse, error) {
		return v1.DiscoverResponse{}, &v1.ErrorDetail{Class: v1.ClassAuth, Code: "ldap_49", Message: "refused"}
	}
	if got = look(
		connector.DiscoverOptions{},
	); !strings.Contains(got, `"success":false`) ||
		!strings.Contains(got, `"code":"ldap_49"`) {
		t.Errorf("got %s", got)
	}
	if outcomes := h.text(
		`select string_agg(outcome, ' ' order by seq) from audit_event where action = 'connector.discovered'`,
	); outcomes != "success failure" {
		t.Errorf("audited: %s", outcomes)
	}
	h.noCanary()
}

func TestATestIsRecordedEvenWhenTheAskerHasLeft(t *testing.T) {
	h := open(t)
	path := h.made(ldapPayload("A"))
	gone, leave := context.WithCancel(ctx)
	h.target.test = func(ctx context.Context, _ v1.TestRequest, _ connectorkit.Report) (v1.TestResponse, error) {
		leave()
		<-ctx.Done()
		return v1.TestResponse{}, ctx.Err()
	}
	answer, err := h.service.Test(gone, h.tenant, id(path))
	if err != nil || answer.Error == nil || answer.Error.Class != v1.ClassCancelled {
		t.Errorf("got %+v, %v", answer, err)
	}
	if n := h.text(`select count(*)::text from audit_event where action = 'connector.tested'`); n != "1" {
		t.Errorf("%s tests were audited", n)
	}
	if last := h.want(200, h.call("admin", "GET", path, nil)).body["last_test"]; last != nil {
		t.Errorf("a test that was broken off counts: %v", last)
	}
}

// events splits a stream into the names and the data of its events.
func events(t *testing.T, stream string) (kinds []string, data []object) {
	t.Helper()
	for block := range strings.SplitSeq(stream, "\n\n") {
		var kind string
		for line := range strings.SplitSeq(block, "\n") {
			if name, ok := strings.CutPrefix(line, "event: "); ok {
				kind = name
			}
			if text, ok := strings.CutPrefix(line, "data: "); ok {
				var d object
				if err := json.Unmarshal([]byte(text), &d); err != nil {
					t.Fatal(errors.Join(err, errors.New(text)))
				}
				kinds, data = append(kinds, kind), append(data, d)
			}
		}
	}
	return kinds, data
}
