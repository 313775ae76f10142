// Package health judges an endpoint by its failures: when only one delivery at a time is tried, when administrators are
// warned, and when the webhook is disabled. It is pure and owns no table: a Record is a part of the row of a webhook.
//
// Packages subscription and webhook use it.
//
// Example: an endpoint has answered nothing for five days, and 20 deliveries over more than a day were given up. Judge
// says disable, with the reason "no delivery has succeeded for five days".
package health
