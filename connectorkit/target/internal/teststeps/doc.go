// Package teststeps measures the steps of a connection test (dns, tcp, tls and those of the connector) and reports
// each as it ends.
//
// A step succeeds or fails; a failed one carries the error's message, hint and the target's answer.
//
//	steps := teststeps.NewSteps(env, report)
//	err := steps.Reach(ctx, "example.com:443", conf, timeout)
//	return steps.Answer(err, nil), nil
package teststeps
