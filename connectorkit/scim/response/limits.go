package response

// Bounds of one value of an answer. What is beyond them is passed over; the rest of the answer is read all the same.
const (
	MaxResource = 4 << 20   // bytes of a resource; of a group, without its members
	MaxValue    = 256 << 10 // bytes of one attribute of a group
	MaxMember   = 64 << 10  // bytes of one entry of members
	maxDepth    = 100       // objects and arrays inside each other

	// A value of two bytes of JSON takes a hundred bytes of memory and more, so these are counted beside the bytes.
	maxResourceValues = 60_000  // objects, arrays and their elements in a resource
	maxAnswerValues   = 2000000 // the same in all that is kept of one answer
	maxAnswerObjects  = 400_000 // objects and arrays in all that is kept of one answer
	maxResources      = 100_000 // in one answer
	// resources of one answer that have no usable id, beyond which it is the target that is broken
	MaxInvalidIDs = 1000
)
