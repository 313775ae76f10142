package connectorkit

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// capPrefix begins the checkpoints of a read that max_records limits.
const capPrefix = "limited/1:"

// mark is the checkpoint of a limited read: the connector's own, with what the limit has counted up to it.
//
// A read that goes on after an interruption belongs to the same sync run, and goes on counting. The next limited run
// continues at the place that the last one reached, and counts from zero. Where the limit cut a page in two, the
// records of that page that were handed on are passed over.
type mark struct {
	run                  string // sync run whose limit was counted
	identities, accounts int    // handed on by that run
	skipIdentities       int    // handed on after the connector's own checkpoint
	skipAccounts         int
	at                   string // the connector's own checkpoint
}

func (m mark) String() string {
	return fmt.Sprintf("%s%d:%d:%d:%d:%s:%s", capPrefix, m.identities, m.accounts, m.skipIdentities, m.skipAccounts,
		url.QueryEscape(m.run), m.at)
}

// readMark reads a checkpoint. One of a read without a limit is the connector's own.
func readMark(checkpoint string) mark {
	rest, limited := strings.CutPrefix(checkpoint, capPrefix)
	parts := strings.SplitN(rest, ":", 6)
	if !limited || len(parts) < 6 {
		return mark{at: checkpoint}
	}
	m := mark{at: parts[5]}
	for i, n := range []*int{&m.identities, &m.accounts, &m.skipIdentities, &m.skipAccounts} {
		v, err := strconv.Atoi(parts[i])
		if err != nil || v < 0 {
			return mark{at: checkpoint}
		}
		*n = v
	}
	run, err := url.QueryUnescape(parts[4])
	if err != nil {
		return mark{at: checkpoint}
	}
	m.run = run
	return m
}

// takeUp puts the chunker where a checkpoint stands, and gives the request that the connector goes on with.
func (c *chunker) takeUp(req v1.SyncRequest) v1.SyncRequest {
	c.incremental = req.Incremental
	if req.Options == nil {
		return req
	}
	m := readMark(req.Options.Checkpoint)
	c.run, c.at = req.Options.SyncRunID, m.at
	c.skip = [2]int{m.skipIdentities, m.skipAccounts}
	c.passed = c.skip
	if m.run == c.run {
		c.identities, c.accounts = m.identities, m.accounts
	}
	options := *req.Options
	options.Checkpoint = m.at
	req.Options = &options
	return req
}

// passOver drops the records that the run before has handed on of a page that its limit cut.
func (c *chunker) passOver(in *v1.SyncResponse) {
	anew := func(w v1.Warning) bool { return w.Code == "checkpoint_unusable" }
	if in.Page != nil && slices.ContainsFunc(in.Page.Warnings, anew) {
		c.at, c.passed, c.skip = "", [2]int{}, [2]int{} // the connector begins anew
	}
	n := min(c.skip[0], len(in.Identities))
	in.Identities, c.skip[0] = in.Identities[n:], c.skip[0]-n
	n = min(c.skip[1], len(in.Accounts))
	in.Accounts, c.skip[1] = in.Accounts[n:], c.skip[1]-n
}

// checkpoint is the place up to which everything was handed on, at the end of a page.
func (c *chunker) checkpoint(at string) string {
	c.at, c.passed, c.skip = at, [2]int{}, [2]int{}
	if c.limits.MaxRecords == 0 {
		return at
	}
	return mark{run: c.run, identities: c.identities, accounts: c.accounts, at: at}.String()
}

// rest is where the next limited run continues. The order of changes is not fixed, so a page of changes that the limit
// cut is read again from its start: none of them may be passed over.
func (c *chunker) rest() string {
	m := mark{run: c.run, identities: c.identities, accounts: c.accounts, at: c.at}
	if !c.incremental {
		m.skipIdentities, m.skipAccounts = c.passed[0], c.passed[1]
	}
	if m.at == "" && m.skipIdentities+m.skipAccounts == 0 {
		return ""
	}
	return m.String()
}
