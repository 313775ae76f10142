// Package resolution makes plans: it turns rules, a request for one resource and the organization of an instant into
// who must approve, in which order, and until when. It owns no table and writes nothing, so that preview, submission,
// simulation and replay give the same plan.
//
// It goes in this order: choose the rule and the branch, read whom its resolvers may name, fill each group (resolver,
// then substitutes, then the fallback of the stage, then administrators), and count when each stage is due. No
// person approves their own request, and with distinct approvers no person counts twice. The log of a plan gives the
// reason why a candidate was passed over.
//
// Packages request and chain call it: Plans for new requests, Stage for a stage that is opened or changed, People for
// escalations.
//
// Example: the manager of the beneficiary is on leave and has a delegate. The plan has the delegate's slot with via
// "delegate", acting for the manager. Without a delegate, it has the administrators with via "fallback".
package resolution
