// Package schedule runs connectors on a schedule: full and incremental syncs by cron expressions, in the time zone of
// the connector and spread by jitter. It pauses and resumes connectors, reports their health, and starts the sync runs
// that bring people up to date. It serves paths under /connectors/{id}.
//
// A schedule is a row with its next occurrences. A process that finds an occurrence due locks the row, creates the sync
// run, and stores the occurrence after it, in one transaction. Therefore an occurrence starts one run across all
// processes, and none is lost if a process dies. Occurrences that were missed while no process ran are made up for by
// one run.
//
// Example: a connector has the full sync "0 2 * * *" in Europe/Berlin and a jitter of ten minutes. Its run starts
// between 02:00 and 02:10. If the control plane was down from 01:00 to 05:00, one run starts at 05:00.
package schedule
