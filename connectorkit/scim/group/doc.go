// Package group reads the groups of a SCIM service provider with their members.
//
// # Purpose
//
// Members are read as the list of groups carries them, group by group, from the users, or by a filter for the users of
// each group. Which way works is found out during the sync: a target may omit members, return only the first of them,
// or fail to return a large group.
//
// # States
//
// The way is settings.Auto until a group has shown its members. A way that fails restarts the leg with another.
// Members that may be missing are not attested.
//
// # Callers
//
// Package read, for the legs of groups.
//
// # Example
//
// A list of groups returns exactly 100 members for three groups and none has more. A single read of one of them
// returns 250. The groups are then read one by one, with the warning members_by_get.
package group
