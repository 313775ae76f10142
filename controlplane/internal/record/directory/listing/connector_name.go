package listing

// ConnectorName is the SQL expression of the name of the connector whose id an expression gives.
func ConnectorName(id string) string {
	return "coalesce((select c.name from connector c where c.id = " + id + "), '')"
}
