// Package writing has the rules by which a connector writes, apart from the template of its accounts: the write mode,
// what becomes of unwanted accounts, what is done about drift, and the limits of the circuit breaker.
//
// Rules are the defaults of a connector with the settings of users over them. They are pure; Load reads
// them from connector and connector_provisioning. The package shape adds the template; the packages of provisioning
// need the rules alone.
//
//	r := writing.Defaults("target").With(writing.Settings{Breaker: &writing.Breaker{MaxChanges: 5}})
//	// r.WriteMode is "auto", r.Breaker.MaxChanges 5, r.Breaker.Window "PT1H"
package writing
