package counters

import (
	"encoding/json"
)

// Foresee adds n changes of a preview, by the name that sync_change has for them.
func (c *Counts) Foresee(change string, n int64) {
	switch change {
	case "create":
		c.Created += n
	case "update", "disable":
		c.Updated += n
	case "missing":
		c.Missing += n
	case "remove":
		c.Removed += n
	case "reappear":
		c.Reappeared += n
	}
}

// Changes leaves out what was only looked at again: a release goes over everything, but what was merged before is
// counted.
func (t PartCount) Changes() PartCount {
	t.Counters.Errors = 0
	for _, k := range t.Report.Kinds() {
		k.Unchanged, k.Suppressed = 0, 0
	}
	return t
}

// Counters count the records of a run. The first four are the specification's.
type Counters struct {
	// Number of identities read.
	IdentitiesRead int64 `json:"identities_read"`
	// Number of accounts read.
	AccountsDiscovered int64 `json:"accounts_discovered"`
	// Number of entitlements read and mapped.
	EntitlementsMapped int64 `json:"entitlements_mapped"`
	// Number of grants recorded.
	GrantsRecorded int64 `json:"grants_recorded"`
	// Objects that were created.
	Created int64 `json:"created"`
	// Objects that were changed.
	Updated int64 `json:"updated"`
	// Objects that were read and did not differ.
	Unchanged int64 `json:"unchanged"`
	// Objects that were absent from a complete reading for the first time.
	Missing int64 `json:"missing"`
	// Objects that were absent again, or reported as deleted.
	Removed int64 `json:"removed"`
	// Objects that were seen again after having been missing or removed.
	Reappeared int64 `json:"reappeared"`
	// Number of inherited grants of the connector.
	Inherited int64 `json:"inherited_grants"`
	// Accounts that were linked to an owner.
	Linked int64 `json:"accounts_linked"`
	// References to records that were not read.
	Unresolved int64 `json:"unresolved_references"`
	// Records that were set aside whole.
	Skipped int64 `json:"skipped"`
	// Records or values that could not be used; see links.errors.
	Errors int64 `json:"errors"`
}

// add adds the counters that are counted directly; the others are derived from the report.
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
	// Objects that were created.
	Created int64 `json:"created"`
	// Objects that were changed.
	Updated int64 `json:"updated"`
	// Objects that were read and did not differ.
	Unchanged int64 `json:"unchanged"`
	// Objects that were absent from a complete reading for the first time.
	Missing int64 `json:"missing"`
	// Objects that were absent again, or reported as deleted.
	Removed int64 `json:"removed"`
	// Objects that were seen again after having been missing or removed.
	Reappeared int64 `json:"reappeared"`
	// Records that were set aside whole.
	Quarantined int64 `json:"quarantined"`
	// Removals that no longer applied when they were to be made.
	Skipped int64 `json:"skipped"`
	// Records with references to records that were not read.
	Unresolved int64 `json:"unresolved"`
	// Reappeared grants that Grantwright had revoked. They are counted in reappeared as well.
	Returned int64 `json:"returned,omitempty"`
	// Grants that were read within minutes of their revocation, treated as a delayed result.
	Suppressed int64 `json:"suppressed,omitempty"`
}

// Add sums up.
func (c *Counts) Add(o Counts) {
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
	// Changes of identities.
	Identities Counts `json:"identities"`
	// Changes of accounts.
	Accounts Counts `json:"accounts"`
	// Changes of entitlements.
	Entitlements Counts `json:"entitlements"`
	// Changes of grants.
	Grants Counts `json:"grants"`
	// Changes of entitlements held by entitlements. The count created includes those seen again.
	Nestings Counts `json:"nestings"`
}

// add adds the counts of each kind of record.
func (r *Report) add(o Report) {
	for i, to := range r.Kinds() {
		to.Add(*o.Kinds()[i])
	}
}

// Kinds are the report's parts: the four of the protocol in the order of the stages, then nestings.
func (r *Report) Kinds() []*Counts {
	return []*Counts{&r.Identities, &r.Accounts, &r.Entitlements, &r.Grants, &r.Nestings}
}

// OfObject is a report's part by the name of the object, as package reconcile has it; nil for an unknown one.
func (r *Report) OfObject(name string) *Counts {
	for i, object := range []string{"identity", "account", "entitlement", "grant", "nesting"} {
		if name == object {
			return r.Kinds()[i]
		}
	}
	return nil
}

// PartCount holds the counts of one part of a run: a chunk or a merged part. The counts of a run are the sum of its
// parts, so a run that another worker takes over keeps exact counts. Sums over all kinds in Counters are zero here;
// Totals derives them.
type PartCount struct {
	// Numbers of records by kind and result.
	Counters Counters `json:"counters"`
	// Further findings of the part.
	Report Report `json:"report"`
}

// Add sums up.
func (t *PartCount) Add(o PartCount) {
	t.Counters.add(o.Counters)
	t.Report.add(o.Report)
}

// Totals are the counters with their sums over the four kinds of the protocol, as the API shows them.
func (t *PartCount) Totals() Counters {
	c := t.Counters
	for _, k := range t.Report.Kinds()[:4] {
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

// JSON is the count without its zeros, for a jsonb column: most of it is zero, and every chunk has one.
func (t *PartCount) JSON() string {
	b, err := json.Marshal(t)
	if err != nil {
		return "{}"
	}
	var tree map[string]any
	if err := json.Unmarshal(b, &tree); err != nil {
		return "{}"
	}
	dropZeros(tree)
	if b, err = json.Marshal(tree); err != nil {
		return "{}"
	}
	return string(b)
}

// dropZeros removes zeros and empty objects, so that the JSON of a count has only what was counted.
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
