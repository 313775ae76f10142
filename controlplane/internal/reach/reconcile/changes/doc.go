// Package changes shows what a sync run changes: as a diff by groups, as a list, and as a CSV file.
//
// It reads sync_change. The first load of a connector is not compared, so its list is drawn from the records
// themselves that say that the run created them.
//
//	GET /connectors/{id}/sync-runs/{run_id}/diff
//	{"total": 41, "held": 40, "groups": [
//		{"guard": "account_missing", "change": "missing", "count": 40,
//		 "departments": [{"value": "Sales", "count": 38}], …}], …}
//
// Callers: the API, and package decisionkind, which puts held runs into the inbox.
package changes
