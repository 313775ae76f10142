// Package full reads all of a directory, partition by partition.
//
// Active Directory is partitioned by uSNCreated, other directories by container. The last partition holds what lies
// in none of the others, so that nothing is missed. After each partition, and within large ones, the read emits a
// checkpoint. A read that was interrupted within a partition skips what it emitted before, if the directory returns
// the same entries in the same order; otherwise it reads the partition again.
//
// A partition is pending, in progress (Checkpoint.Within) or done (Checkpoint.Done).
//
// The package also lists the keys of all entries, for incremental reads of directories that do not list deletions:
//
//	err := r.ReadAll(checkpoint)
//	err := r.ListKeys()
package full
