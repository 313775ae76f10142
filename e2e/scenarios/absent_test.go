package scenarios

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/grantwright/grantwright/e2e/api"
	"github.com/grantwright/grantwright/e2e/harness"
)

// unbuilt are groups of endpoints that there will be, and are not.
var unbuilt = []string{
	"role-mining", "certifications", "poc",
}

func TestWhatIsNotBuiltIsAbsentAndNoStub(t *testing.T) {
	t.Parallel()
	h := harness.Open(t)
	ctx := harness.Context(t)
	stranger := api.New(h.Plane.URL())
	for _, group := range unbuilt {
		for _, path := range []string{api.Prefix + "/" + group, api.Prefix + "/" + group + "/1"} {
			for _, method := range []string{http.MethodGet, http.MethodPost} {
				for _, tt := range []struct {
					client *api.Client
					want   int
				}{{h.Admin, 404}, {stranger, 401}} {
					status, header, body, err := tt.client.Raw(ctx, method, path, nil)
					if err != nil {
						t.Fatal(err)
					}
					if status != tt.want || !strings.HasPrefix(header.Get("Content-Type"), "application/problem+json") {
						t.Errorf("%s %s answered %d %s; want %d", method, path, status, body, tt.want)
					}
				}
			}
		}
	}
	status, _, body, err := h.Admin.Raw(ctx, http.MethodGet, "/openapi.json", nil)
	if err != nil || status != 200 {
		t.Fatalf("/openapi.json answered %d, %v", status, err)
	}
	var description struct {
		OpenAPI string         `json:"openapi"`
		Paths   map[string]any `json:"paths"`
	}
	if err := json.Unmarshal(body, &description); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(description.OpenAPI, "3.1") || description.Paths[api.Prefix+"/identities"] == nil {
		t.Errorf("version %s with %d paths; want 3.1 with /identities", description.OpenAPI, len(description.Paths))
	}
	for path := range description.Paths {
		for _, group := range unbuilt {
			if strings.HasPrefix(path, api.Prefix+"/"+group) {
				t.Errorf("%s is described and not built", path)
			}
		}
	}
}

func TestOnlyHealthAndSignInNeedNoToken(t *testing.T) {
	t.Parallel()
	h := harness.Open(t)
	ctx := harness.Context(t)
	stranger := api.New(h.Plane.URL())
	for path, want := range map[string]int{
		"/health": 200, "/openapi.json": 401, "/docs": 401, "/redoc": 401, api.Prefix + "/identities": 401, api.Prefix +
			"/no/such/thing": 401,
	} {
		if status, _, body, err := stranger.Raw(ctx, http.MethodGet, path, nil); err != nil || status != want {
			t.Errorf("%s answered %d, %v: %s; want %d", path, status, err, shorten(string(body)), want)
		}
	}
}
