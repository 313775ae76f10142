package embedded

// SuperuserURL lets tests play an external cluster's administrator.
func (s *Server) SuperuserURL(database string) string {
	return s.addr.url(superuser, s.inst.secrets.Superuser, database)
}

// PackageFor lets tests name distributions.
var PackageFor = packageFor

// BinDir is where the server's programs are.
func (s *Server) BinDir() string { return s.inst.bins.dir }
