// Package lease lets one worker at a time work on a sync run.
//
// A run without a worker is Open: queued, waiting for its agent, or left by a worker that has died. Take gives a
// process its lease (sync_run.lease_owner, lease_until) with the number of a new attempt; every later write of the
// work is an Update that compares both, so that a worker whose lease ran out can change nothing more: it gets
// ErrFenced. Renew prolongs the lease by Terms, HandBack gives the run back. The rules are those of ground/lease.
//
// A process that stops hands its runs back. One that dies leaves lease_owner behind; the next worker of the run notes
// it in lapsed, so that a run in which process after process dies can be recognized.
//
// Process A takes run r as attempt 1 and is killed. After 15 seconds B takes it as attempt 2. Had A only been slow,
// its next Update would fail: the row says attempt 2.
//
// Only package worker calls it.
package lease
