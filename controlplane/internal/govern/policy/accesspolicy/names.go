package accesspolicy

// The API names its types without their package, so they have short names here.
type (
	Fields         = PolicyFields
	Resources      = PolicyResources
	Lifecycle      = PolicyLifecycle
	CircuitBreaker = PolicyBreaker
	Stats          = PolicyStats
	Evaluation     = PolicyProgress
	Subject        = PolicySubject
)
