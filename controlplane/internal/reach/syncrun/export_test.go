package syncrun

// KeepStaged lets tests look at what runs have staged.
func (s *Service) KeepStaged() { s.keepStaged = true }
