// Package fact holds the facts about a person that conditions can use: the fields of their identity, the managers above
// them, the roles and entitlements they have, and the day.
//
// It owns no tables. Its queries read identity and its managers, in the caller's transaction; everything else is plain
// values without a clock. Which grants count as held is the caller's choice, as access that a policy gave must not make
// its own condition true. Package condition matches against these facts. Packages approval/organization, chain/people,
// catalog and policy/evaluation gather them, and read no more than Needs lists:
//
//	needs := c.Needs()                                               // or several, joined by And
//	above, err := fact.ManagersAbove(ctx, tx, ids, needs.Managers)   // one query for all people
//	p := &fact.Person{Identity: fields, Managers: above[id], Day: today}
//	met, warnings := c.Match(p)
package fact
