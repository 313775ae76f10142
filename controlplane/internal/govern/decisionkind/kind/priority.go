package kind

// Priorities are those of tasks about violations, by the severity of the policy.
var Priorities = map[string]string{"low": "low", "medium": "normal", "high": "high", "critical": "urgent"}
