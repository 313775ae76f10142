package connector_test

import (
	"fmt"
	"testing"
)

// theRuns puts runs into a connector's history, one an hour, the newest last.
func (h *house) theRuns(path string, statuses ...string) {
	h.t.Helper()
	for i, status := range statuses {
		h.exec(
			`insert into sync_run (tenant_id, id, connector_id, type, trigger, incremental, effective_incremental,
			    chunk_size, status, error, created_at, started_at, finished_at)
			values (current_tenant(), gen_random_uuid(), $1, 'ldap', 'schedule', true, false, 500, $2,
			        case when $2 = 'failed' then jsonb_build_object('class', 'auth', 'code', 'code ' || $3::text) end,
			        now() - make_interval(hours => $4), now() - make_interval(hours => $4),
			            case when $2 <> 'running' then now() - make_interval(hours => $4 - 1) end)`,
			id(path),
			status,
			fmt.Sprint(i),
			len(statuses)-i,
		)
	}
}

func TestAListShowsTheLastRunsOfEachWhereThatIsAskedFor(t *testing.T) {
	h := open(t)
	busy, quiet := h.made(ldapPayload("Busy")), h.made(ldapPayload("Quiet"))
	h.theRuns(
		busy,
		"succeeded",
		"succeeded",
		"failed",
		"partial",
		"succeeded",
		"succeeded",
		"succeeded",
		"succeeded",
		"succeeded",
		"succeeded",
		"succeeded",
		"succeeded",
		"succeeded",
		"failed",
		"succeeded",
		"running",
	)
	h.exec(`insert into identity (tenant_id, id, external_id, source_connector_id, status)
		select current_tenant(), gen_random_uuid(), 'e' || n, $1,
		    case n when 3 then 'archived' else 'active' end from generate_series(1, 3) n`, id(busy))
	h.exec(`insert into account (tenant_id, id, connector_id, external_id, row_hash, status)
		select current_tenant(), gen_random_uuid(), $1, 'a' || n, '',
		    case n when 1 then 'deleted' else 'active' end from generate_series(1, 4) n`, id(busy))

	items := h.want(200, h.call("auditor", "GET", "/connectors", nil)).body["items"].([]any)
	for _, c := range items {
		if _, there := c.(object)["last_runs"]; there || c.(object)["counts"] != nil {
			t.Errorf("shown without having been asked for: %v", c)
		}
	}
	items = h.want(200, h.call("auditor", "GET", "/connectors?expand=runs,counts", nil)).body["items"].([]any)
	first, second := items[0].(object), items[1].(object)
	runs := first["last_runs"].([]any)
	var statuses, codes string
	for _, r := range runs {
		statuses += r.(object)["status"].(string)[:1]
		if code := r.(object)["error_code"]; code != nil {
			codes += code.(string) + ";"
		}
	}
	if statuses != "fpsssssssssfsr" || codes != "code 2;code 13;" {
		t.Errorf("the last 14, the newest last: %s, %s", statuses, codes)
	}
	last := runs[len(runs)-1].(object)
	if last["finished_at"] != nil || last["started_at"] == nil || last["trigger"] != "schedule" ||
		last["mode"] != "apply" ||
		last["full"] != true ||
		last["id"] == "" {
		t.Errorf("the run that goes on: %v", last)
	}
	if c := first["counts"].(object); c["identities"] != 2.0 || c["accounts"] != 3.0 {
		t.Errorf("counts = %v; want 2 people and 3 accounts", c)
	}
	if fmt.Sprint(
		second["last_runs"],
		second["counts"].(object)["identities"],
		second["counts"].(object)["accounts"],
	) != "[] 0 0" ||
		second["id"] != id(quiet) {
		t.Errorf("one that was never read: %v", second)
	}
	if a := h.call("auditor", "GET", "/connectors?expand=secrets", nil); a.status != 400 {
		t.Errorf("an unknown expansion: %d", a.status)
	}
	h.want(403, h.call("manager", "GET", "/connectors?expand=runs", nil))
	h.want(200, h.call("other", "GET", "/connectors?expand=runs", nil))
}
