package history

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// meanings are what the actions of the audit log mean.
var meanings = func() map[string]string {
	m := map[string]string{}
	for _, a := range audit.Catalog() {
		m[a.Name], _, _ = strings.Cut(a.Meaning, "; of many") // each line is about one
	}
	return m
}()

// entry shows an entry of the audit log: the action, the actor, the reason and the changes, but not the address it came
// from. Entries about a person whose personal data was deleted stay in the log.
func (t teller) entry(e *HistoryEvent, d data) error {
	var said audit.Event
	if err := json.Unmarshal([]byte(d.Entry), &said); err != nil {
		return fmt.Errorf("read audit entry %d: %w", d.Seq, err)
	}
	e.Who = &HistoryActor{Type: said.Actor.Type, ID: said.Actor.ID, Display: said.Actor.Display}
	text := strings.TrimSuffix(or(meanings[said.Action], said.Action), ".")
	if said.Outcome != audit.Success {
		text += fmt.Sprintf(" (%s)", said.Outcome)
	}
	e.Text = sentence("%s; done%s%s", text, by(e.Who), because(said.Reason))
	if said.Subject != nil {
		e.Refs = append(e.Refs, t.names.ref(said.Subject.Type, &said.Subject.ID)...)
	}
	if t.all {
		seq := fmt.Sprint(d.Seq)
		e.Refs = append(e.Refs, t.names.ref("audit_event", &seq)...)
	}
	if t.bare {
		return nil
	}
	for _, c := range said.Changes {
		told := HistoryChange{Field: c.Field, Before: c.Before, After: c.After}
		if named := strings.HasSuffix(c.Field, "_id") || strings.HasSuffix(c.Field, "_ids"); named && !t.all {
			told = HistoryChange{Field: c.Field, Hidden: true}
		}
		e.Changes = append(e.Changes, told)
	}
	return nil
}
