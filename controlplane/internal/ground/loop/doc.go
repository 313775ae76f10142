// Package loop does the work that no request asks for. A Worker makes one pass after the other until its context ends,
// at intervals and whenever its Bell rings; EachTenant shares a pass out among tenants.
//
// What a pass does, and that two processes do not do it twice, is its owner's business: several processes run the same
// workers.
package loop
