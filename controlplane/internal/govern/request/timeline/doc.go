// Package timeline lists everything that happened to a request: its own events, comments, and the steps of its
// approval chains. It owns no table; package change writes the events.
//
// Package request serves it as GET /access-requests/{id}/timeline.
//
// Example: submitted, stage_opened (Manager), answered (approved), stage_closed, approved, provisioning, fulfilled.
package timeline
