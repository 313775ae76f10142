package pack_test

import (
	"testing"
	"time"
)

func TestAPlanForManyPeopleIsMadeInOneLook(t *testing.T) {
	h := open(t)
	h.Entitlement(h.system("ehr", "ehr"), "Nurse read")
	h.Entitlement(h.system("dir", ""), "Staff")
	h.Exec(
		`insert into identity (tenant_id, id, external_id, email, first_name, last_name, display_name, department,
		    status)
		select current_tenant(), gen_random_uuid(), 'p' || n, 'p' || n || '@example.com', 'P', 'X', 'P X',
		    case when n % 4 = 0 then 'Nursing' else 'Sales' end, 'active'
		  from generate_series(1, 20000) n`,
	)
	h.upload(clinic("1.0.0", ""))
	began := time.Now()
	planned := h.Must(200, "admin", "POST", packs+"/clinic/plan", map[string]any{})
	t.Logf("20,000 people: %s", time.Since(began))
	impact := planned.Body["impact"].(map[string]any)
	if impact["people_total"] != 20000.0 || impact["grants_added"] != 25000.0 {
		t.Errorf("%v people, %v added; want 20000, 25000", impact["people_total"], impact["grants_added"])
	}
}
