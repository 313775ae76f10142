// Package lane makes the changes of connectors.
//
// A lane is the work on one connector. One process at a time holds its lease (provisioning_lane.owner, lease_until);
// any number of processes work at once. The lane takes tasks that are due (claim.go), commits that they are about to be
// sent, sends several at once through the package attempt, and writes the outcomes through the package settle
// (turn.go). The states of a lane:
//
//	free ──> leased ──> free             no task is due any more
//	           └─────> waiting ──> free  the target cannot be worked with, or writing is stopped
//
// A process that dies leaves tasks that are running. When their lease is over another process takes them, and looks at
// the target before it sends them again.
//
// Worker starts lanes. It is called by the package provision, once in each process.
//
//	w := &lane.Worker{DB: db, Connectors: connectors, Dispatch: dispatcher, Log: log, Now: time.Now,
//		Ring: func() {}, Lanes: 16, Calls: 4, CallLimit: 30 * time.Second}
//	w.Init()
//	started, err := w.Start(ctx)
//	w.Wait()
package lane
