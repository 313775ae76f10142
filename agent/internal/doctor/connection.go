package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/grantwright/grantwright/agent/internal/dial"
	"github.com/grantwright/grantwright/agent/internal/enroll"
	"github.com/grantwright/grantwright/protocol/wire"
)

// dns resolves the control plane's name, where it is for this host to do.
func (e *exam) dns(ctx context.Context) finding {
	host := e.dialer.Base.Hostname()
	switch {
	case e.proxied != "":
		return skip("the proxy resolves the name")
	case net.ParseIP(host) != nil:
		return skip("the address is a number")
	}
	found, err := net.DefaultResolver.LookupHost(ctx, host)
	if err != nil {
		return fail(
			"Mend the name or this host's name servers; where only a proxy may reach the outside, give it with "+
				"--proxy or HTTPS_PROXY.",
			"%v",
			err,
		)
	}
	return pass("%s is %s", host, strings.Join(found, ", "))
}

// tcp connects without a proxy, where none leads to the control plane.
func (e *exam) tcp(ctx context.Context) finding {
	if e.proxied != "" {
		return skip("the way leads through the proxy")
	}
	conn, err := e.dialer.DialContext(ctx, "tcp", e.dialer.Address())
	if err != nil {
		return fail(
			"Is the port right, does the control plane run, and does a firewall let this host out to it?",
			"%v",
			err,
		)
	}
	defer conn.Close()
	return pass("connected to %s from %s", conn.RemoteAddr(), conn.LocalAddr())
}

// proxy asks the proxy for a tunnel.
func (e *exam) proxy(ctx context.Context) finding {
	if e.proxied == "" {
		return skip("no proxy leads there")
	}
	conn, err := e.dialer.DialContext(ctx, "tcp", e.dialer.Address())
	if err != nil {
		return fail(
			"Look at the proxy's address, its user name and password, and whether it lets this host through to the "+
				"control plane.",
			"%v",
			err,
		)
	}
	defer conn.Close()
	return pass("%s opened a tunnel to %s", e.proxied, e.dialer.Address())
}

// http asks for the control plane's health, and keeps the answer's date.
func (e *exam) http(ctx context.Context) finding {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, e.dialer.Base.String()+"/health", nil)
	if err != nil {
		return fail("", "%v", err)
	}
	req.Header.Set("User-Agent", "grantwright-agent/"+e.Version)
	began := e.Now()
	resp, err := e.dialer.HTTP().Do(req)
	if err != nil {
		return fail(
			"The connection opens but the request fails. Check the proxies and firewalls between this host and the "+
				"control plane.",
			"%v",
			dial.Explain(err),
		)
	}
	defer resp.Body.Close()
	e.date = &resp.Header
	// The server's clock was read somewhere between the two.
	if date, err := http.ParseTime(resp.Header.Get("Date")); err == nil {
		e.skew = date.Sub(began.Add(e.Now().Sub(began) / 2))
	}
	if resp.StatusCode != http.StatusOK {
		return refused(enroll.Refusal(resp, e.Now()))
	}
	var health struct{ Status string }
	if err := json.NewDecoder(io.LimitReader(resp.Body, 64<<10)).Decode(&health); err != nil || health.Status == "" {
		return fail(
			"Is this the control plane's address? Something else seems to answer, such as a sign-in page of the "+
				"network.",
			"%s answered something that is not the control plane's",
			e.dialer.Base.Host,
		)
	}
	return pass("the control plane says it is %s", health.Status)
}

// clock compares this host's clock with the control plane's.
func (e *exam) clock(context.Context) finding {
	if e.date == nil || e.date.Get("Date") == "" {
		return skip("the control plane's time is not known")
	}
	word := "behind"
	if e.skew < 0 {
		word = "ahead of"
	}
	by := e.skew.Abs().Round(time.Second)
	if by > wire.ClockSkew {
		return fail(
			"Set this host's clock, best by NTP: tokens and dates in targets depend on it.",
			"this host's clock is %s %s the control plane's",
			by,
			word,
		)
	}
	return pass("within %s of the control plane's", max(by, time.Second))
}

// auth asks whether a renewal of the token would be granted, without making one.
func (e *exam) auth(ctx context.Context) finding {
	if !e.keyed {
		return skip("this host is not enrolled, or its keys cannot be read by this user")
	}
	err := e.dryRenewal(ctx)
	if again, changed := e.Dir.LoadState(); err != nil && changed == nil && again.JoinSeq != e.state.JoinSeq {
		e.state = again // the agent that runs has renewed meanwhile
		err = e.dryRenewal(ctx)
	}
	if err != nil {
		return refused(err)
	}
	return pass("the control plane knows this agent and its key")
}

// dryRenewal asks whether a renewal would be granted. It is signed as a dry run and gives out no
// token, so that the agent that runs is not disturbed. A counter behind this agent's shows a
// control plane that was restored.
func (e *exam) dryRenewal(ctx context.Context) error {
	r := wire.TokenRequest{
		AgentID:  e.state.AgentID,
		Nonce:    "doctor",
		BootID:   "doctor",
		JoinSeq:  e.state.JoinSeq,
		IssuedAt: e.Now().UTC().Truncate(time.Millisecond),
		DryRun:   true,
	}
	if pending := e.state.Renewal; pending != nil {
		r.Nonce, r.BootID = pending.Nonce, pending.BootID
	}
	r.Signature = e.keys.Sign(r.TokenProof())
	client := &enroll.Client{HTTP: e.dialer.HTTP(), Base: e.dialer.Base, Version: e.Version}
	answer, err := client.Token(ctx, e.state.Token, r)
	if err != nil {
		return err
	}
	if answer.Token != "" {
		// It must not be kept: the agent that runs would not know of the counter's step.
		return errors.New("the control plane gave out a token though it was only asked whether it would")
	}
	if answer.JoinSeq < e.state.JoinSeq {
		return fmt.Errorf(
			"the control plane's join counter is %d, behind this agent's %d",
			answer.JoinSeq,
			e.state.JoinSeq,
		)
	}
	return nil
}
