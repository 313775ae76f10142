package constraint

// MissingItem is something that a person must have by a policy with the effect require, and lacks.
type MissingItem struct {
	// Kind of what is missing.
	Type string `json:"type" enum:"role,entitlement,training,manager"`
	// ID of the role or entitlement. Null: a training or a manager.
	ID *string `json:"id"`
	// Name of the role, the entitlement or the training.
	Display string `json:"display"`
}

// Same reports whether both are about the same thing, whatever its name.
func (m MissingItem) Same(o MissingItem) bool {
	if m.ID != nil && o.ID != nil {
		return m.Type == o.Type && *m.ID == *o.ID
	}
	return m.Type == o.Type && m.ID == o.ID && m.Display == o.Display
}

// Narrowing are the constraints that say whom a policy with the effect require applies to. What it requires of people,
// their training and their manager, is left out.
func (c PolicyConstraints) Narrowing() PolicyConstraints {
	c.NeedsTraining, c.NeedsManager = nil, false
	return c
}
