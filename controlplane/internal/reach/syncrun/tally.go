package syncrun

import (
	"encoding/json"
)

// Counters count the records of a run. The first four are the specification's.
type Counters struct {
	IdentitiesRead     int64 `json:"identities_read"`
	AccountsDiscovered int64 `json:"accounts_discovered"`
	EntitlementsMapped int64 `json:"entitlements_mapped"`
	GrantsRecorded     int64 `json:"grants_recorded"`
	Created            int64 `json:"created"`
	Updated            int64 `json:"updated"`
	Unchanged          int64 `json:"unchanged"`
	Missing            int64 `json:"missing" doc:"absent from a complete reading for the first time"`
	Removed            int64 `json:"removed" doc:"absent again, or reported as deleted"`
	Reappeared         int64 `json:"reappeared" doc:"seen again after having been missing or removed"`
	Inherited          int64 `json:"inherited_grants"`
	Linked             int64 `json:"accounts_linked"`
	Unresolved         int64 `json:"unresolved_references"`
	Skipped            int64 `json:"skipped" doc:"records that were set aside whole"`
	Errors             int64 `json:"errors" doc:"records or values that could not be used; see links.errors"`
}

func (c *Counters) add(o Counters) {
	c.IdentitiesRead += o.IdentitiesRead
	c.AccountsDiscovered += o.AccountsDiscovered
	c.EntitlementsMapped += o.EntitlementsMapped
	c.GrantsRecorded += o.GrantsRecorded
	c.Inherited += o.Inherited
	c.Linked += o.Linked
	c.Errors += o.Errors
}

// Counts say what a run did to one kind of object. Each object is counted once, whatever happened to the run on its
// way.
type Counts struct {
	Created     int64 `json:"created"`
	Updated     int64 `json:"updated"`
	Unchanged   int64 `json:"unchanged"`
	Missing     int64 `json:"missing"`
	Removed     int64 `json:"removed"`
	Reappeared  int64 `json:"reappeared"`
	Quarantined int64 `json:"quarantined" doc:"records that were set aside whole"`
	Skipped     int64 `json:"skipped" doc:"removals that were no longer true when they were to be made"`
	Unresolved  int64 `json:"unresolved" doc:"records with references to records that were not read"`
	Returned    int64 `json:"returned,omitempty" doc:"of the reappeared, grants that we had revoked; they are shown as reappeared"`
	Suppressed  int64 `json:"suppressed,omitempty" doc:"grants that were read within minutes of our revoking them, treated as a delayed result"`
}

func (c *Counts) add(o Counts) {
	c.Created += o.Created
	c.Updated += o.Updated
	c.Unchanged += o.Unchanged
	c.Missing += o.Missing
	c.Removed += o.Removed
	c.Reappeared += o.Reappeared
	c.Quarantined += o.Quarantined
	c.Skipped += o.Skipped
	c.Unresolved += o.Unresolved
	c.Returned += o.Returned
	c.Suppressed += o.Suppressed
}

// Report says what a run did, by kind of object. It counts what the merge and the removals wrote, not what was read.
type Report struct {
	Identities   Counts `json:"identities"`
	Accounts     Counts `json:"accounts"`
	Entitlements Counts `json:"entitlements"`
	Grants       Counts `json:"grants"`
	Nestings     Counts `json:"nestings" doc:"entitlements held by entitlements; created counts those seen again as well"`
}

func (r *Report) add(o Report) {
	for i, to := range r.kinds() {
		to.add(*o.kinds()[i])
	}
}

// kinds are the report's parts: the four of the protocol in the order of the stages, then nestings.
func (r *Report) kinds() []*Counts {
	return []*Counts{&r.Identities, &r.Accounts, &r.Entitlements, &r.Grants, &r.Nestings}
}

// kindOfObject is a report's part by the name of the object, as reconcile has it; nil for an unknown one.
func (r *Report) kindOfObject(name string) *Counts {
	for i, object := range []string{"identity", "account", "entitlement", "grant", "nesting"} {
		if name == object {
			return r.kinds()[i]
		}
	}
	return nil
}

// tally is what a part of a run counted: a chunk, or a merged part. Those of a run add up to the run's, so a run that
// is taken over counts on exactly. What Counters sums up over all kinds is zero in it, and derived when shown.
type tally struct {
	Counters Counters `json:"counters"`
	Report   Report   `json:"report"`
}

func (t *tally) add(o tally) {
	t.Counters.add(o.Counters)
	t.Report.add(o.Report)
}

// shown are the counters with their sums over the four kinds of the protocol.
func (t *tally) shown() Counters {
	c := t.Counters
	for _, k := range t.Report.kinds()[:4] {
		c.Created += k.Created
		c.Updated += k.Updated
		c.Unchanged += k.Unchanged
		c.Missing += k.Missing
		c.Removed += k.Removed
		c.Reappeared += k.Reappeared
		c.Skipped += k.Quarantined
		c.Unresolved += k.Unresolved
	}
	return c
}

// compact is the tally as JSON without its zeros: most of it is zero, and every chunk has one.
func (t *tally) compact() string {
	b, err := json.Marshal(t)
	if err != nil {
		return "{}"
	}
	var tree map[string]any
	if err := json.Unmarshal(b, &tree); err != nil {
		return "{}"
	}
	dropZeros(tree)
	return encode(tree)
}

func dropZeros(tree map[string]any) {
	for key, v := range tree {
		switch v := v.(type) {
		case float64:
			if v == 0 {
				delete(tree, key)
			}
		case map[string]any:
			if dropZeros(v); len(v) == 0 {
				delete(tree, key)
			}
		}
	}
}
