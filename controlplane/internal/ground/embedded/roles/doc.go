// Package roles makes the three database roles of the control plane: the owner, who runs migrations; the application,
// which owns nothing and is bound by row-level security; and the role for work that spans tenants, which the
// application takes on for single transactions. Ensure may be called by several
// processes at once, on PostgreSQL servers that are ours or the customer's.
package roles
