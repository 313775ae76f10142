// Package lease keeps work in the hands of one process at a time, and passes it on when that process has died.
//
// Purpose. A transaction that works on rows needs no lease: a row or advisory lock ends with it. A call to another
// system that lasts minutes must not hold a transaction open. It is made under a lease instead: a column lease_until
// of the row that it protects, beside one that identifies the holder.
//
// Tables. The package owns none. sync_run, provisioning_lane, provisioning_task, webhook_delivery, audit_stream,
// kept_answer and recurring_work have these columns, and their packages the statements.
//
// States. A row is free when its lease_until is null or has passed (Free). The process that takes it writes its name: a
// token that is new each time, or their process and a number that counts attempts. That is the fence: every later
// statement of the holder names it, and one that changes no row has found that the lease is another's (Fenced). A
// holder whose work outlasts the lease renews it (Hold.Keep). A holder gives a row back by clearing both columns;
// one that dies leaves it to the others when lease_until has passed.
//
// Clocks. lease_until is compared with the database's clock alone. A Hold measures by the process's own monotonic
// clock how long ago the last renewal began that succeeded, which is never later than what the database has noted.
//
// Callers. ground/queue, ground/replay, reach/syncrun/lease, reach/provision/lane, record/audit/stream and
// front/webhook.
//
// Example. A process takes a row, keeps it while it works, and stops when it has lost it:
//
//	terms := lease.Terms{Length: 30 * time.Second, Every: 5 * time.Second, Doubt: 15 * time.Second}
//	asked := time.Now()
//	// update thing set owner = $2, lease_until = now() + $3 where id = $1 and <lease.Free>
//	hold := terms.Taken(asked)
//	go func() {
//		if err := hold.Keep(ctx, renew); err != nil {
//			cancel(err)
//		}
//	}()
package lease
