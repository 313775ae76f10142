// Package storedquery defines the queries by which mitigating controls collect their evidence automatically, and
// decides what an answer means. It owns no table: a query is part of a control, and package storedquery/answer reads
// the data.
//
// A query says what it looks at, which of that it counts, by a condition in the language of package condition, and how
// many it expects:
//
//	{"about": "accounts", "connector_ids": ["…"], "expect": "none",
//	 "condition": {"field": "account.last_login_at", "op": "after", "value": "-P30D"}}
//
// An answer counts what was found and what could not be decided, because its source does not report a field. It has
// passed only if it would have passed in every case, and has failed only if it would have failed in every case. Any
// other answer, and any answer with a problem, such as a source that was not synced, is unanswered.
//
// Callers: package control validates queries, package storedquery/answer evaluates them.
package storedquery
