// Package crashpoint marks the moments of a program at which its death would be worst, so that tests can kill it
// exactly there. Programs that are built without the tag crashpoints, as all that are shipped, have none of it: Reach
// does nothing.
package crashpoint

// Variable names the environment variable that says where to die: moment:n, the n-th time that moment is reached.
const Variable = "GRANTWRIGHT_CRASH"
