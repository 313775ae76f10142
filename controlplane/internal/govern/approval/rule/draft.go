package rule

// DraftID is the id of a rule that is not saved.
const DraftID = "draft"
