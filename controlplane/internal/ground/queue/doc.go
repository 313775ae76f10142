// Package queue is the one queue of work that is due later, or that must be checked again after something changed.
//
// Purpose. A change in one subject often obliges another one to act: a new person must be evaluated by the policies, an
// ended reason must be provisioned, a manager who leaves must be replaced as approver. Whoever makes the change
// enqueues a work item in the same transaction, by the SQL function enqueue_work, by Enqueue, or by an insert into
// work_item inside a larger statement. A rolled back change leaves no item, and a committed one always does.
//
// Tables. work_item holds the items of tenants, and recurring_work one row for each periodic job of the deployment.
//
// Items. An item has a kind, a subject (the UUID of a person, account, …), a cause, a priority and a due time. Items
// are only added and taken, never changed by those who add them: no transaction waits for another in order to
// enqueue. Take merges all due items of a subject into one. An item that is enqueued while its subject is being
// processed is another row. It stays, and is processed next, so no change is lost.
//
// States. An item is waiting, is deleted by the transaction that does its work, or is dead. A transaction that fails or
// is killed leaves its items as they were. An item that fails by itself waits for longer after each attempt, and is
// dead after eight. Dead items are logged as errors and keep their last error. Administrators see, retry and delete
// them through the package record/workqueue; a new item of the same subject retries a dead one too.
//
// Locks and leases. Work in a transaction needs no lease: one transaction at a time works on a group of kinds in a
// tenant, held by an advisory lock that ends with the transaction, however it ends. A periodic Job works outside of a
// transaction. It runs in one process at a time, under a lease with a fencing token, which the process renews while the
// job runs.
//
// Fairness. A process gives each pass, which is one batch of one kind in one tenant, to the tenant that was served
// longest ago. Urgent items come first within a tenant, and two of three passes prefer tenants with urgent items. A
// tenant with a hundred thousand items therefore delays another one by a few passes, not by its whole queue.
//
// Callers. Each package that works on items describes its kinds; app puts them into one Queue, which each process runs.
//
// Example. A package that must act on changed accounts enqueues them by a trigger,
//
//	perform enqueue_work('drift', array[new.id], 'account');
//
// and describes what to do about them:
//
//	queue.Kind{Name: "drift", Batch: 250, Work: func(ctx context.Context, tx *pg.Tx, items []queue.Item) error {
//		return compare(ctx, tx, queue.Subjects(items))
//	}}
package queue
