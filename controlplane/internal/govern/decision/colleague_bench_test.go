package decision_test

import (
	"fmt"
	"net/url"
	"testing"
	"time"
)

// BenchmarkColleagues is the time in which whoever hands a task on finds colleagues among 50,000 people who all sign
// in: one, some hundreds of one name, an eighth of all by two letters, and all of them.
func BenchmarkColleagues(b *testing.B) {
	h := open(b)
	ann := h.staff("ann")[0]
	h.Exec(`insert into identity (tenant_id, id, external_id, display_name, title, department, email)
		select current_tenant(), gen_random_uuid(), 'E' || n,
		       (array['Anna', 'Bernd', 'Carla', 'Dörte', 'Emil', 'Frieda', 'Gerd', 'Hanna'])[1 + n % 8] || ' ' ||
		       (array['Adler', 'Berg', 'Conrad', 'Dietz',
		       'Ebert'])[1 + n / 8 % 5] || chr(97 + n / 40 % 26) || ' K' || n || ' Acme', 'Clerk',
		           'Department ' || n % 40, n || '@acme.test'
		  from generate_series(1, 50000) n`)
	h.Exec(`insert into app_user (tenant_id, id, email, identity_id, status)
		select current_tenant(), gen_random_uuid(), external_id || '@users.test', id,
		    'active' from identity where external_id like 'E%'`)
	h.Analyze()
	path := "/decision-tasks/" + h.one(question("a", ann)) + "/colleagues?q="
	for _, tt := range []struct {
		q    string
		tell int
	}{{"k4711", 11}, {"anna adlerb", 20}, {"do", 20}, {"ac", 20}, {"4711@acme.test", 1}} {
		b.Run(tt.q, func(b *testing.B) {
			var took []time.Duration
			for b.Loop() {
				began := time.Now()
				a := h.Must(200, "ann", "GET", path+url.QueryEscape(tt.q), nil)
				took = append(took, time.Since(began))
				if len(a.Items()) != tt.tell {
					b.Fatalf("%q finds %s", tt.q, fmt.Sprint(a.Values("display")))
				}
			}
			spread(b, took)
		})
	}
}
