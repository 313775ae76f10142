// Package workqueue shows the work queue to people: to the administrators of a tenant, and to the operators of the
// deployment.
//
// Purpose. The package ground/queue works on items, retries those that fail, and gives up after eight attempts. An item
// that it has given up is a dead letter. This package lists items and dead letters, counts them by kind, and lets an
// administrator retry or delete dead letters. Operators see counts of all tenants, and nothing that belongs to a
// tenant.
//
// Tables. None of its own. It reads work_item and recurring_work, and changes them only through ground/queue.
//
// Callers. app gives it the kinds and jobs of all packages, whose titles and descriptions stand beside their code.
//
// Example. After the cause of a failure was removed, the administrator retries all dead letters of the kind:
//
//	POST /api/v1/settings/work-queue/retry {"kind": "provisioning"}
package workqueue
