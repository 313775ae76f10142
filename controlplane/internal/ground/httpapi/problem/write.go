package problem

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
)

// Seconds are whole ones, never too few.
func Seconds(d time.Duration) int { return int((d + time.Second - 1) / time.Second) }

// Refuse answers from within huma's middleware, which leaves a problem's headers out.
func Refuse(api huma.API, ctx huma.Context, p *Problem) {
	for name := range p.GetHeaders() {
		ctx.SetHeader(name, p.GetHeaders().Get(name))
	}
	_ = huma.WriteErr(api, ctx, p.Status, p.Detail, p)
}

// Write answers a request that never reached a typed handler. A request for a head gets no body.
func Write(w http.ResponseWriter, r *http.Request, p *Problem) {
	for k, v := range p.GetHeaders() {
		w.Header()[k] = v
	}
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(p.Status)
	if r.Method != http.MethodHead {
		_ = json.NewEncoder(w).Encode(p)
	}
}
