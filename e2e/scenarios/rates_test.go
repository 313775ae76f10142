package scenarios

import (
	"fmt"
	"regexp"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/grantwright/grantwright/e2e/api"
	"github.com/grantwright/grantwright/e2e/harness"
	"github.com/grantwright/grantwright/e2e/rig"
)

// The rate of a token that nobody has raised.
const (
	perSecond = 100
	atOnce    = 200
)

func TestATokenMayMakeSoManyRequests(t *testing.T) {
	t.Parallel()
	h := harness.Open(t)
	second := h.Second()
	t.Run("so many at once pass, and what is more is told to wait", func(t *testing.T) { burst(t, h.For(t)) })
	t.Run("processes hold one rate together", func(t *testing.T) { together(t, h.For(t), second) })
}

// cheap is a request that costs the service little.
const cheap = "/auth/.well-known/jwks.json"

// hammer sends requests from several sides until stop says so, and answers how many passed, how many were refused, and
// one of the refusals.
func hammer(
	h *harness.House,
	sides []*api.Client,
	stop func(sent int64) bool,
) (passed, refused int64, refusal api.Answer) {
	var sent, in, out atomic.Int64
	var last atomic.Pointer[api.Answer]
	var all sync.WaitGroup
	for _, c := range sides {
		all.Go(func() {
			for !stop(sent.Add(1)) {
				switch a := h.Ask(c, "GET", cheap, nil); a.Status {
				case 200:
					in.Add(1)
				case 429:
					out.Add(1)
					last.Store(&a)
				}
			}
		})
	}
	all.Wait()
	if a := last.Load(); a != nil {
		refusal = *a
	}
	return in.Load(), out.Load(), refusal
}

func burst(t *testing.T, h *harness.House) {
	jo := h.Member(h.Admin, "jo@main.example", "")
	fresh := h.Expect("200", jo.Client, "GET", cheap, nil)
	if got := fresh.Header.Get("RateLimit-Policy"); got != `"default";q=100;w=1;grantwright-burst=200` {
		t.Errorf("the policy is %s", got)
	}
	if left, after := standing(t, fresh); left != atOnce-1 || after != 1 {
		t.Errorf("after the first request %d are left, more in %d s; want 199, in 1", left, after)
	}

	// A token of one request a second, so that next to nothing drips in while 200 come.
	slow := issue(h, h.Admin, "auditor", reading, "rate_limit", map[string]int{"rps": 1, "burst": atOnce})
	began := time.Now()
	passed, refused, refusal := hammer(h, sides(slow.key, 16), func(sent int64) bool { return sent > 260 })
	dripped := int64(time.Since(began).Seconds()) + 1
	if passed < atOnce || passed > atOnce+dripped || passed+refused != 260 {
		t.Errorf(
			"of 260 at once %d pass and %d are refused; want %d, and %d more at most",
			passed,
			refused,
			atOnce,
			dripped,
		)
	}
	waits(t, refusal, 1)

	// The usual token: all 200 pass, and then no more than its hundred a second.
	began = time.Now()
	passed, refused, refusal = hammer(
		h,
		sides(jo.Client, 16),
		func(sent int64) bool { return sent > 200 && time.Since(began) > time.Second },
	)
	most := int64(atOnce + perSecond*time.Since(began).Seconds() + 1)
	if passed < atOnce-1 || passed > most || refused == 0 {
		t.Errorf(
			"%d pass in %s and %d are refused; want from %d to %d, and some refused",
			passed,
			time.Since(began),
			refused,
			atOnce,
			most,
		)
	}
	waits(t, refusal, perSecond)

	// Others have rates of their own; neither a refreshed token nor another process is somebody else.
	h.Expect("200", h.Admin, "GET", cheap, nil)
	anew := signIn(h, jo.Email)
	began = time.Now()
	if left, _ := standing(t, h.Expect("200", jo.As(anew.Access), "GET", cheap, nil)); left != atOnce-1 {
		t.Errorf("another sign-in begins with %d requests left; want 199", left)
	}
	passed, refused, _ = hammer(
		h,
		sides(jo.As(anew.Access), 16),
		func(sent int64) bool { return sent > 200 && time.Since(began) > time.Second },
	)
	refreshed := harness.Read[session](h, h.Expect("200", jo.As(anew.Refresh), "POST", "/auth/refresh", nil))
	left, _ := standing(t, h.Ask(jo.As(refreshed.Access), "GET", cheap, nil))
	if most := atOnce + int(perSecond*time.Since(began).Seconds()) - int(passed); left > most || refused == 0 {
		t.Errorf(
			"after %d requests, and %d too many, a refreshed token has %d left; want %d at most",
			passed,
			refused,
			left,
			most,
		)
	}
}

func sides(c *api.Client, n int) (all []*api.Client) {
	for range n {
		all = append(all, c)
	}
	return all
}

var rateForm = regexp.MustCompile(`^"default";r=(\d+);t=(\d+)$`)

// standing is what an answer says of the token's rate: how many requests are left, and in how many seconds there are
// more.
func standing(t *testing.T, a api.Answer) (left, after int) {
	t.Helper()
	said := rateForm.FindStringSubmatch(a.Header.Get("RateLimit"))
	if said == nil {
		t.Fatalf("RateLimit is %q", a.Header.Get("RateLimit"))
	}
	left, _ = strconv.Atoi(said[1]) // digits, by the expression
	after, _ = strconv.Atoi(said[2])
	return left, after
}

// waits checks what a refusal says.
func waits(t *testing.T, refusal api.Answer, rate int) {
	t.Helper()
	problem := struct {
		Type     string   `json:"type"`
		Code     string   `json:"code"`
		Violated []string `json:"violated-policies"`
	}{}
	if err := refusal.Into(&problem); err != nil {
		t.Fatal(err)
	}
	if problem.Code != "rate_limited" ||
		problem.Type != "https://iana.org/assignments/http-problem-types#quota-exceeded" ||
		len(problem.Violated) != 1 ||
		problem.Violated[0] != "default" {
		t.Errorf("the refusal is %+v", problem)
	}
	wait, err := strconv.Atoi(refusal.Header.Get("Retry-After"))
	left, after := standing(t, refusal)
	if err != nil || wait < 1 || wait < after || left != 0 {
		t.Errorf(
			"the refusal says to wait %q, %d requests are left, more in %d s; want a second or more, none, and not "+
				"later",
			refusal.Header.Get("Retry-After"),
			left,
			after,
		)
	}
	if got, want := refusal.Header.Get("RateLimit-Policy"), fmt.Sprintf(
		`"default";q=%d;w=1;grantwright-burst=200`,
		rate,
	); got != want {
		t.Errorf("the policy is %s; want %s", got, want)
	}
}

func together(t *testing.T, h *harness.House, second *rig.ControlPlane) {
	const seconds = 5
	kay := h.Member(h.Admin, "kay@main.example", "")
	s := signIn(h, kay.Email)
	client := kay.As(s.Access)
	began := time.Now()
	passed, refused, _ := hammer(
		h,
		append(sides(client, 6), sides(client.At(second.URL()), 6)...),
		func(int64) bool { return time.Since(began) > seconds*time.Second },
	)
	want := atOnce + perSecond*time.Since(began).Seconds()
	t.Logf(
		"%d of %d requests pass in %s; one process would let %.0f through",
		passed,
		passed+refused,
		time.Since(began),
		want,
	)
	if got := float64(passed); got < 0.9*want || got > 1.1*want {
		t.Errorf(
			"%d pass in %s through two processes; want %.0f, a tenth more or less",
			passed,
			time.Since(began),
			want,
		)
	}
}
