// Package lastadmin keeps an active administrator in every tenant. Whoever may take the role from a user calls Lock
// before reading users and Check after writing them, in one transaction.
package lastadmin
