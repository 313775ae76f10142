// Package notice says which notifications there are, and when a person receives them. Its rules know no database.
//
// Purpose. Something happens that a person should know of: a task is assigned to them, or their request was rejected. A
// trigger in the database writes a notification in the transaction of that change. The package govern/notify turns
// notifications into mail later. This package is the catalog of kinds, and decides for each notification whether it is
// sent at once, waits for the person's daily digest, or is not sent.
//
// Tables. None.
//
// Times. A person has a time zone. The digest is due once a day at an hour of that zone, and quiet hours are hours of
// that zone. On a day on which the clock skips the hour, the digest is due when the clock has skipped it. On a day that
// has the hour twice, it is due the first time.
//
// Example. A manager has chosen the digest for tasks, and a task of theirs is due today. Decide says Immediate, as the
// choice smart would, only if they have chosen smart; with the choice digest it says Digest.
package notice
