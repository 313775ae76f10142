// Package schedule reads connectors by themselves: incremental and full runs by cron, in the connector's time zone and
// spread by jitter. It pauses connectors and lets them go on, says how they fare, and starts the runs that bring people
// up to date.
//
// A schedule is a row with its next occurrences. Whichever process finds it due locks it, enters the run, and moves it
// to the occurrence after that, in one transaction: an occurrence starts one run over all processes, and none is lost
// when one of them dies. What was missed while nobody looked is made up for by one run.
package schedule
