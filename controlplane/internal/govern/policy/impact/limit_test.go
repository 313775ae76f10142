package impact

import "testing"

func TestMoreThanATenthOfAllPeopleNeedsConfirmation(t *testing.T) {
	if hit, ok := ShareOfPeople(280, 2808); ok {
		t.Errorf("got %+v; a tenth is no limit", hit)
	}
	hit, ok := ShareOfPeople(2808, 2808)
	want := LimitHit{Code: "share_of_people", Limit: 280, Count: 2808,
		Detail: "2,808 of 2,808 people gain or lose access, more than 10 %"}
	if !ok || hit != want {
		t.Errorf("got %+v, %v; want %+v", hit, ok, want)
	}
	if _, ok := ShareOfPeople(0, 0); ok {
		t.Error("nobody of nobody needs confirmation")
	}
}
