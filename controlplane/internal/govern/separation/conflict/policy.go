package conflict

import "time"

// Kind says how the sides of a policy conflict.
type Kind string

// Kinds of policies.
const (
	Pair      Kind = "pair"      // both sides
	NOfM      Kind = "n_of_m"    // at least N of the sides
	Matrix    Kind = "matrix"    // both sides of one of the Conflicts
	Companion Kind = "companion" // the first side without the second
	History   Kind = "history"   // the first side now, and the second within the window
)

// Duty is a function of the business, such as paying invoices. A person performs it by at least one entitlement of each
// of its groups. No person performs a duty without groups, or with a group that no entitlement is left in.
type Duty struct {
	ID     string
	Groups [][]string // IDs of entitlements
}

// Policy is one separation-of-duties policy.
type Policy struct {
	ID        string
	Version   int
	Kind      Kind
	Sides     []Side
	N         int           // of NOfM
	Conflicts [][2]int      // of Matrix: indices of sides
	Window    time.Duration // of History: how long ago the second side counts
	Context   Context
}

// Side is one side of a policy. A person performs it by performing at least one of its duties.
type Side struct {
	Label   string
	DutyIDs []string
}

// Context narrows what counts as a conflict. Companion policies compare no context: whether a second duty is missing is
// asked of all of a person's access.
type Context struct {
	// Same are the traits of entitlements in which all sides must agree, such as environment or company_code. An
	// entitlement without the trait applies everywhere, and agrees with every value.
	Same []string
	// ExcludeReadOnly leaves out entitlements that only read.
	ExcludeReadOnly bool
}

// Traits are what contexts know of one entitlement.
type Traits struct {
	Values   map[string]string
	ReadOnly bool
}

// Access is what one person has, and will have.
type Access struct {
	Sources []Source
	Past    []Past               // what the person held and holds no longer
	Used    map[string]time.Time // when the person last used an entitlement, if its target system reports it
	Traits  map[string]Traits    // of all entitlements in Sources and Past that have any
	Exempt  map[string]bool      // IDs of policies that do not apply to the person
	Now     time.Time
}

// Source is access that can be taken away as one: a direct grant, or something that was asked for or ordered.
type Source struct {
	ID      string
	Pending bool     // not in the target system yet
	Gives   []string // IDs of entitlements: its own, and those that it is nested in
	RoleIDs []string // roles that are a reason for it
}

// Past is an entitlement that was held until a time.
type Past struct {
	EntitlementID string
	Until         time.Time
}

// Grade says how much of a violation is fact.
type Grade string

// Grades, from the weakest. InsideRole wins over the use of the access, because it is mended elsewhere: by a change of
// the role.
const (
	Latent        Grade = "latent"         // only together with access that is pending
	Potential     Grade = "potential"      // held, and not known to be used
	ExercisedOne  Grade = "exercised_one"  // one side was used
	ExercisedBoth Grade = "exercised_both" // two sides or more were used
	InsideRole    Grade = "inside_role"    // one role alone gives all of it
)

// Violation is one conflict in the access of a person. A matrix may have several, one for each of its conflicts.
type Violation struct {
	Policy *Policy
	Sides  []Performed // in the order of the policy; of a companion policy only the first
	Grade  Grade
	// Cures are the smallest sets of sources whose removal ends this violation, as indices of Access.Sources. All
	// have the same size. There are at most MaxCures, and none if no removal helps.
	Cures [][]int
	// Proven is false if the search for the smallest cure ended at its limit. The cures work all the same.
	Proven bool
}

// Performed is one side with what it is performed by.
type Performed struct {
	Side           int
	EntitlementIDs []string // sorted
	Sources        []int    // indices of Access.Sources, sorted
	Past           bool     // performed only in the past
}
