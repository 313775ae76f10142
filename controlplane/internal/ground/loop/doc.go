// Package loop runs background work. A Worker makes passes until its context ends: at an interval, and whenever its
// Wakeup is notified. EachTenant divides a pass among tenants.
//
// Several processes run the same workers. Each pass must itself prevent that two processes do the same work.
package loop
