package viewer

import "slices"

// Parties are the ids under which the person who acts is known: the user, their identity, the service token, and the
// user who created that token with their identity. The product itself is nobody.
func (v Viewer) Parties() []string {
	if v.Kind == Machine || v.Kind == "" {
		return nil
	}
	return filled(v.ID, v.Identity, v.Maker, v.MakerIdentity)
}

// SamePerson reports whether two sets of ids have a person in common. Every rule that two different people have to
// agree is decided by it: a person stays the same behind another token, role, delegation or link.
func SamePerson(a, b []string) bool {
	return slices.ContainsFunc(a, func(id string) bool { return id != "" && slices.Contains(b, id) })
}

// ActsForAnother reports whether a service token is bound to the identity of another person than its creator. Such a
// token reads what that person may read; it never agrees to anything in their name, since they have not agreed to the
// token.
func (v Viewer) ActsForAnother() bool {
	return v.Kind == Service && v.Identity != "" && v.Identity != v.MakerIdentity
}

// filled are the ids that are not empty.
func filled(ids ...string) []string {
	return slices.DeleteFunc(ids, func(id string) bool { return id == "" })
}
