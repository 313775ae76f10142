package limit

import (
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// Usual is the rate of a token without a limit of its own: 100 requests a second, 200 at once.
var Usual = viewer.Rate{PerSecond: 100, Burst: 200}

// Verdict on one request.
type Verdict struct {
	Allowed bool
	Rate    viewer.Rate   // what it was judged by
	Left    int           // requests that may still come at once
	Wait    time.Duration // until one more may come than now; 0 when nothing has been used
}

// cell is the time that one request fills.
func cell(r viewer.Rate) time.Duration { return time.Second / time.Duration(r.PerSecond) }

// judge holds a request at now against a line that is filled until full. It returns until when the line is filled then;
// a request that is refused fills nothing.
func judge(r viewer.Rate, full, now time.Time) (time.Time, Verdict) {
	v := Verdict{Rate: r}
	if full.Before(now) {
		full = now
	}
	c := cell(r)
	whole := time.Duration(r.Burst) * c
	if v.Allowed = full.Sub(now)+c <= whole; v.Allowed {
		full = full.Add(c)
	}
	free := whole - full.Sub(now)
	if free > 0 {
		v.Left = int(free / c)
	}
	if full.After(now) {
		v.Wait = time.Duration(v.Left+1)*c - free
	}
	return full, v
}

// rateOf is the viewer's rate: the raised one, where an administrator has raised it.
func rateOf(raised viewer.Rate) viewer.Rate {
	r := raised
	if r.PerSecond <= 0 {
		return Usual
	}
	r.PerSecond = min(r.PerSecond, int(time.Second/time.Microsecond))
	if r.Burst <= 0 {
		r.Burst = 2 * r.PerSecond
	}
	return r
}

// part is what one of n processes may let through alone.
func part(r viewer.Rate, n int) viewer.Rate {
	return viewer.Rate{PerSecond: max(1, r.PerSecond/n), Burst: max(1, r.Burst/n)}
}
