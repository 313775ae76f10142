package impact

import (
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// mostShare is the percentage of all people that may gain or lose access without confirmation.
const mostShare = 10

// ShareOfPeople is the limit that a plan exceeds when it affects more than a tenth of all people. ok is false when it
// affects fewer.
func ShareOfPeople(affected, total int) (hit LimitHit, ok bool) {
	if affected*100 <= total*mostShare {
		return LimitHit{}, false
	}
	return LimitHit{
		Code:  "share_of_people",
		Limit: total * mostShare / 100,
		Count: affected,
		Detail: message.NewPrinter(language.English).Sprintf(
			"%d of %d people gain or lose access, more than %d %%", affected, total, mostShare),
	}, true
}
