// Package throttle limits failed sign-ins: of one account from one network, of one account, and of one network.
//
// It owns the tables login_failure and login_success, which are of the deployment and not of a tenant, so that all
// processes count together. Five failures of an account from one network within 15 minutes close it there for 15
// minutes, and for twice as long each further time. A network from which the account signed in before counts by
// itself, so that guesses from elsewhere keep nobody out. Packages signin and sso call Limiter.Check before an attempt
// and RecordFailure or Forgive after it.
package throttle
