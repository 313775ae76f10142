package provision

import "context"

// Drain plans and makes changes until nothing is due any more.
func (s *Service) Drain(ctx context.Context) error {
	s.init()
	for {
		planned, err := s.PlanAll(ctx)
		if err != nil {
			return err
		}
		n, err := s.start(ctx)
		if err != nil {
			return err
		}
		s.group.Wait()
		if planned+n == 0 {
			return nil
		}
	}
}

// Owner is the process as the owner of leases.
func (s *Service) Owner() string { s.init(); return s.me }
