package embedded

// AdminURL is the superuser's login to one of the private server's databases, for setting up and tearing down
// databases. The product itself never runs under it.
func (s *Server) AdminURL(database string) string {
	return s.addr.url(superuser, s.inst.secrets.Superuser, database)
}
