// Package cron reads schedules of five fields (minute, hour, day of month, month, day of week) and says when they come
// due in a time zone.
//
// Every time that a clock on the wall shows is due once. One that the clock passes over, because it is put forward, is
// due at the moment when it is put forward; several such times are due together. One that the clock shows twice,
// because it is put back, is due when it is shown first.
//
// As in other crons, a day must satisfy one of day of month and day of week when both are restricted, and both
// otherwise.
package cron
