package queue

// OneSlot has a queue do one pass at a time.
func OneSlot(q *Queue) { q.slots = 1 }

// RunJob runs a job once, if it is due and free.
var RunJob = (*Queue).runJob
